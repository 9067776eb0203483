import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '../../src/base/clock.ts';
import { blockableClock } from '../support/blockable-clock.ts';
import { advanceUntil } from '../support/advance-until.ts';
import {
  type AcquireOutcome,
  type BatchEvent,
  type BatchProcessor,
  type BatchProcessorOptions,
  type ClaimRequest,
  type ClaimStore,
  type Clock,
  createBatchProcessor,
  messageId,
  PermanentError,
  type RecordHandler,
} from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, lambdaContext, type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import {
  byOthers,
  claimRequest as request,
  completion,
  LEASE_MS,
  RETENTION_MS,
  settlementOf,
} from '../support/claim-builders.ts';
import { type EmulatedTable, emulatedTable } from '../support/emulated-table.ts';
import {
  afterAnswers,
  awsException,
  failCalls,
  failStatements,
  loseAnswers,
  watchRequests,
} from '../support/sdk-traffic.ts';

type Writes = 'batch' | 'single';

for (const writes of ['batch', 'single'] as const) {
  describe(`on dynoxide, ${writes} writes`, () => {
    const table = emulatedTable('dynoxide');
    const aWorld = (): World => world(table, writes);

    describe('late owners', () => {
      it("C1: a late success of an owner whose lease lapsed does not change the next owner's claim", async () => {
        const { machine, clock, key, events, order } = aWorld();
        const late = heldUp('the late result');
        const next = heldUp('the result of the next');
        const lateAnswer = machine(late.handler)(order('1'));
        await late.started;
        await clock.advance(LEASE_MS);
        const nextAnswer = machine(next.handler)(order('1', 2));
        await next.started;
        const rowOfTheNext = await table.rowOf(key('1'));

        late.finish();
        expect(await lateAnswer).toEqual(failures('1'));
        expect(events).toContainEqual(expect.objectContaining({ type: 'leaseLost', effectDone: true }));
        expect(await table.rowOf(key('1'))).toEqual(rowOfTheNext);

        next.finish();
        expect(await nextAnswer).toEqual(failures());
        expect((await table.rowOf(key('1')))?.['result']).toEqual({ S: '"the result of the next"' });
      });

      it('C2: a late failure neither fails nor deletes the claim of the next, and no third runner starts beside the second', async () => {
        const { machine, clock, key, events, order } = aWorld();
        const late = heldUp('never');
        const next = heldUp('done');
        const third = jest.fn<RecordHandler>();
        const lateAnswer = machine(late.handler)(order('1'));
        await late.started;
        await clock.advance(LEASE_MS);
        const nextAnswer = machine(next.handler)(order('1', 2));
        await next.started;
        const rowOfTheNext = await table.rowOf(key('1'));

        late.fail(new Error('too late'));
        expect(await lateAnswer).toEqual(failures('1'));
        expect(events).toContainEqual(expect.objectContaining({ type: 'leaseLost', effectDone: false }));
        expect(await table.rowOf(key('1'))).toEqual(rowOfTheNext);
        expect(await machine(third)(order('1', 3))).toEqual(failures('1'));
        expect(third).not.toHaveBeenCalled();

        next.finish();
        expect(await nextAnswer).toEqual(failures());
      });

      it('C2: a late permanent failure does not park the claim of the next', async () => {
        const { machine, clock, key, order } = aWorld();
        const late = heldUp('never');
        const next = heldUp('done');
        const lateAnswer = machine(late.handler)(order('1'));
        await late.started;
        await clock.advance(LEASE_MS);
        const nextAnswer = machine(next.handler)(order('1', 2));
        await next.started;

        late.fail(new PermanentError('too late'));
        expect(await lateAnswer).toEqual(failures('1'));
        next.finish();
        expect(await nextAnswer).toEqual(failures());
        expect((await table.rowOf(key('1')))?.['status']).toEqual({ S: 'COMPLETED' });
      });

      it('C14: an owner whose event loop was blocked for longer than its lease learns that it lost the claim, and its writes are refused', async () => {
        const { store, key, namespace, events, observer, order } = aWorld();
        const clock = blockableClock();
        const elsewhere = store({ clock });
        let takeover: AcquireOutcome | undefined;
        let reason: unknown;
        let extension: unknown;
        const blocked = createBatchProcessor(
          async (_record, context) => {
            const { signal } = context;
            clock.block(LEASE_MS);
            [takeover] = await elsewhere.acquire([request(key('1'))]);
            reason = signal.reason;
            extension = await context.extendLease(60_000).catch((thrown: unknown) => thrown);
            context.done(); // it has seen the abort
            return 'done, but not alone';
          },
          { store: store({ clock }), namespace, observer, clock },
        );

        expect(await blocked(order('1'))).toEqual(failures('1'));
        expect(takeover).toMatchObject({ status: 'acquired', tookOver: true });
        expect(reason).toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
        expect(extension).toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
        expect(events).toContainEqual(expect.objectContaining({ type: 'leaseLost', effectDone: true }));
        expect((await table.rowOf(key('1')))?.['status']).toEqual({ S: 'IN_PROGRESS' });
      });
    });

    describe('rows and their times', () => {
      it.each(['conflict', 'duplicate', 'parked', 'mismatch'] as const)(
        'C3: a rejected duplicate (%s) never touches the row',
        async (status) => {
          const { store, key, clock } = aWorld();
          const owner = randomUUID();
          const first = request(key('1'), { owner, payloadHash: 'a' });
          await store().acquire([first]);
          if (status === 'duplicate') await store().settle([completion(first)]);
          if (status === 'parked') await store().settle([settlementOf('park', first)]);
          const before = await table.rowOf(key('1'));
          await clock.advance(LEASE_MS - 1);

          for (const isRedelivery of [false, true]) {
            const payloadHash = status === 'mismatch' ? 'b' : 'a';
            const [outcome] = await store().acquire([request(key('1'), { payloadHash, isRedelivery })]);
            expect(outcome).toMatchObject({ status });
          }
          expect(await table.rowOf(key('1'))).toEqual(before);
        },
      );

      it('C4: a lapsed lease is taken over in the same call that finds it', async () => {
        const { store, machine, clock, key, order } = aWorld();
        await store().acquire([request(key('1'))]); // by a process that dies here
        await clock.advance(LEASE_MS);
        const handler = jest.fn<RecordHandler>();
        expect(await machine(handler)(order('1'))).toEqual(failures());
        expect(handler).toHaveBeenCalledTimes(1);
      });

      it('C4: a lease is kept in milliseconds and the TTL in whole seconds, and neither is taken for the other', async () => {
        const { store, clock, key } = aWorld();
        await clock.advance(1);
        await store().acquire([request(key('1'), { leaseMs: 1_500, retentionMs: 10_000 })]);
        const row = await table.rowOf(key('1'));
        expect(row?.['leaseUntil']).toEqual({ N: String(clock.now() + 1_500) });
        expect(row?.['expiresAt']).toEqual({ N: String(Math.ceil((clock.now() + 11_500) / 1_000)) });
        await clock.advance(1_499);
        expect(await store().acquire([request(key('1'))])).toMatchObject([{ status: 'conflict' }]);
        await clock.advance(1);
        expect(await store().acquire([request(key('1'))])).toMatchObject([
          { status: 'acquired', attempt: 2 },
        ]);
      });

      it.each(['extends it', 'completes it'])(
        'C4: a lapsed lease whose owner %s in the last moment is not taken over',
        async (what) => {
          const { store, clock, client, key } = aWorld();
          const late = request(key('1'));
          await store().acquire([late]);
          await clock.advance(LEASE_MS);
          afterAnswers(client, async (operation) => {
            if (operation !== 'BatchGetItem' && operation !== 'GetItem') return;
            if (what === 'extends it') await store().extend([late]);
            else await store().settle([completion(late)]);
          });
          const [outcome] = await store({ client }).acquire([request(key('1'), { isRedelivery: true })]);
          expect(outcome).toMatchObject({ status: what === 'extends it' ? 'conflict' : 'duplicate' });
          expect((await table.rowOf(key('1')))?.['owner']).toEqual({ S: late.owner });
        },
      );

      it('C5: a remaining time that is no number still writes the default lease', async () => {
        const { machine, clock, key, order } = aWorld();
        let row: Awaited<ReturnType<EmulatedTable['rowOf']>>;
        const processor = machine(async () => {
          row = await table.rowOf(key('1'));
        });
        const lambda = lambdaContext({ remainingTimeMs: Number.NaN, clock });
        expect(await processor(order('1'), lambda)).toEqual(failures());
        expect(row?.['leaseUntil']).toEqual({ N: String(clock.now() + LEASE_MS) });
      });

      it.each([0, -5])(
        'M7: a remaining time of %d is a time: nothing is claimed, nothing runs, all comes back',
        async (remainingTimeMs) => {
          const { machine, clock, key, order } = aWorld();
          let runs = 0;
          const processor = machine(async () => void (runs += 1));
          const answer = await processor(order('1'), lambdaContext({ remainingTimeMs, clock }));
          expect(answer?.batchItemFailures).toHaveLength(1);
          expect(runs).toBe(0);
          expect(await table.rowOf(key('1'))).toBeUndefined();
        },
      );

      it('C5: with no Lambda context at all the lease is the default one, neither none nor until the TTL', async () => {
        const { machine, clock, key, order } = aWorld();
        const held = heldUp('done');
        const answer = machine(held.handler)(order('1'));
        await held.started;
        expect((await table.rowOf(key('1')))?.['leaseUntil']).toEqual({ N: String(clock.now() + LEASE_MS) });
        held.finish();
        await answer;
      });

      it.each(['IN_PROGRESS', 'COMPLETED', 'FAILED'] as const)(
        'C9: a row (%s) whose retention is over and which the TTL has not deleted is absent',
        async (status) => {
          const { store, clock, key } = aWorld();
          const first = request(key('1'), { payloadHash: 'of the old life' });
          await store().acquire([first]);
          if (status === 'COMPLETED') await store().settle([completion(first)]);
          if (status === 'FAILED') await store().settle([settlementOf('fail', first)]);
          await clock.advance(LEASE_MS + RETENTION_MS);

          expect((await table.rowOf(key('1')))?.['status']).toEqual({ S: status });
          expect(await store().inspect(key('1'))).toBeUndefined();
          expect(await store().acquire([request(key('1'), { payloadHash: 'of the new' })])).toMatchObject([
            { status: 'acquired', attempt: 1, crashes: 0, tookOver: false },
          ]);
        },
      );
    });

    describe('several operations on one store', () => {
      it('C6: processors with different namespaces or keys on one store do not share claims', async () => {
        const { store, observer, clock, namespace } = aWorld();
        const shared = store();
        const runs: string[] = [];
        const processor = (name: string, options: BatchProcessorOptions): BatchProcessor =>
          createBatchProcessor(() => void runs.push(name), { store: shared, observer, clock, ...options });
        const billing = processor('billing', { namespace: `${namespace}-billing` });
        const mailing = processor('mailing', { namespace: `${namespace}-mailing` });
        const byOrder = processor('by order', {
          namespace: `${namespace}-billing`,
          key: jmesPath('powertools_json(body).orderId'),
        });
        const event = sqsEvent([{ messageId: '1', body: { orderId: 'A' } }]);
        const answers = await Promise.all([billing, mailing, byOrder].map((run) => run(event)));
        expect(answers).toEqual([failures(), failures(), failures()]);
        expect(runs.sort()).toEqual(['billing', 'by order', 'mailing']);
        await Promise.all([billing, mailing, byOrder].map((run) => run(event)));
        expect(runs).toHaveLength(3);
      });

      it('C6: a handler may invoke another processor on the same store, for every record at once', async () => {
        const { store, observer, clock, namespace } = aWorld();
        const shared = store();
        const options = { store: shared, observer, clock, concurrency: 4 };
        const inner = createBatchProcessor(({ id }) => `inner ${id}`, {
          ...options,
          namespace: `${namespace}-in`,
        });
        const outer = createBatchProcessor(
          async ({ id }) => {
            const answer = await inner(sqsEvent([{ messageId: id, body: {} }]));
            expect(answer).toEqual(failures());
            return `outer ${id}`;
          },
          { ...options, namespace: `${namespace}-out` },
        );
        const ids = Array.from({ length: 30 }, (_, index) => `m${index}`);
        const event = sqsEvent(ids.map((messageId) => ({ messageId, body: {} })));
        expect(await advanceUntil(clock, outer(event))).toEqual(failures());
        for (const id of ids) {
          expect(await shared.inspect(`${namespace}-in#v1:${id}`)).toMatchObject({ result: `"inner ${id}"` });
          expect(await shared.inspect(`${namespace}-out#v1:${id}`)).toMatchObject({
            result: `"outer ${id}"`,
          });
        }
      });

      it('C6: a handler that asks for its own key gets a conflict, and its own claim is not disturbed', async () => {
        const { store, machine, key, order } = aWorld();
        let inner: unknown;
        const processor: BatchProcessor = machine(async (_record, { attempt }) => {
          if (inner === undefined) inner = await processor(order('1'));
          return `attempt ${attempt}`;
        });
        expect(await processor(order('1'))).toEqual(failures());
        expect(inner).toEqual(failures('1'));
        expect(await store().inspect(key('1'))).toMatchObject({ status: 'COMPLETED', result: '"attempt 1"' });
      });
    });

    describe('a store in trouble', () => {
      it('C8: a completion that cannot be stored at first is tried again, and the handler is not', async () => {
        const { store, machine, clock, client, key, order } = aWorld();
        failWritesOf('COMPLETED', client, writes, 2);
        const handler = jest.fn<RecordHandler>(() => 'done');
        const answer = machine(handler, { store: store({ client }) })(order('1'));
        expect(await advanceUntil(clock, answer)).toEqual(failures());
        expect(handler).toHaveBeenCalledTimes(1);
        expect((await table.rowOf(key('1')))?.['result']).toEqual({ S: '"done"' });
      });

      it('C8: a completion that cannot be stored makes the record fail, and says that its effect is done', async () => {
        const { store, machine, clock, client, key, events, order } = aWorld();
        failWritesOf('COMPLETED', client, writes, Infinity);
        const answer = machine(() => 'done', { store: store({ client }) })(order('1'));
        expect(await advanceUntil(clock, answer)).toEqual(failures('1'));
        const types = events.map(({ type }) => type);
        expect(types.indexOf('succeeded')).toBeLessThan(types.indexOf('settling'));
        expect(events).toContainEqual(
          expect.objectContaining({
            type: 'settleFailed',
            key: key('1'),
            attempt: 1,
            effectDone: true,
            error: expect.objectContaining({ code: 'BATCHLATCH_STORE', isRetryable: true }),
          }),
        );
        // The claim is kept for its lease, so that nobody starts beside what may still be going on.
        expect((await table.rowOf(key('1')))?.['status']).toEqual({ S: 'IN_PROGRESS' });
      });

      it('C8: an event delivered alone is then rejected with the reason, the trouble of the store as its cause', async () => {
        const { store, machine, clock, client } = aWorld();
        failWritesOf('COMPLETED', client, writes, Infinity);
        const answer = machine(() => 'done', { store: store({ client }) })(eventBridgeEvent({}));
        await expect(advanceUntil(clock, answer)).rejects.toMatchObject({
          code: 'BATCHLATCH_COMPLETION_NOT_STORED',
          cause: { code: 'BATCHLATCH_STORE' },
        });
      });

      it.each([
        ['a passing', new Error('card declined'), 'FAILED'],
        ['a permanent', new PermanentError('card stolen'), 'PARKED'],
      ] as const)(
        'C8: %s business error is never hidden by an error of the store',
        async (_kind, error, status) => {
          const { store, machine, clock, client, events } = aWorld();
          failWritesOf(status, client, writes, Infinity);
          const fails = machine(() => Promise.reject(error), { store: store({ client }) });
          await expect(advanceUntil(clock, fails(eventBridgeEvent({})))).rejects.toBe(error);
          expect(events).toContainEqual(expect.objectContaining({ type: 'failed', error }));
          expect(events).toContainEqual(expect.objectContaining({ type: 'settleFailed', effectDone: false }));
          expect(events.some(({ type }) => type === 'parked')).toBe(false);
        },
      );

      it('C10: a row that vanishes between the refused write and the read is claimed anew', async () => {
        const { store, client, key } = aWorld();
        await store().acquire([request(key('1'))]);
        afterAnswers(client, async (_operation, answer) => {
          if (withoutOldItem(answer)) await table.deleteRow(key('1'));
        });
        expect(await store({ client }).acquire([request(key('1'))])).toMatchObject([
          { status: 'acquired', attempt: 1, tookOver: false },
        ]);
      });

      it('C10: a row that vanishes between the read and the takeover is claimed anew', async () => {
        const { store, clock, client, key } = aWorld();
        await store().acquire([request(key('1'))]);
        await clock.advance(LEASE_MS);
        afterAnswers(client, async (operation) => {
          if (operation === 'BatchGetItem' || operation === 'GetItem') await table.deleteRow(key('1'));
        });
        expect(await store({ client }).acquire([request(key('1'), { isRedelivery: true })])).toMatchObject([
          { status: 'acquired', attempt: 1, tookOver: false },
        ]);
      });

      it('C10: a row that keeps vanishing is given up after a bounded number of requests', async () => {
        const { store, client, key } = aWorld();
        const sent = watchRequests(client);
        failCalls(client, (operation) =>
          operation === 'PutItem' ? awsException('ConditionalCheckFailedException', 'exists') : undefined,
        );
        failStatements(client, ({ Statement = '' }) =>
          Statement.startsWith('INSERT') ? { Code: 'DuplicateItem', Message: 'exists' } : undefined,
        );
        expect(await store({ client }).acquire([request(key('1'))])).toMatchObject([
          { status: 'error', error: { code: 'BATCHLATCH_CONTENDED', isRetryable: true } },
        ]);
        expect(sent.length).toBeLessThanOrEqual(10);
      });

      it('C11: a refused write that brings no old item is looked up, strongly consistent', async () => {
        const { store, client, key } = aWorld();
        const first = request(key('1'));
        await store().acquire([first]);
        await store().settle([completion(first)]);
        afterAnswers(client, async (_operation, answer) => void withoutOldItem(answer));
        const sent = watchRequests(client);
        expect(await store({ client }).acquire([request(key('1'))])).toMatchObject([{ status: 'duplicate' }]);
        expect(await store({ client }).settle([completion(first)])).toEqual(['stored']);
        expect(await store({ client }).settle([completion({ ...first, owner: 'a stranger' })])).toEqual([
          'lost',
        ]);
        const reads = sent.filter(({ operation }) => operation.endsWith('GetItem'));
        expect(reads).toHaveLength(3);
        for (const { input } of reads) expect(JSON.stringify(input)).toContain('"ConsistentRead":true');
      });

      it('C12: an insert whose answer is lost meets itself, and is acquired', async () => {
        const { store, client, key } = aWorld();
        loseAnswers(client, (nth) => nth === 1);
        const sent = watchRequests(client);
        expect(await store({ client }).acquire([request(key('1'), { owner: 'me' })])).toMatchObject([
          { status: 'acquired', attempt: 1 },
        ]);
        expect(sent.length).toBeGreaterThan(1);
        expect((await table.rowOf(key('1')))?.['attempt']).toEqual({ N: '1' });
      });

      it('C12: a takeover whose answer is lost meets itself, and counts once', async () => {
        const { store, clock, client, key } = aWorld();
        await store().acquire([request(key('1'))]);
        await clock.advance(LEASE_MS);
        loseAnswers(client, (nth, operation) => nth === 2 && operation !== 'BatchGetItem'); // the first reads
        const outcomes = await store({ client }).acquire([request(key('1'), { isRedelivery: true })]);
        expect(outcomes).toMatchObject([{ status: 'acquired', attempt: 2, crashes: 1 }]);
        expect((await table.rowOf(key('1')))?.['attempt']).toEqual({ N: '2' });
      });

      it.each(['complete', 'fail', 'park', 'release'] as const)(
        'C12: a settlement (%s) whose answer is lost meets itself, and is stored',
        async (end) => {
          const { store, client, key } = aWorld();
          const first = request(key('1'));
          await store().acquire([first]);
          loseAnswers(client, (nth) => nth === 1);
          const sent = watchRequests(client);
          expect(await store({ client }).settle([settlementOf(end, first)])).toEqual(['stored']);
          expect(sent.length).toBeGreaterThan(1);
          const { releases } = (await store().inspect(key('1'))) ?? {};
          expect(releases).toBe(end === 'release' ? 1 : 0);
        },
      );

      it('C12: an extension whose answer is lost is stored', async () => {
        const { store, clock, client, key } = aWorld();
        const first = request(key('1'));
        await store().acquire([first]);
        await clock.advance(1_000);
        loseAnswers(client, (nth) => nth === 1);
        expect(await store({ client }).extend([first])).toEqual(['stored']);
        expect(await store().inspect(key('1'))).toMatchObject({ leaseUntil: clock.now() + LEASE_MS });
      });

      it('C12: a record of which every first answer is lost runs once, and is acknowledged', async () => {
        const { store, machine, clock, client, order } = aWorld();
        loseAnswers(client, (nth) => nth % 2 === 1);
        const handler = jest.fn<RecordHandler>();
        const answer = machine(handler, { store: store({ client }) })(order('1'));
        expect(await advanceUntil(clock, answer)).toEqual(failures());
        expect(handler).toHaveBeenCalledTimes(1);
      });

      it('C17: an access that the policy refuses names the action, and is not tried again', async () => {
        const { store, client, key } = aWorld();
        const sent = watchRequests(client);
        const action = writes === 'batch' ? 'dynamodb:PartiQLInsert' : 'dynamodb:PutItem';
        const message = `User: arn:aws:sts::123456789012:assumed-role/orders/fn is not authorized to perform: ${action} on resource: arn:aws:dynamodb:us-east-1:123456789012:table/claims because no identity-based policy allows the ${action} action`;
        failCalls(client, (operation) =>
          operation === 'PutItem' ? awsException('AccessDeniedException', message) : undefined,
        );
        failStatements(client, () => ({ Code: 'AccessDenied', Message: message }));
        expect(await store({ client }).acquire([request(key('1'))])).toMatchObject([
          {
            status: 'error',
            error: {
              code: 'BATCHLATCH_ACCESS_DENIED',
              isRetryable: false,
              message: expect.stringContaining(`refuses ${action} on table`),
            },
          },
        ]);
        expect(sent).toHaveLength(0);
      });
    });

    describe('clocks that differ by 30 s', () => {
      it('C15: with a tolerance of 30 s a machine that is ahead leaves a live lease alone, and takes over in the end', async () => {
        const { store, clock, key } = aWorld();
        const ahead = store({ clock: shifted(clock, 30_000), clockToleranceMs: 30_000 });
        await store().acquire([request(key('1'))]);
        await clock.advance(LEASE_MS - 1);
        expect(await ahead.acquire([request(key('1'))])).toMatchObject([{ status: 'conflict' }]);
        await clock.advance(1);
        expect(await ahead.acquire([request(key('1'))])).toMatchObject([
          { status: 'acquired', attempt: 2, tookOver: true },
        ]);
      });

      it('C15: the tolerance also holds where the retention is shorter than it', async () => {
        const { store, clock, key } = aWorld();
        const ahead = store({ clock: shifted(clock, 30_000), clockToleranceMs: 30_000 });
        await store().acquire([request(key('1'), { retentionMs: 1_000 })]);
        await clock.advance(LEASE_MS - 1);
        expect(await ahead.acquire([request(key('1'))])).toMatchObject([{ status: 'conflict' }]);
      });

      it('C15: without a tolerance a machine that is ahead takes over early, and the first owner can then change nothing', async () => {
        const { store, clock, key } = aWorld();
        const ahead = store({ clock: shifted(clock, 30_000) });
        const first = request(key('1'));
        await store().acquire([first]);
        await clock.advance(LEASE_MS - 30_000);
        expect(await ahead.acquire([request(key('1'))])).toMatchObject([
          { status: 'acquired', attempt: 2, tookOver: true },
        ]);
        const before = await table.rowOf(key('1'));
        expect(await store().settle([completion(first)])).toEqual(['lost']);
        expect(await store().extend([first])).toEqual(['lost']);
        expect(await table.rowOf(key('1'))).toEqual(before);
      });

      it('C15: a machine that is behind waits longer, and takes over in the end', async () => {
        const { store, clock, key } = aWorld();
        const behind = store({ clock: shifted(clock, -30_000) });
        await store().acquire([request(key('1'))]);
        await clock.advance(LEASE_MS + 29_999);
        expect(await behind.acquire([request(key('1'))])).toMatchObject([{ status: 'conflict' }]);
        await clock.advance(1);
        expect(await behind.acquire([request(key('1'))])).toMatchObject([{ status: 'acquired', attempt: 2 }]);
      });
    });

    describe('results that cannot be kept', () => {
      it.each([
        ['over 400 KB', () => 'x'.repeat(500 * 1_024)],
        ['over 400 KB in UTF-8, though not in characters', () => '€'.repeat(150 * 1_024)],
        ['a BigInt', () => ({ total: 1n })],
        ['a circle', circle],
        ['a function', () => () => undefined],
        [
          'an object whose toJSON throws',
          () => ({
            toJSON() {
              throw new Error('no');
            },
          }),
        ],
      ])('C16: a result that is %s does not leave its record IN_PROGRESS', async (_kind, result) => {
        const { machine, events, key, order } = aWorld();
        expect(await machine(result)(order('1'))).toEqual(failures());
        const row = await table.rowOf(key('1'));
        expect([row?.['status'], row?.['result']]).toEqual([{ S: 'COMPLETED' }, undefined]);
        expect(events).toContainEqual(expect.objectContaining({ type: 'resultDropped' }));
      });

      it('C16: the longest result that is promised to fit does, for 25 records at once', async () => {
        const { store, machine, clock, namespace } = aWorld();
        const longest = 'x'.repeat((store().maxResultBytes as number) - 2);
        const ids = Array.from({ length: 25 }, (_, index) => `${index}-${'k'.repeat(1_900)}`);
        const event = sqsEvent(ids.map((messageId) => ({ messageId, body: {} })));
        const answer = machine(() => longest, { concurrency: 25 })(event);
        expect(await advanceUntil(clock, answer)).toEqual(failures());
        expect((await store().inspect(`${namespace}#v1:${ids[24]}`))?.result).toHaveLength(
          longest.length + 2,
        );
      });

      it('C16: a result that fits, in a row that does not, is left out: what is done does not run again', async () => {
        const { machine, events, key, order } = aWorld();
        let runs = 0;
        const handler = async (): Promise<string> => {
          runs += 1;
          return 'x'.repeat(349 * 1_024);
        };
        const processor = machine(handler, { payloadValidation: () => 'h'.repeat(60 * 1_024) });
        for (let delivery = 0; delivery < 3; delivery += 1) {
          expect(await processor(order('1'))).toEqual(failures());
        }
        expect(runs).toBe(1);
        const row = await table.rowOf(key('1'));
        expect([row?.['status'], row?.['result']]).toEqual([{ S: 'COMPLETED' }, undefined]);
        expect(events).toContainEqual(
          expect.objectContaining({
            type: 'resultDropped',
            error: expect.objectContaining({ code: 'BATCHLATCH_ITEM_TOO_LARGE' }),
          }),
        );
      });

      it('C16: a row too large for DynamoDB is an error of that claim alone', async () => {
        const { store, key } = aWorld();
        const requests = ['1', '2', '3'].map((name) => request(key(name)));
        await store().acquire(requests);
        const results = ['1', 'x'.repeat(420 * 1_024), '3'];
        const outcomes = await store().settle(requests.map((one, index) => completion(one, results[index])));
        expect(outcomes).toMatchObject([
          'stored',
          { error: { code: 'BATCHLATCH_ITEM_TOO_LARGE', isRetryable: false } },
          'stored',
        ]);
      });
    });
  });
}

