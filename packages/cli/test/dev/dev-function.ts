import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DevFunction } from '../../src/dev/stack.ts';

/** A folder with these files, as the `CodeUri` of a function. */
export async function sources(files: Readonly<Record<string, string>>): Promise<{
  readonly folder: string;
  remove(): Promise<void>;
}> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dev-sources-')));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A function of a template, with Lambda's defaults. */
export function devFunction(given: Partial<DevFunction> & { readonly folder: string }): DevFunction {
  return {
    id: 'OrdersFunction',
    name: 'orders-function',
    entry: 'orders',
    exportName: 'handler',
    timeoutMs: 3_000,
    memoryMb: 128,
    environment: {},
    reservedConcurrency: undefined,
    buildProperties: {},
    asynchronous: {
      maximumRetries: 2,
      maximumAgeMs: 21_600_000,
      onFailure: undefined,
      deadLetterQueue: undefined,
    },
    triggers: [],
    ...given,
  };
}
