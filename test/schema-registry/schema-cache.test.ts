import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { DecodeError } from 'batchlatch';
import { schemaCache } from '../../src/schema-registry/schema-cache.ts';
import type { SchemaAnswer, SchemaRegistry } from '../../src/schema-registry/schema-registry.ts';

function cacheOf(schemaOf: SchemaRegistry['schemaOf'], compile = ({ schema }: { schema: string }) => schema) {
  const clock = manualClock();
  const asked: string[] = [];
  const registry: SchemaRegistry = {
    framing: 'confluent',
    schemaOf(id, options) {
      asked.push(id);
      return schemaOf(id, options);
    },
  };
  return { clock, asked, get: schemaCache({ registry, timeoutMs: 1_000, compile, clock }) };
}

describe('The cache of schemas', () => {
  it('asks the registry once for all concurrent and later calls', async () => {
    const { asked, get } = cacheOf(async (id) => `schema ${id}`);
    expect(await Promise.all([get('1'), get('1'), get('2')])).toEqual(['schema 1', 'schema 1', 'schema 2']);
    expect(await get('1')).toBe('schema 1');
    expect(asked).toEqual(['1', '2']);
  });

  it.each([
    ['does not have it', () => undefined, true],
    ['throws', () => Promise.reject(new Error('down')), true],
    ['gives what cannot be compiled', () => 'no schema', false],
  ])('repeats the error of a registry that %s for five seconds', async (_, schemaOf, isRetryable) => {
    let answer: () => SchemaAnswer | Promise<SchemaAnswer> = schemaOf;
    const { asked, clock, get } = cacheOf(
      () => answer(),
      ({ schema }) => {
        if (schema === 'no schema') throw new Error('no schema');
        return schema;
      },
    );
    const refused = { name: 'DecodeError', isRetryable };
    await expect(get('1')).rejects.toMatchObject(refused);
    answer = () => 'found';
    await clock.advance(4_999);
    await expect(get('1')).rejects.toMatchObject(refused);
    expect(asked).toEqual(['1']);
    await clock.advance(1);
    expect(await get('1')).toBe('found');
  });

  it('gives a silent registry up after its time, and aborts the request', async () => {
    let signal: AbortSignal | undefined;
    const { clock, get } = cacheOf((_id, options) => {
      ({ signal } = options);
      return new Promise(() => undefined);
    });
    const schema = get('1');
    const outcome = schema.catch((error: unknown) => error);
    await clock.advance(1_000);
    const message = 'The schema 1 did not arrive within 1000 ms (timeoutMs)';
    expect(await outcome).toMatchObject({ message, isRetryable: true });
    expect(signal?.aborted).toBe(true);
  });

  it('keeps known schemas while thousands of unknown ids are asked for', async () => {
    const { asked, get } = cacheOf((id) => (id === 'known' ? 'found' : undefined));
    await get('known');
    for (let id = 0; id < 3_000; id += 1) await expect(get(String(id))).rejects.toBeInstanceOf(DecodeError);
    expect(await get('known')).toBe('found');
    expect(asked.filter((id) => id === 'known')).toHaveLength(1);
  });
});
