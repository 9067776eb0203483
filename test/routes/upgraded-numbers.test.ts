import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { from, message, messages, routes, type Upgrade } from 'batchlatch/messages';
import { sqsEvent } from 'batchlatch/testing';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import { z } from 'zod';
import { bench, failed } from '../batch/bench.ts';
import { typed } from './orders.ts';

interface Ran {
  readonly failed: readonly string[];
  readonly codes: readonly unknown[];
  readonly bodies: readonly unknown[];
}

/** Runs bodies of version 1, as text, through an upgrade to a version with this schema and key. */
async function run(
  texts: readonly string[],
  schema: StandardSchemaV1,
  key: readonly string[],
  upgrade: Upgrade<never>,
): Promise<Ran> {
  const b = bench();
  const { store, clock } = b;
  const bodies: unknown[] = [];
  const types = messages({ OrderPlaced: message(schema, { key, upgrades: { 1: upgrade } }) });
  const processor = createBatchProcessor(
    routes(types, { OrderPlaced: ({ body }) => void bodies.push(body) }),
    {
      store,
      clock,
      namespace: 'shop',
      observer: { onEvent: (event) => void b.events.push(event) },
    },
  );
  const sent = texts.map((body) => ({ messageId: body, ...typed('OrderPlaced', {}), body }));
  const response = await processor(sqsEvent(sent));
  const codes = b.eventsOf('invalid').map(({ error }) => (error as { readonly code: string }).code);
  return { failed: failed(response), codes, bodies };
}

describe('A number that a double does not hold, in a body that is upgraded', () => {
  it('gives no key where the upgrade turns it into text', async () => {
    const texts = ['{"id":1234567890123456789}', '{"id":9234567890123456789}', '{"id":1e400}', '{"id":17}'];
    // Unlike zod, valibot takes infinite numbers.
    const old = v.object({ id: v.number() });
    const upgrade = from(old, ({ id }) => ({ orderId: String(id) }));
    expect(await run(texts, v.object({ orderId: v.string() }), ['orderId'], upgrade as never)).toEqual({
      failed: texts.slice(0, 3),
      codes: ['BATCHLATCH_KEY', 'BATCHLATCH_KEY', 'BATCHLATCH_KEY'],
      bodies: [{ orderId: '17' }],
    });
  });

  it('does no harm where it is not in the key', async () => {
    const total = z.number().positive();
    const old = z.object({ id: z.string(), at: z.coerce.date<string>(), totals: z.array(total) });
    const now = z.object({ orderId: z.string(), at: z.date(), totals: z.array(total) });
    const upgrade = from(old, ({ id, ...rest }) => ({ ...rest, orderId: id }));
    const text = '{"id":"1","at":"2026-01-01T00:00:00Z","totals":[0.10000000000000001,2]}';
    expect(await run([text], now, ['orderId', 'at'], upgrade as never)).toEqual({
      failed: [],
      codes: [],
      bodies: [{ orderId: '1', at: new Date('2026-01-01T00:00:00Z'), totals: [0.1, 2] }],
    });
  });
});