describe('on dynoxide, statements that fail inside an answer that succeeds', () => {
  const table = emulatedTable('dynoxide');
  const aWorld = (): World => world(table, 'batch');
  const PASSING = [
    'ThrottlingError',
    'ProvisionedThroughputExceeded',
    'RequestLimitExceeded',
    'TransactionConflict',
    'InternalServerError',
  ] as const;
  const LASTING = [
    ['AccessDenied', 'BATCHLATCH_ACCESS_DENIED'],
    ['ItemCollectionSizeLimitExceeded', 'BATCHLATCH_STORE'],
    ['ValidationError', 'BATCHLATCH_STORE'],
    ['ResourceNotFound', 'BATCHLATCH_TABLE_NOT_FOUND'],
  ] as const;

  it.each(PASSING)('C17: %s is tried again for its item alone, until it is through', async (Code) => {
    const { store, client, key } = aWorld();
    const requests = ['1', '2', '3'].map((name) => request(key(name)));
    const sick = key('2');
    let troubles = 3;
    const sizes = failStatements(client, ({ Parameters = [] }) =>
      Parameters.some(({ S }) => S === sick) && (troubles -= 1) >= 0
        ? { Code, Message: 'slow down' }
        : undefined,
    );
    expect(await store({ client }).acquire(requests)).toMatchObject(
      requests.map(() => ({ status: 'acquired' })),
    );
    expect(sizes).toEqual([3, 1, 1, 1]);
    sizes.length = 0;
    troubles = 3;
    expect(await store({ client }).settle(requests.map((one) => completion(one)))).toEqual([
      'stored',
      'stored',
      'stored',
    ]);
    expect(sizes).toEqual([3, 1, 1, 1]);
    for (const one of requests) expect(await store().inspect(one.key)).toMatchObject({ status: 'COMPLETED' });
  });

  it('C17: a statement that keeps being throttled is given up after 8 sendings, as retryable', async () => {
    const { store, client, key } = aWorld();
    const sizes = failStatements(client, () => ({ Code: 'ThrottlingError', Message: 'slow down' }));
    expect(await store({ client }).acquire([request(key('1'))])).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_STORE', isRetryable: true } },
    ]);
    expect(sizes).toHaveLength(8);
  });

  it.each(LASTING)('C17: %s is the outcome of its item alone, and is not tried again', async (Code, code) => {
    const { store, client, key } = aWorld();
    const requests = ['1', '2', '3'].map((name) => request(key(name)));
    const sick = key('2');
    const sizes = failStatements(client, ({ Parameters = [] }) =>
      Parameters.some(({ S }) => S === sick) ? { Code, Message: 'no' } : undefined,
    );
    const error = { code, isRetryable: false };
    expect(await store({ client }).acquire(requests)).toMatchObject([
      { status: 'acquired' },
      { status: 'error', error },
      { status: 'acquired' },
    ]);
    await store().acquire([requests[1] as ClaimRequest]);
    expect(await store({ client }).settle(requests.map((one) => completion(one)))).toMatchObject([
      'stored',
      { error },
      'stored',
    ]);
    expect(sizes).toEqual([3, 3]);
  });

  it('C17: only the record whose claim cannot be settled is handed back', async () => {
    const { store, machine, clock, client, key } = aWorld();
    const sick = key('2');
    failStatements(client, ({ Parameters = [] }) =>
      Parameters.some(({ S }) => S === sick) && Parameters.some(({ S }) => S === 'COMPLETED')
        ? { Code: 'TransactionConflict', Message: 'busy' }
        : undefined,
    );
    const event = sqsEvent(['1', '2', '3'].map((messageId) => ({ messageId, body: {} })));
    const answer = machine(() => 'done', { store: store({ client }) })(event);
    expect(await advanceUntil(clock, answer)).toEqual(failures('2'));
  });

  it('C17: keys that a read leaves unprocessed are read again, and only they', async () => {
    const { store, client, key } = aWorld();
    const requests = ['1', '2', '3'].map((name) => request(key(name), { isRedelivery: true }));
    await store().acquire(requests);
    const [first, ...unprocessed] = requests.map((one) => ({ id: { S: one.key } }));
    const sent = watchRequests(client);
    afterAnswers(client, async (_operation, answer) => {
      if (sent.length > 2) return;
      // Throttled as DynamoDB is: no error, only less than was asked for.
      answer['Responses'] = { [table.tableName]: [await table.rowOf(first?.id.S as string)] };
      answer['UnprocessedKeys'] = { [table.tableName]: { Keys: unprocessed } };
    });
    const others = byOthers(requests);
    expect(await store({ client }).acquire(others)).toMatchObject(
      requests.map(() => ({ status: 'conflict' })),
    );
    const asked = sent.map(({ operation, input }) => [
      operation,
      JSON.stringify(input).match(/"id":/g)?.length,
    ]);
    expect(asked).toEqual([
      ['BatchGetItem', 3],
      ['BatchGetItem', 2],
      ['BatchGetItem', 2],
    ]);
  });
});

