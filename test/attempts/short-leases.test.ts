import { heartbeat } from 'batchlatch';
import { describe, expect, it } from '@jest/globals';
import type { RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  dynamoDBStreamEvent,
  eventBridgeEvent,
  kinesisEvent,
  lambdaContext,
  manualClock,
  s3Event,
  snsEvent,
} from 'batchlatch/testing';
import { blockableClock } from '../support/blockable-clock.ts';
import { bench, deferred, failed, forever, messages } from '../batch/bench.ts';
import { turn } from '../batch/on-each-store.ts';

const FIFTEEN_MINUTES_MS = 900_000;
const MINUTE_MS = 60_000;

const event = eventBridgeEvent({ orderId: 1 }, { id: 'e1' });

describe('An event that is delivered directly, whose process crashes two seconds into a function of 15 minutes', () => {
  it('runs at the first retry of Lambda, a minute later', async () => {
    const b = bench();
    const deadClock = manualClock(b.clock.now()); // of a process that does nothing any more
    const started = deferred();
    const crashing = b.processor(
      () => {
        started.resolve();
        return forever();
      },
      { clock: deadClock },
    );
    void crashing(event, lambdaContext({ remainingTimeMs: FIFTEEN_MINUTES_MS, clock: deadClock }));
    await started.promise;
    await deadClock.advance(2_000);
    await b.clock.advance(2_000 + MINUTE_MS);
    let runs = 0;
    const retried = b.processor(() => (runs += 1));
    await retried(event, b.lambda(FIFTEEN_MINUTES_MS));
    expect(runs).toBe(1);
  });

  it('does not run beside its first attempt, however long that takes', async () => {
    const b = bench();
    const end = deferred();
    const started = deferred();
    const first = b.processor(() => {
      started.resolve();
      return end.promise;
    })(event, b.lambda(FIFTEEN_MINUTES_MS));
    await started.promise;
    for (let minute = 1; minute <= 13; minute += 1) {
      await b.clock.advance(MINUTE_MS);
      const second = b.processor(() => expect(true).toBe(false))(event, b.lambda(FIFTEEN_MINUTES_MS));
      await expect(second).rejects.toMatchObject({ code: 'BATCHLATCH_REDELIVER' });
    }
    end.resolve();
    await first;
    expect((await b.claim('e1'))?.status).toBe('COMPLETED');
  });
});

describe('The lease', () => {
  it.each<[string, object, number]>([
    ['an event of EventBridge', event, 45_000],
    ['a notification of SNS', snsEvent([{ message: {} }]), 45_000],
    ['an object of S3', s3Event([{ key: 'a' }]), 45_000],
    ['a record of Kinesis', kinesisEvent([{ body: {} }]), 45_000],
    ['a change of a table', dynamoDBStreamEvent([{ keys: { id: '1' }, newImage: { id: '1' } }]), 45_000],
    ['a message of SQS', messages('a'), FIFTEEN_MINUTES_MS + 1_000],
  ])('of %s is as long as its retries allow', async (_, given, leaseMs) => {
    const b = bench();
    const leases: number[] = [];
    const process = b.processor((_record, { leaseUntil }) => void leases.push(leaseUntil - b.clock.now()));
    await process(given, b.lambda(FIFTEEN_MINUTES_MS));
    expect(leases).toEqual([leaseMs]);
  });

  it('is no longer than the invocation, and as long as is asked for', async () => {
    const b = bench();
    const leases: number[] = [];
    const handler: RecordHandler = (_, { leaseUntil }) => void leases.push(leaseUntil - b.clock.now());
    await b.processor(handler)(event, b.lambda(3_000));
    await b.processor(handler, { leaseMs: 120_000, namespace: 'other' })(event, b.lambda(3_000));
    expect(leases).toEqual([4_000, 120_000]);
  });

  it('is renewed in time where one renewal goes unanswered', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      let renewals = 0;
      return { ...store, extend: (asked) => ((renewals += 1) === 1 ? forever() : store.extend(asked)) };
    });
    const started = deferred<AbortSignal>();
    const end = deferred();
    const answer = b.processor((_, { signal }) => {
      started.resolve(signal);
      return end.promise;
    })(event, b.lambda(FIFTEEN_MINUTES_MS));
    const signal = await started.promise;
    await b.clock.advance(120_000);
    expect(signal.aborted).toBe(false);
    end.resolve();
    await answer;
    expect((await b.claim('e1'))?.status).toBe('COMPLETED');
  });

  it('is renewed after the event loop was busy for longer than it, where nobody took over', async () => {
    const clock = blockableClock();
    const b = bench(() => memoryStore({ clock }));
    const started = deferred<AbortSignal>();
    const end = deferred();
    const answer = b.processor(
      (_, { signal }) => {
        started.resolve(signal);
        return end.promise;
      },
      { clock, leaseMs: 30_000, heartbeat: heartbeat() },
    )(messages('a'));
    const signal = await started.promise;
    clock.block(40_000);
    await turn();
    await turn();
    expect((await b.claim('a'))?.leaseUntil).toBeGreaterThan(clock.now());
    expect(signal.aborted).toBe(false);
    end.resolve();
    expect(failed(await answer)).toEqual([]);
  });

  it('is lost after that where somebody did take over', async () => {
    const clock = blockableClock();
    const b = bench(() => memoryStore({ clock }));
    const started = deferred<AbortSignal>();
    const answer = b.processor(
      (_, { signal }) => {
        started.resolve(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      { clock, leaseMs: 30_000, heartbeat: heartbeat() },
    )(messages('a'));
    await started.promise;
    clock.block(40_000);
    await b.store.acquire([{ key: b.key('a'), owner: 'other', leaseMs: 60_000, retentionMs: 60_000 }]);
    expect(failed(await answer)).toEqual(['a']);
    expect((await b.claim('a'))?.owner).toBe('other');
  });
});
