import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { asyncProperty, assert, array, integer, string } from 'fast-check';
import { readLines } from '../../src/cli/lines/read-lines.ts';
import type { Line } from '../../src/sending/line-body.ts';

async function linesOf(chunks: Iterable<string | Uint8Array>, maxBytes = 1_000): Promise<Line[]> {
  const all: Line[] = [];
  for await (const { lines } of readLines(Readable.from(chunks), maxBytes)) all.push(...lines);
  return all;
}

describe('The lines of a source', () => {
  it('are the same however it is cut into chunks', async () => {
    const texts = array(string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 20 });
    await assert(
      asyncProperty(texts, integer({ min: 1, max: 9 }), async (some, size) => {
        const text = some.join('\n');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const expected = text
          .split('\n')
          .map((line, index) => ({ number: index + 1, text: line.replace(/\r$/, '').replace(/^\uFEFF/, '') }))
          .filter((line) => line.text.trim() !== '');
        expect(await linesOf(chunks)).toEqual(expected);
      }),
    );
  });

  it('are told to be too long, and take no memory', async () => {
    const lines = await linesOf([...Array.from({ length: 50 }, () => 'x'.repeat(100)), '\nshort\n'], 1_000);
    expect(lines).toEqual([
      { number: 1, text: '', problem: 'is longer than 1,000 bytes' },
      { number: 2, text: 'short' },
    ]);
    expect(await linesOf([`${'x'.repeat(1_000)}\r\n${'x'.repeat(1_001)}`])).toMatchObject([
      { text: 'x'.repeat(1_000) },
      { problem: 'is longer than 1,000 bytes' },
    ]);
  });

  it('are told not to be UTF-8', async () => {
    expect(await linesOf([new Uint8Array([0xff, 0x0a, 0x61])])).toEqual([
      { number: 1, text: '', problem: 'is not UTF-8' },
      { number: 2, text: 'a' },
    ]);
  });
});
