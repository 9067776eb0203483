import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { backoff } from 'batchlatch';
import { refusal } from '../../test/support/json-proxy.ts';
import type { SqsCall } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import {
  describeOnQueues,
  FASTER,
  latch,
  VISIBLE_AFTER_MS,
  type WorkerBench,
} from './support/worker-bench.ts';

const HOUR_MS = 3_600_000;
const numbered = (count: number) => Array.from({ length: count }, (_, id) => ({ body: { id } }));

/** The traps of test/traps/worker.test.ts on queues that others have written. */
describeOnQueues('the traps of a worker', (scenario) => {
  scenario(
    'W1: a handler that overruns its time is aborted, and its message runs a second time only when it has ended',
    async (bench) => {
      const hung = latch();
      let running = 0;
      let mostAtOnce = 0;
      let starts = 0;
      let aborted = 0;
      const worker = await bench.start(
        async (_record, { signal }) => {
          mostAtOnce = Math.max(mostAtOnce, (running += 1));
          if ((starts += 1) === 1) {
            signal.addEventListener('abort', () => (aborted += 1));
            await hung.passed;
          }
          running -= 1;
        },
        { processor: { recordTimeoutMs: 100 * FASTER } },
      );
      await bench.send({ body: { id: 1 } });
      await until('it was delivered again', () => worker.counters.received > 1);
      expect({ starts, aborted, running }).toEqual({ starts: 1, aborted: 1, running: 1 });
      hung.open();
      await until('it is done', () => worker.counters.deleted > 0);
      expect({ starts, mostAtOnce }).toEqual({ starts: 2, mostAtOnce: 1 });
    },
  );

  scenario(
    'W2: nothing changes the visibility of a message after its deletion or its back-off',
    async (bench) => {
      await bench.send({ body: { fails: false } }, { body: { fails: true } });
      let failures = 0;
      const worker = await bench.start<{ fails: boolean }>(
        async ({ body }) => {
          await delay(VISIBLE_AFTER_MS * 0.75); // it was kept invisible meanwhile
          if (body.fails && (failures += 1) === 1) throw new Error('not yet');
        },
        {
          processor: {
            visibility: backoff({ baseDelayMs: 20_000 }),
            sqs: bench.client,
            queueUrl: bench.proxy.through(bench.queue.queueUrl),
          },
        },
      );
      await until('both are done', () => worker.counters.deleted === 2);
      const handles = new Map<string, string[]>();
      for (const { operation, input } of bench.proxy.calls) {
        for (const { ReceiptHandle, VisibilityTimeout } of input.Entries ?? []) {
          const what =
            operation === 'DeleteMessageBatch'
              ? 'deleted'
              : VisibilityTimeout === 60
                ? 'renewed'
                : 'backed off';
          handles.set(ReceiptHandle, [...(handles.get(ReceiptHandle) ?? []), what]);
        }
      }
      const histories = [...handles.values()].map((each) =>
        each
          .join(' ')
          .replace(/(renewed ?)+/, 'renewed ')
          .replace(/(backed off ?)+$/, 'backed off') // first as the queue says, then as the policy does
          .trim(),
      );
      expect(histories.toSorted()).toEqual(['renewed backed off', 'renewed deleted', 'renewed deleted']);
    },
  );

  scenario('W2: renewals that fail end no handler, and are no unhandled rejections', async (bench) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    bench.interpose((call, ask) => {
      if (call.operation === 'ChangeMessageVisibilityBatch') throw refusal('InternalError', 500);
      return ask();
    });
    await bench.send({ body: { id: 1 } });
    const worker = await bench.start(() => delay(VISIBLE_AFTER_MS * 0.9));
    await until('it is deleted', () => worker.counters.deleted > 0);
    process.off('unhandledRejection', note);
    expect(callsOf(bench, 'ChangeMessageVisibilityBatch').length).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
  });

  scenario(
    'W3: no renewal reaches beyond 12 hours, and then there is none any more',
    async (bench) => {
      const held = latch();
      await bench.send({ body: { id: 1 } });
      const lost: string[] = [];
      const goOn = bench.clock.hold(); // so that no pause of the machine counts
      const worker = await bench.start(() => held.passed, { processor: { leaseMs: 48 * HOUR_MS } });
      worker.on('visibilityLost', ({ messageId }) => lost.push(messageId));
      await until('it runs', () => worker.running === 1);
      /** In seconds, of this receive: when it is received once more, it has 12 hours once more. */
      const renewals = (): number[] => {
        const entries = callsOf(bench, 'ChangeMessageVisibilityBatch').flatMap(
          ({ input }) => input.Entries ?? [],
        );
        return entries
          .filter(({ ReceiptHandle }) => ReceiptHandle === entries[0]?.ReceiptHandle)
          .map(({ VisibilityTimeout = 0 }) => VisibilityTimeout);
      };
      bench.clock.leap(70_000);
      await until('it was renewed', () => renewals().length > 0);
      bench.clock.leap(12 * HOUR_MS - 140_000);
      await until('it was renewed for what is left', () => renewals().some((seconds) => seconds < 120));
      expect(new Set(renewals())).toEqual(new Set([120, 60]));
      goOn();
      // The worker notices it at its next check, or at the next receive, if that comes first.
      await until('it is not renewed any more', () => lost.length > 0 || worker.counters.received > 1);
      const all = renewals().length;
      await delay(VISIBLE_AFTER_MS);
      expect(renewals()).toHaveLength(all);
      held.open();
    },
    { visibilityTimeoutSeconds: 120 },
  );

  scenario('W4: one slow message holds up neither the others nor the next receives', async (bench) => {
    const held = latch();
    await bench.send({ body: { slow: true } }, ...numbered(60));
    const worker = await bench.start<{ slow?: boolean }>(
      ({ body }) => (body.slow === true ? held.passed : undefined),
      { maxInFlight: 2 },
    );
    await until('the others are deleted', () => worker.counters.deleted === 60);
    expect(worker.running).toBe(1);
    held.open();
    await until('it is deleted too', () => worker.counters.deleted === 61);
  });

  scenario(
    'W5: stop() receives nothing more, hands back what has not started, and deletes what is done',
    async (bench) => {
      const held = latch();
      await bench.send(...numbered(10));
      const worker = await bench.start(() => held.passed, {
        maxInFlight: 3,
        shutdownTimeoutMs: 60_000 * FASTER,
      });
      await until('it has messages ahead', () => worker.running === 3 && worker.waiting > 0);
      const ahead = worker.waiting;
      const receives = callsOf(bench, 'ReceiveMessage').length;
      const stopped = worker.stop();
      await until('they are handed back', () => worker.counters.handedBack === ahead);
      await until('others can receive them', async () => (await bench.visible()).length > 0);
      held.open();
      await stopped;
      expect(callsOf(bench, 'ReceiveMessage')).toHaveLength(receives);
      expect(worker.counters).toMatchObject({ received: 3 + ahead, acknowledged: 3, deleted: 3 });
      await until('what was not done is all there is', async () => (await bench.depth()) === 7);
    },
  );

  scenario('W5: stop() resolves at its limit, and what still ran comes again', async (bench) => {
    const attempts: number[] = [];
    await bench.send({ body: { id: 1 } });
    const worker = await bench.start(async (_record, { attempt, signal }) => {
      attempts.push(attempt);
      await delay(60_000, undefined, { signal });
    });
    await until('it runs', () => attempts.length === 1);
    const startedAt = Date.now();
    await worker.stop();
    expect(Date.now() - startedAt).toBeLessThan(20_000); // the limit is 1 s, the handler takes 60 s
    await until('another can receive it', async () => (await bench.visible()).length === 1);
  });

  scenario(
    'W6: network errors, throttling and expired credentials are waited out, and told',
    async (bench) => {
      const faults = [
        () => new Error('the connection breaks'),
        () => refusal('ThrottlingException'),
        () => refusal('ExpiredToken', 403),
      ];
      let refusals = 0;
      bench.interpose((call, ask) => {
        const fault = faults[Math.floor(refusals / 6)];
        if (call.operation !== 'ReceiveMessage' || fault === undefined) return ask();
        refusals += 1;
        throw fault();
      });
      const told: { readonly name: string; readonly nextInMs: number }[] = [];
      await bench.send({ body: { id: 1 } });
      const worker = await bench.start(() => undefined, { health: { port: 0 } });
      worker.on('receiveFailed', ({ error, nextInMs }) => told.push({ name: error.name, nextInMs }));
      await until('it is done', () => worker.counters.deleted === 1);
      expect(worker.counters.receiveErrors).toBe(told.length);
      expect(told.length).toBeGreaterThanOrEqual(6);
      expect(told.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['ExpiredToken', 'ThrottlingException']),
      );
      told.forEach(({ nextInMs }, index) => expect(nextInMs).toBeLessThanOrEqual(200 * 2 ** index));
    },
  );

  scenario('W7: what SQS did not delete is deleted again, ten at a time', async (bench) => {
    let isFirst = true;
    bench.interpose(async (call, ask) => {
      if (call.operation !== 'DeleteMessageBatch' || !isFirst) return ask();
      isFirst = false;
      const [refused, ...Entries] = call.input.Entries ?? [];
      const answer = Entries.length === 0 ? {} : await ask({ ...call.input, Entries });
      return { ...answer, Failed: [{ Id: refused?.Id ?? '', Code: 'InternalError', SenderFault: false }] };
    });
    await bench.send(...numbered(24));
    const failed: unknown[] = [];
    const worker = await bench.start(() => undefined);
    worker.on('deleteFailed', (failure) => failed.push(failure));
    await until('all are deleted', async () => worker.counters.deleted >= 24 && (await bench.depth()) === 0);
    expect(failed).toEqual([]);
    const sizes = callsOf(bench, 'DeleteMessageBatch').map(({ input }) => input.Entries?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
  });

  scenario('W7: what cannot be deleted is told of, comes again, and does not run again', async (bench) => {
    let refusals = 0;
    bench.interpose((call, ask) => {
      if (call.operation !== 'DeleteMessageBatch' || refusals === 4) return ask();
      refusals += 1;
      const Failed = (call.input.Entries ?? []).map(({ Id }) => ({
        Id,
        Code: 'InternalError',
        SenderFault: false,
      }));
      return Promise.resolve({ Failed });
    });
    await bench.send({ body: { id: 1 } });
    let runs = 0;
    const failed: string[] = [];
    const worker = await bench.start(() => void (runs += 1));
    worker.on('deleteFailed', ({ messageId }) => failed.push(messageId));
    await until('it is deleted', () => worker.counters.deleted === 1);
    expect({ runs, told: failed.length, left: await bench.depth() }).toEqual({ runs: 1, told: 1, left: 0 });
  });

  scenario(
    'W8: what runs and what waits for a slot is invisible for longer than the queue would hide it',
    async (bench) => {
      const held = latch();
      const receives: (string | undefined)[] = [];
      await bench.send(...numbered(2));
      const worker = await bench.start(
        (record) => {
          receives.push(record.receiveCount?.toString());
          return held.passed;
        },
        { maxInFlight: 1 },
      );
      await until('one runs and one waits', () => worker.running === 1 && worker.waiting === 1);
      const endsAt = Date.now() + 2.5 * VISIBLE_AFTER_MS;
      while (Date.now() < endsAt) {
        expect(await bench.visible()).toEqual([]);
        await delay(100);
      }
      held.open();
      await until('both are deleted', () => worker.counters.deleted === 2);
      expect(receives).toEqual(['1', '1']);
    },
    { visibilityTimeoutSeconds: 60 }, // a busy machine may pause for 2 s
  );

  scenario(
    'W9: slots are free again after empty receives, failed ones, and handlers that throw or answer nonsense',
    async (bench) => {
      const answers: unknown[] = [
        new Error('thrown'),
        { batchItemFailures: 'nonsense' },
        { batchItemFailures: [{}] },
      ];
      let failures = 0;
      bench.interpose((call, ask) => {
        if (call.operation === 'ReceiveMessage' && (failures += 1) % 4 === 1)
          throw refusal('InternalError', 500);
        return ask();
      });
      const worker = await bench.start(() => undefined, {
        maxInFlight: 1,
        handler: async () => {
          const answer = answers.shift();
          if (answer instanceof Error) throw answer;
          return answer;
        },
      });
      await until('a receive was empty', () => callsOf(bench, 'ReceiveMessage').length > 2);
      await bench.send(...numbered(4));
      await until('all are deleted', () => worker.counters.deleted === 4);
      expect(worker.counters).toMatchObject({ acknowledged: 4, failed: 3 });
      expect(worker.running + worker.waiting).toBe(0);
    },
  );
});

function callsOf({ proxy }: WorkerBench, operation: string): readonly SqsCall[] {
  return proxy.calls.filter((call) => call.operation === operation);
}
