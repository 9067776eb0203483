import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { DecodeError } from 'batchlatch';
import { readFrame } from '../../src/schema-registry/framing.ts';

const GLUE_ID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const glue = (version: number, compression: number, payload: Uint8Array) =>
  Buffer.concat([Buffer.from([version, compression]), GLUE_ID, payload]);

describe('A frame', () => {
  it("of Confluent has a schema id of four bytes, AWS Glue's a UUID", async () => {
    const confluent = await readFrame(Buffer.from([0, 255, 255, 255, 254, 1, 2]), 'confluent', 100);
    expect(confluent).toEqual({ schemaId: '4294967294', payload: Buffer.from([1, 2]) });
    const ofGlue = await readFrame(glue(3, 5, deflateSync('ab')), 'glue', 100);
    expect(ofGlue).toEqual({
      schemaId: '00112233-4455-6677-8899-aabbccddeeff',
      payload: Buffer.from('ab'),
    });
  });

  it.each([
    ['empty', 'confluent', Buffer.alloc(0), "has 0 bytes, fewer than the 5 of Confluent's framing"],
    ['short', 'confluent', Buffer.alloc(4), "has 4 bytes, fewer than the 5 of Confluent's framing"],
    ['of JSON', 'confluent', Buffer.from('{"a":1}'), 'starts with the byte 123, not 0'],
    ['short', 'glue', glue(3, 0, Buffer.alloc(0)).subarray(0, 17), 'has 17 bytes, fewer than the 18'],
    ['of another version', 'glue', glue(4, 0, Buffer.alloc(1)), 'starts with the byte 4, not 3'],
    ['of another compression', 'glue', glue(3, 1, Buffer.alloc(1)), 'has the compression 1;'],
    ['of damaged zlib', 'glue', glue(3, 5, Buffer.from('no zlib')), 'is not zlib'],
    [
      'of a zlib bomb',
      'glue',
      glue(3, 5, deflateSync(Buffer.alloc(50_000_000))),
      'inflates to more than 1000000 bytes (maxBytes)',
    ],
  ] as const)('%s (%s) is refused for good', async (_, framing, bytes, message) => {
    const frame = readFrame(bytes, framing, 1_000_000);
    await expect(frame).rejects.toThrow(message);
    await expect(frame).rejects.toMatchObject({ isRetryable: false });
    await expect(frame).rejects.toBeInstanceOf(DecodeError);
  });
});