describe('on dynalite, which knows no PartiQL and sends no old item', () => {
  const table = emulatedTable('dynalite');

  it('C11: duplicates, conflicts and takeovers are told apart all the same', async () => {
    const { store, clock, key } = world(table, 'single');
    const [done, busy, dead] = ['done', 'busy', 'dead'].map((name) => request(key(name))) as [
      ClaimRequest,
      ClaimRequest,
      ClaimRequest,
    ];
    await store().acquire([done, busy, { ...dead, leaseMs: 1 }]);
    await store().settle([completion(done)]);
    await clock.advance(1);
    expect(await store().acquire([done, busy, dead].map(({ key }) => request(key)))).toMatchObject([
      { status: 'duplicate' },
      { status: 'conflict' },
      { status: 'acquired', attempt: 2, tookOver: true },
    ]);
  });

  it('C11: a store that was asked for batch writes falls back to single ones, and says so once', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      const { store, machine, clock, client, key } = world(table, 'batch');
      const sent = watchRequests(client);
      const unaware = store({ client });
      const atOnce = ['1', '2', '3'].map((name) => unaware.acquire([request(key(name))]));
      expect((await Promise.all(atOnce)).flat()).toMatchObject(atOnce.map(() => ({ status: 'acquired' })));
      // What was in flight when DynamoDB said so asked in vain too; nothing after it does.
      const asksInVain = ({ operation }: { operation: string }): boolean =>
        operation === 'BatchExecuteStatement';
      expect(sent.splice(0).filter(asksInVain)).toHaveLength(3);

      const event = sqsEvent(
        Array.from({ length: 60 }, (_, index) => ({ messageId: `m${index}`, body: {} })),
      );
      const processor = machine(() => 'done', { store: unaware });
      expect(await advanceUntil(clock, processor(event))).toEqual(failures());
      expect(await advanceUntil(clock, processor(event))).toEqual(failures());
      expect(sent.filter(asksInVain)).toEqual([]);
      expect(emitWarning).toHaveBeenCalledTimes(1);
      expect(emitWarning).toHaveBeenCalledWith(
        expect.stringContaining("writes: 'single'"),
        expect.objectContaining({ code: 'BATCHLATCH_SINGLE_WRITES' }),
      );
    } finally {
      emitWarning.mockRestore();
    }
  });
});

