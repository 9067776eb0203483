import type { StoreAndAdmin } from '../../../../test/support/store-and-admin.ts';
import { type Claim, releaseClaim } from 'batchlatch/operations';
import { type FailedOrders, failedOrders } from '../../../../test/operations/failed-orders.ts';
import { aClaim } from './claims.ts';
import { type ConsoleOfTest, type ConsoleOfTestOptions, openConsole } from './open-console.ts';

/** A console that has something on each of its pages. */
export interface ShopConsole extends ConsoleOfTest {
  /** Two orders of it are parked, with their messages in the dead-letter queue `orders-dlq`. */
  readonly orders: FailedOrders;
}

/** The key of a claim that died, failed, was released by a person and parked again. */
export const MUCH_HAPPENED = 'orders#v1:much-happened';

/** Opens it, on a DynamoDB and an SQS. */
export async function openShop(
  options: Omit<ConsoleOfTestOptions, 'claims' | 'sqs' | 'queues'> & { readonly sqsEndpoint: string },
): Promise<ShopConsole> {
  const { sqsEndpoint, ...rest } = options;
  const opened = await openConsole({ ...rest, claims: claims() });
  const orders = await failedOrders({ endpoint: sqsEndpoint, options: { store: opened.store } });
  await orders.fail('a', 'b');
  await release(opened.store, orders.key('a'));
  await opened.restart({
    sqs: orders.sqs,
    queues: [
      { name: 'orders', url: orders.queueUrl, isDeadLetter: false },
      { name: 'orders-dlq', url: orders.deadLetterUrl, isDeadLetter: true },
    ],
  });
  return Object.defineProperties(opened, {
    orders: { value: orders },
    stop: { value: stopBoth(opened.stop, orders) },
  }) as ShopConsole;
}

function stopBoth(stop: () => Promise<void>, orders: FailedOrders): () => Promise<void> {
  return async () => {
    await stop();
    orders.stop();
  };
}

async function release(store: StoreAndAdmin, key: string): Promise<void> {
  const claim = await store.inspect(key);
  if (claim === undefined) throw new Error(`There is no claim ${key}`);
  await releaseClaim(store, claim, { operator: 'pat@desk', reason: 'fixed in 1.4' });
}

function claims(): Claim[] {
  const now = Date.now();
  const error = { name: 'Declined', message: 'the card was declined', code: 'card_declined' };
  const change = {
    operation: 'release',
    operator: 'ann',
    reason: 'the bank is back',
    at: now - 120_000,
  } as const;
  return [
    ...Array.from({ length: 20 }, (_, index) => aClaim(`orders#v1:done-${index}`, 'completed')),
    ...Array.from({ length: 3 }, (_, index) => aClaim(`orders#v1:runs-${index}`, 'in-progress')),
    ...Array.from({ length: 3 }, (_, index) => aClaim(`orders#v1:hangs-${index}`, 'overdue')),
    aClaim('orders#v1:failed', 'failed'),
    aClaim(MUCH_HAPPENED, 'parked', {
      attempt: 4,
      crashes: 1,
      claimedAt: now - 60_000,
      updatedAt: now - 58_000,
      history: [{ ...change, from: { status: 'PARKED', owner: 'o', attempt: 2, error } }],
    }),
  ];
}
