import { describe, expect, it } from '@jest/globals';
import type { Clock } from 'batchlatch';
import { type BatchResult, createSender, SendError } from 'batchlatch/sender';
import { manualClock } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { fastClock } from '../support/fast-clock.ts';
import { orders, placed } from './messages.ts';
import {
  type EntryFate,
  type RequestFate,
  scriptedTarget,
  type SentEntry,
  TAKEN,
} from './scripted-target.ts';

const target = scriptedTarget();
const PATIENT = { deadlineMs: 100_000 };

function sender(options: { readonly unordered?: boolean } = {}) {
  return createSender(orders, { queueUrl: target.fifoUrl }, { clock: fastClock(20), ...options });
}

function idOf({ MessageBody }: SentEntry): string {
  return (JSON.parse(MessageBody) as { orderId: string }).orderId;
}

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

/** A client whose requests a test answers. */
function answeredByHand() {
  const requests: { readonly Entries: object[]; answer(result: BatchResult): void }[] = [];
  const client = {
    sendMessageBatch: ({ Entries }: { readonly Entries: object[] }) =>
      new Promise<BatchResult>((answer) => requests.push({ Entries, answer })),
  };
  return { requests, client };
}

describe('a sender to a FIFO queue', () => {
  it('has one message of a group under way at a time', async () => {
    const all = Array.from({ length: 12 }, (_, index) => placed(`o${index}`, `t${index % 3}`));
    expect((await sender().sendAll(all)).sent).toHaveLength(12);
    expect(target.mostOfGroup).toBe(1);
    for (const group of ['t0', 't1', 't2']) {
      const ids = target.taken.filter(({ MessageGroupId }) => MessageGroupId === group).map(idOf);
      expect(ids).toEqual(all.flatMap(({ body }) => (body.tenantId === group ? [body.orderId] : [])));
    }
  });

  it('holds the group of a failed message, and no other', async () => {
    target.script(() => ({ entries: (entry) => (idOf(entry) === 'o1' ? 'refused' : 'taken') }));
    const all = [
      placed('o0'),
      placed('o1'),
      placed('p1', 't2'),
      placed('o2'),
      placed('p2', 't2'),
      placed('o3'),
    ];
    const { sent, failed, unknown } = await sender().sendAll(all, PATIENT);
    expect(sent).toEqual([all[0], all[2], all[4]]);
    expect(unknown).toEqual([]);
    expect(failed.map(({ message, isRetryable }) => [message, isRetryable])).toEqual([
      [all[1], false],
      [all[3], true],
      [all[5], true],
    ]);
    expect(failed[1]?.error.message).toContain(
      'message 2 of the call (OrderPlaced) is before it in its group',
    );
    expect(failed[1]?.error.cause).toBe(failed[0]?.error);
    expect(target.taken.map(idOf)).not.toContain('o2');
  });

  it('ends thousands of messages of a group that can never be sent', async () => {
    const one = sender();
    const [first, ...others] = Array.from({ length: 20_000 }, (_, index) => placed(`o${index}`));
    const sent = one.send('OrderPlaced', (first as ReturnType<typeof placed>).body, PATIENT);
    const delayed = { ...PATIENT, delayMs: 1_000 } as typeof PATIENT;
    const refused = Promise.allSettled(others.map(({ body }) => one.send('OrderPlaced', body, delayed)));
    await sent;
    expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set(['rejected']));
    await one.send('OrderPlaced', placed('last').body, PATIENT);
  });

  it('holds the group of a failed message for its own call only', async () => {
    target.script(() => ({ entries: (entry) => (idOf(entry) === 'o1' ? 'refused' : 'taken') }));
    const one = sender();
    const reports = await Promise.all([
      one.sendAll([placed('o1'), placed('o2')]),
      one.sendAll([placed('p1')]),
    ]);
    expect(reports).toMatchObject([{ failed: [{}, {}] }, { sent: [{ body: { orderId: 'p1' } }] }]);
  });

  it('sends again what was not answered, with its deduplication id', async () => {
    target.script((nth) => (nth === 0 ? 'unanswered' : nth === 1 ? 'lost' : TAKEN));
    const { sent } = await sender().sendAll([placed('o1'), placed('o2')], PATIENT);
    expect(sent).toHaveLength(2);
    expect(target.taken.map(idOf)).toEqual(['o1', 'o2']);
    const ids = target.requests.slice(0, 3).map(([entry]) => entry?.MessageDeduplicationId);
    expect(new Set(ids).size).toBe(1);
  });

  it('sends nothing again after five minutes: the queue would keep the second copy', async () => {
    const clock = fastClock(20);
    target.script((nth) => {
      if (nth === 0) clock.leap(300_000);
      return 'unanswered';
    });
    const slow = createSender(orders, { queueUrl: target.fifoUrl }, { clock });
    const all = [placed('o1'), placed('o2')];
    const report = await slow.sendAll(all, { deadlineMs: 400_000 });
    expect(report).toMatchObject({ unknown: [{ message: all[0] }], failed: [{ message: all[1] }] });
    expect(target.requests).toHaveLength(1);
  });

  it('sends nothing again after a delay that ends later than that', async () => {
    const clock = fastClock(20);
    target.script(() => 'unanswered');
    const late: Clock = {
      now: () => clock.now(),
      setTimer: (callback, delayMs) =>
        clock.setTimer(() => {
          if (target.requests.length === 1) clock.leap(300_000);
          callback();
        }, delayMs),
    };
    const slow = createSender(orders, { queueUrl: target.fifoUrl }, { clock: late });
    const all = [placed('o1'), placed('o2')];
    const report = await slow.sendAll(all, { deadlineMs: 400_000 });
    expect(report).toMatchObject({ unknown: [{ message: all[0] }], failed: [{ message: all[1] }] });
    expect(target.requests).toHaveLength(1);
  });

  it('does not call a message failed that may have arrived before it was refused', async () => {
    target.script((nth) => (nth === 0 ? 'unanswered' : { status: 400, error: 'AccessDenied' }));
    const report = await sender().sendAll([placed('o1')], PATIENT);
    expect(report).toMatchObject({ failed: [], unknown: [{ error: expect.any(SendError) }] });
  });

  it('gives the order up with `unordered`', async () => {
    target.script(() => ({ entries: (entry) => (idOf(entry) === 'o0' ? 'refused' : 'taken') }));
    const all = Array.from({ length: 10 }, (_, index) => placed(`o${index}`));
    expect((await sender({ unordered: true }).sendAll(all)).sent).toHaveLength(9);
    expect(target.requests).toHaveLength(1);
  });

  it('frees a group when its message is given up before another try', async () => {
    const stop = new AbortController();
    target.script((nth) => {
      if (nth > 0) return TAKEN;
      setTimeout(() => stop.abort(), 50); // the answer comes first
      return { status: 400, error: 'RequestThrottled' };
    });
    const clock = manualClock(); // no other try comes
    const one = createSender(orders, { queueUrl: target.fifoUrl }, { clock });
    const reports = await Promise.all([
      one.sendAll([placed('o1')], { signal: stop.signal }),
      one.sendAll([placed('o2')]),
    ]);
    expect(reports).toMatchObject([{ failed: [{ isRetryable: true }] }, { sent: [{}] }]);
  });

  it('sends the next message of a group after the answer to one whose call is over', async () => {
    const { requests, client } = answeredByHand();
    const clock = manualClock();
    const one = createSender(orders, { queueUrl: target.fifoUrl, client }, { clock });
    const stop = new AbortController();
    const first = one.sendAll([placed('o1')], { signal: stop.signal });
    while (requests.length === 0) await turn();
    const next = one.sendAll([placed('o2')]);
    stop.abort();
    expect(await first).toMatchObject({ unknown: [{}] });
    await clock.advance(1_000);
    expect(requests).toHaveLength(1);
    requests[0]?.answer({ Successful: [{ Id: '0' }] });
    while (requests.length === 1) await turn();
    requests[1]?.answer({ Successful: [{ Id: '0' }] });
    expect((await next).sent).toHaveLength(1);
  });

  it('sends nothing of a call that is over, even if others of its groups fill a request', async () => {
    const { requests, client } = answeredByHand();
    const clock = fastClock(1 / 1_000); // messages wait for others for 5 s
    const one = createSender(orders, { queueUrl: target.fifoUrl, client }, { clock });
    const first = one.send('OrderPlaced', placed('o1', 'other').body);
    while (requests.length === 0) await turn();
    const stop = new AbortController();
    const all = Array.from({ length: 18 }, (_, index) => placed(`w${index}`, `t${index % 9}`));
    const waiting = one.sendAll(all, { signal: stop.signal });
    await turn();
    stop.abort();
    expect((await waiting).failed).toHaveLength(18);
    expect(requests).toMatchObject([{ Entries: [{ MessageGroupId: 'other' }] }]);
    requests[0]?.answer({ Successful: [{ Id: '0' }] });
    await first;
  });

  it('keeps order and loses nothing, over random groups, failures and lost answers', async () => {
    const entryFate = fc.constantFrom<EntryFate>(
      'taken',
      'taken',
      'taken',
      'throttled',
      'refused',
      'omitted',
    );
    const fate: fc.Arbitrary<RequestFate> = fc.oneof(
      { weight: 4, arbitrary: fc.constant(TAKEN) },
      {
        weight: 3,
        arbitrary: fc
          .array(entryFate, { minLength: 10, maxLength: 10 })
          .map((fates): RequestFate => ({ entries: ({ Id }) => fates[Number(Id)] ?? 'taken' })),
      },
      { weight: 1, arbitrary: fc.constant<RequestFate>({ status: 400, error: 'RequestThrottled' }) },
      { weight: 1, arbitrary: fc.constant<RequestFate>({ status: 500, error: 'InternalError' }) },
      { weight: 1, arbitrary: fc.constantFrom<RequestFate>('lost', 'unanswered') },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }),
        fc.array(fate, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 500, max: 20_000 }),
        checkCall,
      ),
      { numRuns: 60 },
    );
  });
});

