import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const SIZE = 10_000_000;

/** What a batch of this message and nine neighbours ends with, in a process of 128 MB. */
async function answerTo(
  text: string,
  decoder: string,
  neighbour?: string,
  neighbours = 9,
): Promise<{ ids: string[]; message: string }> {
  const encode = (body: string): string =>
    (decoder === 'base64' ? Buffer.from(body) : gzipSync(body)).toString('base64');
  const bomb = encode(text);
  const good = Array.from({ length: neighbours }, (_, n) => encode(neighbour ?? `{"orderId":"${n}"}`));
  const { stdout } = await run(
    process.execPath,
    ['--max-old-space-size=112', '--import', 'tsx', 'test/support/small-process.ts', bomb, decoder],
    { env: { ...process.env, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128', GOOD_BODIES: good.join(' ') } },
  );
  const { batchItemFailures, message } = JSON.parse(stdout) as {
    batchItemFailures: { itemIdentifier: string }[];
    message: string;
  };
  return { ids: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), message };
}

describe('A few kilobytes of gzip that are ten megabytes of JSON', () => {
  const bombs: [string, string][] = [
    ['empty arrays', `[${'[],'.repeat(SIZE / 3)}1]`],
    ['nested arrays', '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2)],
    ['empty objects', `[${'{},'.repeat(SIZE / 3)}1]`],
    ['arrays in arrays', `[${'[[[[]]]],'.repeat(SIZE / 9)}1]`],
  ];

  it.each(bombs)('make one record invalid, and its nine neighbours run: %s', async (_what, text) => {
    expect(await answerTo(text, 'gzip')).toEqual({
      ids: ['bomb'],
      message: expect.stringContaining('inflates to more than 2097152 bytes'),
    });
  });

  it.each(bombs)('do so where ten megabytes are allowed: %s', async (_what, text) => {
    expect(await answerTo(text, 'gzip-10')).toEqual({
      ids: ['bomb'],
      message: expect.stringMatching(/nested deeper than 500 levels|values that would take/),
    });
  });

  it.each([
    ['empty arrays', `[${'[],'.repeat(100_000)}1]`],
    ['empty objects', `[${'{},'.repeat(80_000)}1]`],
    ['numbers', `[${'1.5,'.repeat(500_000)}1]`],
    ['members that are numbers', `[${'{"99":1},'.repeat(42_000)}1]`],
  ])('leave room for ten of a kind that is just not refused: %s', async (_what, text) => {
    expect(await answerTo(text, 'gzip', text)).toEqual({ ids: [], message: '' });
  });

  it('leave room for batches of any size: they are parsed one after the other, and not kept parsed', async () => {
    const text = `[${'[],'.repeat(100_000)}1]`;
    expect(await answerTo(text, 'gzip', text, 30)).toEqual({ ids: [], message: '' });
  });

  it('do so where they are as many as may be inflated', async () => {
    expect(await answerTo(`[${'[],'.repeat(690_000)}1]`, 'gzip')).toEqual({
      ids: ['bomb'],
      message: expect.stringContaining('values that would take'),
    });
  });
});
