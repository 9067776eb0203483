import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { message, messages, route, routes } from 'batchlatch/messages';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { z } from 'zod';
import { typed } from './orders.ts';

/** Short names of few characters, so that many are prefixes of others and hold separators. */
const name = fc.string({
  unit: fc.constantFrom('a', 'A', ':', '%', '3', '#', 't', '1'),
  minLength: 1,
  maxLength: 4,
});

describe('keys of routes', () => {
  it('never share a row between two types, and never with keys of before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ type: name, key: name }), { minLength: 1, maxLength: 12 }),
        async (declared, sent) => {
          const [before] = declared;
          const rows = new Map<string, Set<string>>();
          const note = (type: string, key: string, row: string): void => {
            rows.set(row, (rows.get(row) ?? new Set()).add(JSON.stringify([type, key])));
          };
          const handler =
            (type: string) =>
            (record: { readonly body: unknown }, context: { readonly idempotencyKey: string }): void =>
              note(type, (record.body as { k: string }).k, context.idempotencyKey);
          const one = message(z.object({ k: z.string() }), { key: ({ k }) => k });
          const all = messages(Object.fromEntries(declared.map((type) => [type, one])));
          const handlers = Object.fromEntries(
            declared.map((type) => [type, route(handler(type), { keysAsBefore: type === before })]),
          );
          const store = memoryStore();
          const options = {
            store,
            namespace: 'n',
            key: ({ body }: { readonly body: unknown }) => (body as { k: string }).k,
          };
          const processor = createBatchProcessor(
            routes(all, handlers, {
              otherwise: ({ body, attributes }, context) =>
                note(attributes['type'] ?? '', (body as { k: string }).k, context.idempotencyKey),
            }),
            options,
          );
          const { batchItemFailures } = await processor(
            sqsEvent(sent.map(({ type, key }) => typed(type, { k: key }))),
          );
          expect(batchItemFailures).toEqual([]);
          const works = new Set(sent.map(({ type, key }) => JSON.stringify([type, key])));
          expect(rows.size).toBe(works.size);
          for (const sharing of rows.values()) expect(sharing.size).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });
});
