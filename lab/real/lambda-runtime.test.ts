import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import type { BatchResponse } from 'batchlatch';
import { eventBridgeEvent } from 'batchlatch/testing';
import type { Order } from '../../examples/orders/order.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { SqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { createOrdersTables, type OrdersTables } from '../../test/support/orders-stack.ts';
import { pollQueue } from '../../test/support/poll-queue.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from '../local/demo/stored-orders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import type { NodeVersion } from '../../test/support/components/node.ts';
import {
  LambdaInvocationError,
  type LambdaRuntime,
  startLambdaRuntime,
} from '../../test/support/components/lambda-runtime.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { bundleFunction } from './support/bundle-function.ts';
import { createQueue, type Queue } from './support/create-queue.ts';
import { type Gate, startGate } from './support/gate.ts';
import { builtFunctions, samCli } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';
import { until } from './support/until.ts';

const needed = [lambdaRuntime, samCli, dynamoDBLocal, elasticMQ];

describeWith(needed, "in AWS's runtime interface emulator with AWS's runtime client", () => {
  let database: LocalService;
  let queues: LocalService;
  let dynamoDB: DynamoDBClient;
  let sqs: SQSClient;
  let folders: { readonly built: string; readonly overrunning: string; readonly exiting: string };
  beforeAll(async () => {
    await lambdaRuntime.install();
    await samCli.install();
    [database, queues] = await Promise.all([startDynamoDBLocal(), startElasticMQ()]);
    dynamoDB = emulatorClient(database.endpoint);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
    folders = {
      built: await builtFunctions(),
      overrunning: await bundleFunction('overrunning'),
      exiting: await bundleFunction('exiting'),
    };
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    dynamoDB.destroy();
    sqs.destroy();
    await Promise.all([database.stop(), queues.stop()]);
  });

  let tables: OrdersTables;
  let gate: Gate;
  let cleanups: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    tables = await createOrdersTables(dynamoDB, randomUUID());
    gate = await startGate();
    cleanups = [() => gate.stop()];
  });
  afterEach(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  // Lambda has no runtime of a newer line.
  describe.each([22, 24] as const)('on Node %i', (node) => {
    it('the bundle of `sam build` starts cold, charges a batch and hands back what failed', async () => {
      const runtime = await start(node, 'OrdersFunction', 'orders-queue.handler');
      const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 5, maxReceiveCount: 2 });
      const orders = Array.from({ length: 9 }, () => anOrder());
      const bad = anOrder({ amountCents: -1 });
      const ids = await send(queue, [...orders, bad]);
      const { invocations } = feed(queue, runtime);
      await untilEmpty(queue);

      expect(await charged()).toEqual(idsOf(orders));
      expect(await readMessageIds(sqs, queue.deadLetterQueueUrl)).toEqual(new Set(ids.slice(9)));
      const failed = { batchItemFailures: [{ itemIdentifier: ids[9] }] };
      expect(invocations.every(({ answer }) => answer !== undefined)).toBe(true);
      expect(invocations.map(({ answer }) => answer)).toContainEqual(failed);
      // The emulator reports the start of the process with the first invocation only.
      await until('the last invocation is reported', () => reports(runtime).length === invocations.length);
      expect(reports(runtime).map((line) => line.includes('Init Duration'))).toEqual(
        invocations.map((_, index) => index === 0),
      );
    });

    it('an event of EventBridge is charged once, and fails the invocation when it cannot be', async () => {
      const runtime = await start(node, 'OrderPlacedFunction', 'order-placed.handler');
      const order = anOrder();
      const event = eventBridgeEvent(order);
      expect(await runtime.invoke(event)).toBeNull();
      expect(await runtime.invoke(event)).toBeNull();
      expect(await charged()).toEqual([order.orderId]);

      const bad = eventBridgeEvent(anOrder({ amountCents: -1 }));
      await expect(runtime.invoke(bad)).rejects.toMatchObject({ errorType: 'PermanentError' });
    });

    it('the answer leaves before the timeout, with all that is done', async () => {
      const runtime = await start(node, 'overrunning');
      const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 60 });
      const quick = [anOrder(), anOrder(), anOrder()];
      const slow = anOrder({ customerId: 'slow' });
      const ids = await send(queue, [...quick, slow]);
      const { invocations } = feed(queue, runtime);
      const first = await until('the batch is answered', () => invocations[0]);

      expect(first.answer).toEqual({ batchItemFailures: [{ itemIdentifier: ids[3] }] });
      expect(first.durationMs).toBeLessThan(timeoutSecondsOf.overrunning * 1_000);
      expect(await charged()).toEqual(idsOf(quick));
      expect(runtime.lastOutput()).not.toContain('Task timed out');
    });

    it('a handler that outlives its invocation stores its end in the next', async () => {
      const runtime = await start(node, 'overrunning', undefined, { LEASE_MS: '20000' });
      const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 1 });
      const slow = anOrder({ customerId: 'slow' });
      await send(queue, [slow]);
      const { invocations } = feed(queue, runtime);
      await until('the batch is answered', () => invocations.length > 0);
      // The process stands still; it learns this when the message's next delivery thaws it.
      gate.open(`${slow.orderId}/1`);
      await untilEmpty(queue);

      expect(invocations.length).toBeGreaterThan(1);
      expect(await charged()).toEqual([slow.orderId]);
      expect(await readClaims(dynamoDB, tables.claims)).toMatchObject([{ status: 'COMPLETED', attempt: 1 }]);
    });

    it('a handler that thaws after its lease changes nothing of the attempt that took over', async () => {
      const frozen = await start(node, 'overrunning');
      // Longer than an invocation, so that the first is the only one.
      const queue = await createQueue(sqs, { visibilityTimeoutSeconds: timeoutSecondsOf.overrunning + 2 });
      const slow = anOrder({ customerId: 'slow' });
      await send(queue, [slow]);
      const first = feed(queue, frozen);
      await until('the batch is answered', () => first.invocations.length > 0);
      await first.mapping.stop();

      feed(queue, await start(node, 'overrunning', undefined, { LEASE_MS: '20000' }));
      // The second attempt takes over and gives the claim back, to run the third after all others, alone.
      await until('another has taken over', () => gate.seen.has(`${slow.orderId}/3`));
      const taken = await readClaims(dynamoDB, tables.claims);
      expect(taken).toMatchObject([{ status: 'IN_PROGRESS', attempt: 3, crashes: 1 }]);

      gate.open(`${slow.orderId}/1`);
      await until('the late handler has tried to store its end', async () => {
        await frozen.invoke({ Records: [] });
        return frozen.lastOutput().includes('"message":"leaseLost"');
      });
      expect(await readClaims(dynamoDB, tables.claims)).toEqual(taken);

      gate.open(`${slow.orderId}/3`);
      await untilEmpty(queue);
      expect(await readClaims(dynamoDB, tables.claims)).toMatchObject([{ status: 'COMPLETED', attempt: 3 }]);
    });

    it('an order whose handler ends the process harms none of its batch, and is parked in the end', async () => {
      const runtime = await start(node, 'exiting');
      const queue = await createQueue(sqs, {
        // Longer than the start of a process and a lease, or the queue would give messages up before they can
        // be taken over. One receive more than that takes: a slow start may use one up.
        visibilityTimeoutSeconds: timeoutSecondsOf.exiting + 4,
        maxReceiveCount: 5,
      });
      const orders = [anOrder(), anOrder({ customerId: 'deadly' }), anOrder(), anOrder()];
      const [, deadlyId] = await send(queue, orders);
      const deadly = orders[1]?.orderId ?? '';
      const { events, invocations } = feed(queue, runtime);
      await until('the deadly order has its turn', () => gate.seen.has(`${deadly}/1`));
      await until(
        'what ran before it is settled',
        async () => {
          const before = events[0]?.Records.findIndex(({ messageId }) => messageId === deadlyId);
          const claims = await readClaims(dynamoDB, tables.claims);
          return claims.filter(({ status }) => status === 'COMPLETED').length === before;
        },
        200_000,
      );
      for (const attempt of [1, 2, 3, 4, 5]) gate.open(`${deadly}/${attempt}`);
      await untilEmpty(queue);

      expect(await charged()).toEqual(idsOf(orders.filter(({ customerId }) => customerId !== 'deadly')));
      expect(await readMessageIds(sqs, queue.deadLetterQueueUrl)).toEqual(new Set([deadlyId]));
      // A start that takes longer than the timeout ends an invocation too, in which no handler ran.
      const ended = invocations.filter(({ error }) => error instanceof LambdaInvocationError);
      expect(ended.length).toBeGreaterThanOrEqual(2);
      expect([...gate.seen].filter((turn) => turn.startsWith(deadly))).toHaveLength(2);
      const claims = await readClaims(dynamoDB, tables.claims);
      expect(claims.find(({ status }) => status === 'PARKED')).toMatchObject({ crashes: 2 });
      expect(claims.map(({ status }) => status).toSorted()).toEqual([
        'COMPLETED',
        'COMPLETED',
        'COMPLETED',
        'PARKED',
      ]);
    });
  });

  /** Starts a function: of the template, with its handler's name, or of `functions/`. */
  async function start(
    node: NodeVersion,
    name: keyof typeof timeoutSecondsOf,
    handler?: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<LambdaRuntime> {
    const isBuilt = name === 'OrdersFunction' || name === 'OrderPlacedFunction';
    const runtime = await startLambdaRuntime({
      node,
      folder: isBuilt ? join(folders.built, name) : folders[name],
      handler: handler ?? `${name}.handler`,
      functionName: name,
      timeoutSeconds: timeoutSecondsOf[name],
      freezes: true,
      environment: {
        CLAIMS_TABLE_NAME: tables.claims,
        CHARGES_TABLE_NAME: tables.charges,
        AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
        GATE_URL: gate.url,
        ...environment,
      },
    });
    cleanups.push(() => runtime.stop());
    // In the emulator the start of the process counts towards the timeout; in Lambda it does not.
    if (name === 'overrunning') await runtime.invoke({ Records: [] });
    return runtime;
  }

  /** Feeds a function from a queue until the test ends, and notes how its invocations ended. */
  function feed(queue: Queue, runtime: LambdaRuntime): Feed {
    const invocations: Invocation[] = [];
    const events: SQSEvent[] = [];
    const mapping = pollQueue({
      sqs,
      ...queue,
      async handler(event) {
        events.push(event);
        const startedAt = performance.now();
        const durationMs = (): number => performance.now() - startedAt;
        try {
          const answer = (await runtime.invoke(event)) as BatchResponse;
          invocations.push({ durationMs: durationMs(), answer });
          return answer;
        } catch (error) {
          invocations.push({ durationMs: durationMs(), error });
          throw error;
        }
      },
    });
    cleanups.push(() => mapping.stop());
    return { mapping, events, invocations };
  }

  function send(queue: Queue, orders: readonly Order[]): Promise<string[]> {
    return sendMessages(
      sqs,
      queue.queueUrl,
      orders.map((order) => ({ body: JSON.stringify(order) })),
    );
  }

  async function untilEmpty({ queueUrl }: Queue): Promise<void> {
    await until('the queue is empty', async () => {
      const { visible, inFlight } = await readDepth(sqs, queueUrl);
      return visible + inFlight === 0;
    });
  }

  /** The order of every charge, one that was charged twice twice. */
  async function charged(): Promise<string[]> {
    return (await readChargedOrders(dynamoDB, tables.charges)).toSorted();
  }
});

/** Short where tests wait for it; a lease lasts a second longer. */
const timeoutSecondsOf = { OrdersFunction: 10, OrderPlacedFunction: 10, overrunning: 3, exiting: 3 } as const;

interface Feed {
  readonly mapping: SqsMapping;
  /** What the function was invoked with. */
  readonly events: readonly SQSEvent[];
  /** Those that have ended. */
  readonly invocations: readonly Invocation[];
}

interface Invocation {
  readonly durationMs: number;
  readonly answer?: BatchResponse;
  readonly error?: unknown;
}

function anOrder(members: Partial<Order> = {}): Order {
  return {
    orderId: `order-${randomUUID()}`,
    customerId: 'customer',
    amountCents: 100,
    currency: 'EUR',
    ...members,
  };
}

function idsOf(orders: readonly Order[]): string[] {
  return orders.map(({ orderId }) => orderId).toSorted();
}

function reports(runtime: LambdaRuntime): string[] {
  return runtime
    .lastOutput()
    .split('\n')
    .filter((line) => line.startsWith('REPORT'));
}