let calls = 0;

/** Sends one message of each group number, in order, while requests end as `fates` say. */
async function checkCall(
  groups: readonly number[],
  fates: readonly RequestFate[],
  deadlineMs: number,
): Promise<void> {
  calls += 1;
  const before = target.taken.length;
  target.script((nth) => fates[nth] ?? TAKEN);
  const all = groups.map((group, index) => placed(`c${calls}-${index}`, `c${calls}-t${group}`));
  const { sent, failed, unknown } = await sender().sendAll(all, { deadlineMs });
  const taken = new Set(target.taken.slice(before).map(idOf));

  const told = [...sent, ...failed.map(({ message }) => message), ...unknown.map(({ message }) => message)];
  expect(told).toHaveLength(all.length);
  expect(new Set(told)).toEqual(new Set(all));
  for (const { body } of sent) expect(taken).toContain(body.orderId);
  for (const { message } of failed) expect(taken).not.toContain(message.body.orderId);
  expect(target.mostOfGroup).toBeLessThanOrEqual(1);
  for (const group of new Set(groups)) {
    const ofGroup = all
      .filter(({ body }) => body.tenantId === `c${calls}-t${group}`)
      .map(({ body }) => body.orderId);
    const arrived = target.taken
      .slice(before)
      .map(idOf)
      .filter((id) => ofGroup.includes(id));
    // The first ones, in order: nothing overtakes what did not arrive.
    expect(arrived).toEqual(ofGroup.slice(0, arrived.length));
  }
}
