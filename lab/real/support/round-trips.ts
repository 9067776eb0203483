import { type ClaimStore, createBatchProcessor } from 'batchlatch';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Proxy } from '../../../test/support/components/toxiproxy-client.ts';

const LATENCY_MS = 400;
const QUICK_MS = 100;
/** A busy machine makes a batch slower, never faster. */
const MEASURED = 4;

/** How many answers a batch of records that do nothing waits for, one after the other: each of them takes a certain time. */
export async function roundTripsOf(store: ClaimStore, proxy: Proxy, records: number): Promise<number> {
  const process = createBatchProcessor(() => undefined, {
    store,
    concurrency: records,
    observer: { onEvent: () => undefined },
  });
  const deliver = async (): Promise<number> => {
    const event = sqsEvent(Array.from({ length: records }, () => ({ body: '{}' })));
    const startedAt = performance.now();
    const { batchItemFailures } = await process(event, lambdaContext({ remainingTimeMs: 30_000 }));
    if (batchItemFailures.length > 0) throw new Error('A record was handed back');
    return performance.now() - startedAt;
  };
  // The first ones open connections, and meet a server that has just been started.
  for (let count = 1; count <= 20 && (await deliver()) > QUICK_MS;) count += 1;
  await proxy.addToxic({ type: 'latency', attributes: { latency: LATENCY_MS } });
  let fastest = Infinity;
  for (let count = 1; count <= MEASURED; count += 1) fastest = Math.min(fastest, await deliver());
  return Math.floor(fastest / LATENCY_MS);
}
