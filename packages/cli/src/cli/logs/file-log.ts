import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ReadLog } from '../../console/waterfall/read-waterfall.ts';

/** Returns a reader of log lines in a file, such as the output of a worker. */
export function fileLog(file: string): ReadLog {
  return async ({ text }, signal) => {
    const found: string[] = [];
    const lines = createInterface({ input: createReadStream(file, { signal }), crlfDelay: Infinity });
    for await (const line of lines) if (line.includes(text)) found.push(line);
    return found;
  };
}
