import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import {
  type BatchRecord,
  eventBridgeEnvelope,
  heartbeat,
  payloadHash,
  PermanentError,
  type RecordHandler,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { bench, deferred, failed, forever } from './bench.ts';

const placed = (id = 'event-1'): ReturnType<typeof eventBridgeEvent<{ orderId: number }>> =>
  eventBridgeEvent({ orderId: 7 }, { id, time: '2026-01-01T00:00:00Z' });

/** What a promise rejects with; fails when it resolves. */
function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It resolved');
    },
    (error: unknown) => error,
  );
}

describe('An event that EventBridge delivers to the function itself', () => {
  it('resolves with nothing when it is done', async () => {
    const b = bench();
    let seen: BatchRecord | undefined;
    const event = placed();
    expect(await b.processor((record) => void (seen = record))(event)).toBeUndefined();
    expect(seen).toMatchObject({
      source: 'eventbridge',
      id: 'event-1',
      body: { orderId: 7 },
      rawBody: '{"orderId":7}',
      receiveCount: 1,
      sentAt: Date.UTC(2026, 0, 1),
      messageGroupId: undefined,
      attributes: { source: 'shop.orders', 'detail-type': 'OrderPlaced' },
    });
    expect(seen?.raw).toBe(event);
    expect(await b.claim('event-1')).toMatchObject({ status: 'COMPLETED' });
  });

  it('resolves with nothing when it was done before, and does not run again', async () => {
    const b = bench();
    let runs = 0;
    const process = b.processor(() => (runs += 1));
    await process(placed());
    expect(await process(placed())).toBeUndefined();
    expect(runs).toBe(1);
  });

  it.each<[string, unknown]>([
    ['an error', new Error('card declined')],
    ['a text', 'card declined'],
    ['a permanent error', new PermanentError('unknown product')],
  ])("rejects with the handler's own: %s", async (_, thrown) => {
    const process = bench().processor(() => Promise.reject(thrown));
    expect(await rejectionOf(process(placed()))).toBe(thrown);
  });

  it('rejects while it is processed elsewhere, and says until when', async () => {
    const b = bench();
    await b.occupy('event-1');
    await expect(b.processor(() => 'done')(placed())).rejects.toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
      message: 'The event is being processed elsewhere until 2026-01-01T00:01:00.000Z',
    });
  });

  it('rejects while it is processed elsewhere until a time that no calendar has', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      acquire: async () => [{ status: 'conflict', leaseUntil: 1e20, attempt: 1 }],
    }));
    await expect(b.processor(() => 'done')(placed())).rejects.toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
      message: 'The event is being processed elsewhere until 100000000000000000000',
    });
  });

  it('rejects with what it was parked for', async () => {
    const b = bench();
    const unknown = Object.assign(new PermanentError('unknown product'), { name: 'UnknownProduct' });
    await b
      .processor(() => Promise.reject(unknown))(placed())
      .catch(() => undefined);
    await expect(b.processor(() => 'done')(placed())).rejects.toMatchObject({
      name: 'UnknownProduct',
      message: 'unknown product',
      code: 'BATCHLATCH_PERMANENT',
    });
  });

  it('rejects when the handler hangs, before the timeout of Lambda', async () => {
    const b = bench();
    const rejection = rejectionOf(b.processor(forever)(placed(), b.lambda(3_000)));
    await b.clock.advance(2_500);
    expect(await rejection).toMatchObject({ code: 'BATCHLATCH_DEADLINE' });
  });

  it('rejects when another attempt has taken over', async () => {
    const b = bench();
    const end = deferred();
    const options = { leaseMs: 1_000, heartbeat: heartbeat({ intervalMs: 60_000 }) };
    const rejection = rejectionOf(b.processor(() => end.promise, options)(placed()));
    await b.clock.advance(1_000);
    await b.occupy('event-1');
    end.resolve();
    expect(await rejection).toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
      message: expect.stringContaining('taken over'),
    });
  });

  it('rejects when its key comes again with another payload', async () => {
    const b = bench();
    const process = b.processor(() => 'done', { payloadValidation: payloadHash({ include: ['orderId'] }) });
    await process(placed());
    await expect(process({ ...placed(), detail: { orderId: 8 } })).rejects.toMatchObject({
      code: 'BATCHLATCH_MISMATCH',
      message: expect.stringContaining('another payload'),
    });
  });

  it('rejects when it has no key', async () => {
    const process = bench().processor(() => 'done', { key: () => '' });
    await expect(process(placed())).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
  });

  it('rejects when its completion cannot be stored', async () => {
    const b = bench();
    const store = { ...b.store, settle: async () => [{ error: new Error('throttled for good') }] };
    const rejection = rejectionOf(b.processor(() => 'done', { store })(placed()));
    await b.clock.advance(1_000);
    expect(await rejection).toMatchObject({
      code: 'BATCHLATCH_COMPLETION_NOT_STORED',
      cause: { message: 'throttled for good' },
    });
  });
});

describe('Events inside SQS messages', () => {
  const process = (handler: RecordHandler): ReturnType<ReturnType<typeof bench>['processor']> =>
    bench().processor(handler, { decode: eventBridgeEnvelope() });
  const wrapped = (...bodies: unknown[]): SQSEvent =>
    sqsEvent(bodies.map((body, index) => ({ messageId: `m${index}`, body })));

  it('are handed to the handler as what they carry, and keyed by their own id', async () => {
    const b = bench();
    let seen: BatchRecord | undefined;
    const handler: RecordHandler = (record) => void (seen = record);
    await b.processor(handler, { decode: eventBridgeEnvelope() })(wrapped(placed()));
    expect(seen).toMatchObject({
      source: 'sqs',
      id: 'm0',
      body: { orderId: 7 },
      envelope: { id: 'event-1', attributes: { 'detail-type': 'OrderPlaced' } },
    });
    expect((await b.claim('event-1'))?.status).toBe('COMPLETED');
    expect(await b.claim('m0')).toBeUndefined();
  });

  it('are one work when a rule delivers one event in two messages', async () => {
    let runs = 0;
    const answer = await process(() => (runs += 1))(wrapped(placed(), placed()));
    expect(failed(answer)).toEqual([]);
    expect(runs).toBe(1);
  });

  it('are one work with the same event delivered directly', async () => {
    const b = bench();
    let runs = 0;
    const processor = b.processor(() => (runs += 1), { decode: eventBridgeEnvelope() });
    await processor(placed());
    expect(failed(await processor(wrapped(placed())))).toEqual([]);
    expect(runs).toBe(1);
  });

  it.each<[string, unknown]>([
    ['a plain order', { orderId: 7 }],
    ['a text', 'an order'],
    ['an event without an id', { ...placed(), id: '' }],
  ])('fail alone when they are none: %s', async (_, body) => {
    const answer = await process(() => 'done')(wrapped(placed(), body));
    expect(failed(answer)).toEqual(['m1']);
  });
});
