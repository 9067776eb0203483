import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Order } from '../../examples/orders/order.ts';
import { emulatorEnvironment } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { readChargedOrders, readClaims, readDepth } from '../../lab/local/demo/stored-orders.ts';
import { type OrdersStack, sendBodies, startOrdersStack } from '../support/orders-stack.ts';
import type { PollingWorkerMessage, PollingWorkerSetup } from '../support/polling-worker.ts';
import { until } from '../support/until.ts';

const BATCH_SIZE = 10;
const CHARGED_BEFORE_THE_KILL = 4;
const LEASE_MS = 3_000;
const VISIBILITY_TIMEOUT_SECONDS = 2;

const orders = Array.from({ length: 4 * BATCH_SIZE }, (_, index): Order => {
  const number = String(index + 1).padStart(2, '0');
  return { orderId: `order-${number}`, customerId: 'customer', amountCents: 100, currency: 'EUR' };
});
const orderIds = orders.map(({ orderId }) => orderId);

describe('two processes on one queue', () => {
  let stack: OrdersStack;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    stack = await startOrdersStack(VISIBILITY_TIMEOUT_SECONDS);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await stack.stop();
  });

  it('charge every order once, although one of them is killed in the middle of a batch', async () => {
    await sendBodies(stack, orders);

    const doomed = startWorker({ name: 'doomed', chargesAtMost: CHARGED_BEFORE_THE_KILL });
    let held = 0;
    doomed.on('message', ({ holding }: PollingWorkerMessage) => (held = holding));
    await until('the first process has charged some of its batch and runs the others', async () => {
      const completed = await claimsOf('doomed', 'COMPLETED');
      return held === BATCH_SIZE - CHARGED_BEFORE_THE_KILL && completed.length === CHARGED_BEFORE_THE_KILL;
    });
    const completedByDoomed = await claimsOf('doomed', 'COMPLETED');
    const heldByDoomed = await claimsOf('doomed', 'IN_PROGRESS');
    expect(heldByDoomed).toHaveLength(BATCH_SIZE - CHARGED_BEFORE_THE_KILL);

    startWorker({ name: 'survivor' });
    await until(
      'the second process has charged something',
      async () => (await claimsOf('survivor', 'COMPLETED')).length > 0,
    );
    const gone = once(doomed, 'exit');
    doomed.kill('SIGKILL');
    expect(await gone).toEqual([null, 'SIGKILL']);

    await until('the queue is empty', async () => {
      const { visible, inFlight } = await readDepth(stack.sqs, stack.queues.queueUrl);
      return visible + inFlight === 0;
    });
    expect((await readChargedOrders(stack.dynamoDB, stack.tables.charges)).sort()).toEqual(orderIds);
    expect(await readDepth(stack.sqs, stack.queues.deadLetterQueueUrl)).toMatchObject({ visible: 0 });

    const claims = new Map((await allClaims()).map((claim) => [claim.key, claim]));
    expect(claims.size).toBe(orders.length);
    for (const claim of claims.values()) expect(claim.status).toBe('COMPLETED');
    // What was completed before the kill came again, and was not run again.
    for (const { key, owner } of completedByDoomed)
      expect(claims.get(key)).toMatchObject({ attempt: 1, owner });
    // What ran at the kill was taken over.
    for (const { key } of heldByDoomed) {
      expect(claims.get(key)).toMatchObject({ crashes: 1, lockedBy: expect.stringMatching(/^survivor:/) });
    }
  });

  function startWorker(setup: Pick<PollingWorkerSetup, 'name' | 'chargesAtMost'>): ChildProcess {
    const { sqsEndpoint, queues, tables, dynamoDBEndpoint } = stack;
    const argument: PollingWorkerSetup = { ...setup, sqsEndpoint, ...queues, leaseMs: LEASE_MS };
    const child = fork(
      fileURLToPath(new URL('../support/polling-worker.ts', import.meta.url)),
      [JSON.stringify(argument)],
      {
        execArgv: ['--import', 'tsx'],
        env: {
          ...process.env,
          ...emulatorEnvironment,
          AWS_ENDPOINT_URL_DYNAMODB: dynamoDBEndpoint,
          CLAIMS_TABLE_NAME: tables.claims,
          CHARGES_TABLE_NAME: tables.charges,
          BATCHLATCH_LOG_LEVEL: 'silent',
        },
      },
    );
    children.push(child);
    return child;
  }

  const allClaims = () => readClaims(stack.dynamoDB, stack.tables.claims);

  async function claimsOf(worker: string, status: string) {
    const claims = await allClaims();
    return claims.filter((claim) => claim.status === status && claim.lockedBy?.startsWith(`${worker}:`));
  }
});
