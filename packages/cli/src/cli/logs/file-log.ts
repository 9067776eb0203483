import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { ReadLog } from '../../console/waterfall/read-waterfall.ts';
import { unreadable } from '../unreadable.ts';

/** Returns a reader of log lines in a file, such as the output of a worker. Rejects if it cannot be read. */
export async function fileLog(file: string): Promise<ReadLog> {
  await access(file, constants.R_OK).catch((error: Error) => {
    throw unreadable(`The file ${file} of --log`, error);
  });
  return async ({ text }, signal) => {
    const found: string[] = [];
    const lines = createInterface({ input: createReadStream(file, { signal }), crlfDelay: Infinity });
    for await (const line of lines) if (line.includes(text)) found.push(line);
    return found;
  };
}
