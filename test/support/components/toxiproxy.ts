import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { installedAt, installOnce } from './cache.ts';
import type { Component } from './component.ts';
import { isOnPath, runCommand } from './run-command.ts';
import { createToxiproxyClient, type ToxiproxyClient } from './toxiproxy-client.ts';

const VERSION = '2.12.0';
const FOLDER = `toxiproxy-${VERSION}`;

/** A running Toxiproxy; `endpoint` is its own API, each of its proxies has another. */
export interface Toxiproxy extends LocalService, ToxiproxyClient {}

export const toxiproxy: Component = {
  name: 'toxiproxy',
  version: VERSION,
  purpose: 'network faults in front of another service: latency, reset, down',
  whyMissing,
  install: async () => void (await toxiproxyBinary()),
  start: startToxiproxy,
};

/**
 * Starts Toxiproxy without proxies.
 *
 * @example
 * const faults = await startToxiproxy();
 * const proxy = await faults.createProxy({ upstream: database.endpoint });
 * await proxy.addToxic({ type: 'latency', attributes: { latency: 500 } });
 */
export async function startToxiproxy(options: StartOptions = {}): Promise<Toxiproxy> {
  const command = await toxiproxyBinary();
  const port = options.port ?? (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'Toxiproxy',
    command,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    isReady: async () => (await fetch(`${endpoint}/version`, { signal: AbortSignal.timeout(1_000) })).ok,
  });
  return { name: 'Toxiproxy', endpoint, stop: () => child.stop(), ...createToxiproxyClient(endpoint) };
}

function whyMissing(): string | undefined {
  if (existsSync(installedAt(FOLDER)) || isOnPath('go')) return undefined;
  return 'go is not on PATH, and it is needed once, to build; see https://go.dev/dl';
}

async function toxiproxyBinary(): Promise<string> {
  const missing = whyMissing();
  if (missing !== undefined) throw new Error(`toxiproxy: ${missing}`);
  const folder = await installOnce(FOLDER, async (folder) => {
    await runCommand('go', ['install', `github.com/Shopify/toxiproxy/v2/cmd/server@v${VERSION}`], {
      env: { GOBIN: folder, GOFLAGS: '-buildvcs=false' },
    });
  });
  return join(folder, 'server');
}
