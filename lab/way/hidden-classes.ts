import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('hidden-classes-of-batches.ts', import.meta.url));
/** The batches of two runs: the difference is what those of the longer one add. */
const FEWER = 200;
const MORE = 800;

export type StoreName = 'memory store' | 'DynamoDB';

/**
 * Returns how many hidden classes V8 makes for a batch of ten records, one of which fails, once all kinds of objects have been
 * made. Each takes a microsecond or more, and functions that V8 has optimised for the class before are compiled again.
 */
export async function hiddenClassesOf(store: StoreName): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-way-'));
  try {
    const inRunOf = (batches: number): Promise<number> =>
      hiddenClassesIn(path.join(folder, `${batches}.log`), store, batches);
    await inRunOf(1); // compiles the program, which makes hundreds of classes; the others take it from the cache of tsx
    const [fewer, more] = await Promise.all([inRunOf(FEWER), inRunOf(MORE)]);
    return Math.round((more - fewer) / (MORE - FEWER));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function hiddenClassesIn(log: string, store: StoreName, batches: number): Promise<number> {
  const flags = ['--log-maps', '--no-log-maps-details', '--no-logfile-per-isolate', `--logfile=${log}`];
  const child = spawn(process.execPath, [...flags, '--import', 'tsx', PROGRAM, store, String(batches)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${PROGRAM} ended with ${code}`);
  let maps = 0;
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (line.startsWith('map,')) maps += 1;
  }
  if (maps === 0) throw new Error(`V8 logged no hidden class in ${log}`); // Node itself has thousands
  return maps;
}
