import { describe, expect, it } from '@jest/globals';
import { type BatchProcessorOptions, payloadHash, PermanentError, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type SqsMessage, sqsEvent } from 'batchlatch/testing';
import { type Bench, bench, failed, forever } from './bench.ts';

/** Messages `m0`, `m1`, … with these bodies; records with equal bodies are equal work. */
const byBody: BatchProcessorOptions = { key: ({ rawBody }) => rawBody };
const bodies = (...texts: string[]): ReturnType<typeof sqsEvent> =>
  sqsEvent(texts.map((body, index): SqsMessage => ({ messageId: `m${index}`, body })));

/** A bench that counts how many claims the store is asked for. */
function counting(): Bench & { readonly requested: string[][] } {
  const requested: string[][] = [];
  const b = bench((clock) => {
    const store = memoryStore({ clock });
    return {
      ...store,
      acquire(requests) {
        requested.push(requests.map(({ key }) => key));
        return store.acquire(requests);
      },
    };
  });
  return Object.assign(b, { requested });
}

describe('Equal records in one batch', () => {
  it('are run once and acknowledged together', async () => {
    const b = counting();
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), byBody);
    expect(failed(await process(bodies('X', 'Y', 'X', 'X')))).toEqual([]);
    expect(runs).toEqual(['m0', 'm1']);
    expect(b.requested).toEqual([[b.key('X'), b.key('Y')]]);
    expect(b.eventsOf('duplicate')).toEqual([
      { type: 'duplicate', recordId: 'm2', key: b.key('X'), within: 'batch' },
      { type: 'duplicate', recordId: 'm3', key: b.key('X'), within: 'batch' },
    ]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { completed: 2, duplicate: 2 } }]);
  });

  it.each([
    ['fails', new Error('declined'), 'failed'],
    ['fails for good', new PermanentError('unknown product'), 'parked'],
  ])('are handed back together when the one that runs %s', async (_, error, outcome) => {
    const b = bench();
    let runs = 0;
    const process = b.processor(() => {
      runs += 1;
      throw error;
    }, byBody);
    expect(failed(await process(bodies('X', 'X', 'X')))).toEqual(['m0', 'm1', 'm2']);
    expect(runs).toBe(1);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { [outcome]: 3 } }]);
    expect((await b.claim('X'))?.attempt).toBe(1);
  });

  it('are handed back together when their key is claimed elsewhere', async () => {
    const b = bench();
    await b.occupy('X');
    const process = b.processor(() => 'done', byBody);
    expect(failed(await process(bodies('X', 'Y', 'X')))).toEqual(['m0', 'm2']);
  });

  it('are acknowledged together when their key was completed before', async () => {
    const b = bench();
    const process = b.processor(() => 'done', byBody);
    await process(bodies('X'));
    expect(failed(await process(bodies('X', 'X')))).toEqual([]);
    expect(b.eventsOf('duplicate').map(({ within }) => within)).toEqual(['store', 'batch']);
  });

  it('are handed back together when the one that runs hangs', async () => {
    const b = bench();
    const process = b.processor(({ body }) => (body === 'X' ? forever() : 'done'), byBody);
    const answer = process(bodies('X', 'X', 'Y'), b.lambda(3_000));
    await b.clock.advance(2_500);
    expect(failed(await answer)).toEqual(['m0', 'm1']);
  });

  it('wait together for the turn of what died', async () => {
    const b = bench();
    await b.die('X');
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), byBody);
    expect(failed(await process(bodies('X', 'X', 'Y')))).toEqual([]);
    expect(runs).toEqual(['m2', 'm0']);
  });

  it('take no slot while they wait for the one that runs', async () => {
    const b = bench();
    const process = b.processor(() => Promise.resolve('done'), { ...byBody, concurrency: 1 });
    const event = bodies(...Array.from({ length: 50 }, () => 'X'), 'Y', 'Z');
    expect(failed(await process(event))).toEqual([]);
  });

  it('are equal by what they were before any handler touched them', async () => {
    const b = bench();
    let runs = 0;
    const handler: RecordHandler = ({ body }) => {
      runs += 1;
      Object.assign(body as object, { orderId: 'changed' });
    };
    const process = b.processor(handler, { key: payloadHash() });
    expect(failed(await process(bodies('{"orderId":1}', '{ "orderId": 1.0 }')))).toEqual([]);
    expect(failed(await process(bodies('{"orderId":1}')))).toEqual([]);
    expect(runs).toBe(1);
  });

  it('are not equal in two namespaces', async () => {
    const b = bench();
    const namespace: BatchProcessorOptions['namespace'] = ({ messageGroupId }) => messageGroupId ?? '?';
    const event = sqsEvent(
      ['tenant-1', 'tenant-2'].map((messageGroupId) => ({
        messageId: messageGroupId,
        body: 'X',
        messageGroupId,
      })),
    );
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), { ...byBody, namespace });
    expect(failed(await process(event))).toEqual([]);
    expect(runs).toEqual(['tenant-1', 'tenant-2']);
  });
});
