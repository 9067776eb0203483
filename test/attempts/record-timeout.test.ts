import { describe, expect, it } from '@jest/globals';
import { PermanentError, type RecordHandler } from 'batchlatch';
import { bench, deferred, failed, forever, ids, messages } from '../batch/bench.ts';

describe('recordTimeoutMs', () => {
  it('tells the handler to stop, with the reason', async () => {
    const b = bench();
    const reasons: unknown[] = [];
    const handler: RecordHandler = (_, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(new Error('stopped'));
        });
      });
    };
    const answer = b.processor(handler, { recordTimeoutMs: 200 })(messages('a'));
    await b.clock.advance(199);
    expect(reasons).toEqual([]);
    await b.clock.advance(1);
    expect(failed(await answer)).toEqual(['a']);
    expect(reasons).toMatchObject([
      { code: 'BATCHLATCH_RECORD_TIMEOUT', message: expect.stringContaining('200 ms') },
    ]);
    expect(b.eventsOf('failed')).toMatchObject([
      { durationMs: 200, error: { code: 'BATCHLATCH_RECORD_TIMEOUT', cause: { message: 'stopped' } } },
    ]);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', error: { name: 'RecordTimeoutError' } });
  });

  it('acknowledges a handler that succeeds within the grace all the same', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.processor(() => end.promise, { recordTimeoutMs: 200 })(messages('a'));
    await b.clock.advance(699);
    end.resolve();
    expect(failed(await answer)).toEqual([]);
  });

  it.each<[string, number | undefined, number]>([
    ['half a second outside Lambda', undefined, 700],
    ["half of the deadline's margin inside", 30_000, 2_200],
  ])('gives up on a handler that hangs after %s', async (_, remainingMs, givesUpAfterMs) => {
    const b = bench();
    const startedAt = b.clock.now();
    let answeredAfterMs: number | undefined;
    const lambda = remainingMs === undefined ? undefined : b.lambda(remainingMs);
    const process = b.processor(forever, { recordTimeoutMs: 200, deadlineMarginMs: 4_000 });
    const answer = process(messages('a'), lambda).finally(() => {
      answeredAfterMs = b.clock.now() - startedAt;
    });
    await b.clock.advance(10_000);
    expect(failed(await answer)).toEqual(['a']);
    expect(answeredAfterMs).toBe(givesUpAfterMs);
    expect(b.eventsOf('abandoned')).toMatchObject([{ error: { code: 'BATCHLATCH_RECORD_TIMEOUT' } }]);
  });

  it('leaves the claim of what hangs to its lease: no other attempt starts beside it', async () => {
    const b = bench();
    const answer = b.processor(forever, { recordTimeoutMs: 200, leaseMs: 5_000 })(messages('a'));
    await b.clock.advance(700);
    await answer;
    expect(await b.run(() => 'second', ['a'])).toEqual(['a']);
    await b.clock.advance(4_300);
    expect(await b.run(() => 'second', ['a'])).toEqual([]);
  });

  it('gives the slot of what hangs to the next', async () => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => (id === 'r0' ? forever() : 'done');
    const answer = b.processor(handler, { recordTimeoutMs: 200, concurrency: 1 })(messages(...ids(3)));
    await b.clock.advance(700);
    expect(failed(await answer)).toEqual(['r0']);
  });

  it('counts from the start of the handler, not from when its record began to wait', async () => {
    const b = bench();
    const handler: RecordHandler = () =>
      new Promise((resolve) => {
        b.clock.setTimer(() => resolve('done'), 150);
      });
    const answer = b.processor(handler, { recordTimeoutMs: 200, concurrency: 1 })(messages(...ids(5)));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual([]);
  });

  it('says nothing about the record: what a handler throws because it was stopped does not park it', async () => {
    const b = bench();
    const handler: RecordHandler = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new PermanentError('cannot go on')));
      });
    const answer = b.processor(handler, { recordTimeoutMs: 200, retryable: () => false })(messages('a'));
    await b.clock.advance(200);
    await answer;
    expect((await b.claim('a'))?.status).toBe('FAILED');
  });

  it('yields to the deadline where that comes first', async () => {
    const b = bench();
    const answer = b.processor(forever, { recordTimeoutMs: 60_000 })(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    expect(failed(await answer)).toEqual(['a']);
    expect(b.eventsOf('abandoned')).toMatchObject([{ error: { code: 'BATCHLATCH_DEADLINE' } }]);
  });
});