describe('without a store being part of it', () => {
  it('C7: the key is the same on the 1st and the 1,000th call', async () => {
    const store = memoryStore();
    const keys = new Set<string>();
    const processor = createBatchProcessor((_record, { idempotencyKey }) => void keys.add(idempotencyKey), {
      store: forgetful(store),
      key: messageId(),
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent([{ messageId: 'm', body: {} }]);
    const context = lambdaContext({ functionName: 'orders' });
    for (let call = 1; call <= 1_000; call += 1) await processor(event, context);
    expect([...keys]).toEqual(['orders#v1:m']);
  });

  /** Every call meets an empty store, so that every call runs the handler. */
  function forgetful(store: ClaimStore): ClaimStore {
    let life = 0;
    const inThisLife = <Item extends { readonly key: string }>(items: readonly Item[]): Item[] =>
      items.map((item) => ({ ...item, key: `${life} ${item.key}` }));
    return {
      ...store,
      acquire(requests) {
        life += 1;
        return store.acquire(inThisLife(requests));
      },
      settle: (settlements) => store.settle(inThisLife(settlements)),
    };
  }
});

interface World {
  readonly clock: ManualClock;
  readonly namespace: string;
  readonly events: BatchEvent[];
  readonly observer: { onEvent(event: BatchEvent): void };
  /** A client to disturb; only who asks for it uses it. */
  readonly client: DynamoDBClient;
  store(options?: { client?: DynamoDBClient; clock?: Clock; clockToleranceMs?: number }): ClaimStore;
  /** A Lambda environment of its own, on the table that all share. */
  machine(handler: RecordHandler, options?: BatchProcessorOptions): BatchProcessor;
  /** The key that a machine makes of a messageId. */
  key(messageId: string): string;
  order(messageId: string, receiveCount?: number): ReturnType<typeof sqsEvent>;
}

function world(table: EmulatedTable, writes: Writes): World {
  const clock = manualClock();
  const namespace = randomUUID();
  const events: BatchEvent[] = [];
  const observer = { onEvent: (event: BatchEvent) => void events.push(event) };
  const store: World['store'] = (options) =>
    dynamoDBStore({
      client: table.newClient(),
      tableName: table.tableName,
      writes,
      clock: shifted(clock, 0),
      random: () => 0,
      ...options,
    });
  return {
    clock,
    namespace,
    events,
    observer,
    client: table.newClient(),
    store,
    machine: (handler, options) =>
      createBatchProcessor(handler, { store: store(), clock, namespace, observer, ...options }),
    key: (id) => `${namespace}#v1:${id}`,
    order: (id, receiveCount = 1) => sqsEvent([{ messageId: id, body: {}, receiveCount }]),
  };
}

/** Tells another time, waits for no back-off, and bounds the calls of real emulators by the time that really passes. */
function shifted(clock: ManualClock, byMs: number): Clock {
  return {
    now: () => clock.now() + byMs,
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs <= 1_000 ? 0 : delayMs),
  };
}

/** A handler that runs until the test lets it end. */
function heldUp(result: string): {
  readonly handler: RecordHandler;
  readonly started: Promise<void>;
  finish(): void;
  fail(error: Error): void;
} {
  let start: () => void = () => undefined;
  let finish: (value: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const end = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return {
    handler() {
      start();
      return end;
    },
    started,
    finish: () => finish(result),
    fail: (error) => fail(error),
  };
}

function failures(...ids: string[]): { batchItemFailures: { itemIdentifier: string }[] } {
  return { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
}

function circle(): unknown {
  const round: Record<string, unknown> = {};
  round['self'] = round;
  return round;
}

/** Throttles the first `times` writes that would give a row this status. */
function failWritesOf(status: string, client: DynamoDBClient, writes: Writes, times: number): void {
  let left = times;
  const isDue = (input: unknown): boolean =>
    JSON.stringify(input).includes(`{"S":"${status}"}`) && (left -= 1) >= 0;
  if (writes === 'batch') {
    failStatements(client, (statement) =>
      isDue(statement) ? { Code: 'ThrottlingError', Message: 'slow down' } : undefined,
    );
  } else {
    failCalls(client, (_operation, input) =>
      isDue(input) ? awsException('ThrottlingException', 'slow down') : undefined,
    );
  }
}

/** Takes the old item out of an answer that refuses a write; true: it was such an answer. */
function withoutOldItem(answer: Record<string, unknown>): boolean {
  if (answer['name'] === 'ConditionalCheckFailedException') {
    delete answer['Item'];
    return true;
  }
  const responses = (answer['Responses'] ?? []) as unknown;
  if (!Array.isArray(responses)) return false;
  let isRefusal = false;
  for (const response of responses as { Error?: { Code?: string; Item?: unknown }; Item?: unknown }[]) {
    if (response.Error?.Code !== 'DuplicateItem' && response.Error?.Code !== 'ConditionalCheckFailed')
      continue;
    delete response.Item;
    delete response.Error.Item;
    isRefusal = true;
  }
  return isRefusal;
}
