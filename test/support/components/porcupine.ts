import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedAt, installOnce } from './cache.ts';
import type { Component } from './component.ts';
import { isOnPath, runCommand } from './run-command.ts';

const SOURCES = fileURLToPath(new URL('../../../lab/linearizability/checker/', import.meta.url));
const [, VERSION = ''] = /porcupine v(\S+)/.exec(readFileSync(join(SOURCES, 'go.mod'), 'utf8')) ?? [];
const FOLDER = `porcupine-${VERSION}-${digestOfSources()}`;

export const porcupine: Component = {
  name: 'porcupine',
  version: VERSION,
  purpose: 'judges histories of claims: whether they are linearizable',
  whyMissing,
  install: async () => void (await checkerBinary()),
};

/** The checker of lab/linearizability/checker, built once for these sources. */
export async function checkerBinary(): Promise<string> {
  const missing = whyMissing();
  if (missing !== undefined) throw new Error(`porcupine: ${missing}`);
  const folder = await installOnce(FOLDER, async (folder) => {
    await runCommand('go', ['build', '-mod=readonly', '-o', join(folder, 'checker'), '.'], {
      cwd: SOURCES,
      env: { GOFLAGS: '-buildvcs=false' },
    });
  });
  return join(folder, 'checker');
}

function whyMissing(): string | undefined {
  if (existsSync(installedAt(FOLDER)) || isOnPath('go')) return undefined;
  return 'go is not on PATH, and it is needed once, to build; see https://go.dev/dl';
}

function digestOfSources(): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(SOURCES).toSorted()) digest.update(readFileSync(join(SOURCES, file)));
  return digest.digest('hex').slice(0, 8);
}
