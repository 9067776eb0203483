import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';
import { runCommand } from './run-command.ts';

export const verdaccio: Component = {
  name: 'verdaccio',
  version: npmPins('verdaccio').version,
  purpose: 'a registry of npm packages, to publish to and to install from',
  whyMissing: () => undefined,
  install: async () => void (await npmPackages('verdaccio')),
  start: startVerdaccio,
};

/**
 * Starts a registry that is empty. What nobody has published there, it takes from the registry that npm uses here. Anybody
 * on this machine may publish; npm wants some token all the same, in `//127.0.0.1:PORT/:_authToken`.
 */
export async function startVerdaccio(options: StartOptions = {}): Promise<LocalService> {
  const program = join(await npmPackages('verdaccio'), 'verdaccio/bin/verdaccio');
  const registry = (await runCommand('npm', ['config', 'get', 'registry'])).trim();
  const folder = await mkdtemp(join(tmpdir(), 'batchlatch-verdaccio-'));
  const config = join(folder, 'config.yaml');
  await writeFile(config, configuration(folder, registry));
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}/`;
  const child = await startChild({
    name: 'Verdaccio',
    command: process.execPath,
    args: [program, '--config', config, '--listen', `127.0.0.1:${port}`],
    isReady: async () => (await fetch(`${endpoint}-/ping`, { signal: AbortSignal.timeout(1_000) })).ok,
  });
  return {
    name: 'Verdaccio',
    endpoint,
    async stop() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In JSON, which is YAML. */
function configuration(folder: string, registry: string): string {
  return JSON.stringify({
    storage: join(folder, 'storage'),
    web: { enable: false },
    uplinks: { upstream: { url: registry, timeout: '60s', max_fails: 10 } },
    packages: {
      // Never another one's package of one of these names.
      'batchlatch*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  });
}
