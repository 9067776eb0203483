import { createHash } from 'node:crypto';
import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { type BatchRecord, payloadHash } from 'batchlatch';
import { MemoryPersistenceLayer } from '../contenders/powertools-memory.ts';
import type { HashJob, HashResult } from './jobs.ts';

/** Each library's key of a payload, and what hashing costs when the order of members is left alone. */
const hashes: Readonly<Record<HashJob['kind'], () => (payload: unknown) => string>> = {
  batchlatch() {
    const keyOf = payloadHash();
    // All that the selector looks at; a whole record would be measured with it.
    return (body) => keyOf({ source: 'sqs', body, rawBody: '' } as BatchRecord);
  },
  powertools() {
    const layer = new MemoryPersistenceLayer();
    layer.configure({ config: new IdempotencyConfig({}) });
    return (payload) => layer.keyOf(payload);
  },
  plain: () => (payload) => createHash('sha256').update(JSON.stringify(payload)).digest('hex'),
};

export async function runHashes({ kind, bytes, repeat }: HashJob): Promise<HashResult> {
  const payload = payloadOf(bytes);
  const kilobytes = JSON.stringify(payload).length / 1_024;
  const hash = hashes[kind]();
  for (let count = 0; count < repeat / 4; count += 1) hash(payload); // warm-up
  const startedAt = performance.now();
  for (let count = 0; count < repeat; count += 1) hash(payload);
  return { microsPerKilobyte: ((performance.now() - startedAt) * 1_000) / repeat / kilobytes };
}

/** An order with as many lines as the size takes, as parsed JSON. */
function payloadOf(bytes: number): unknown {
  const line = { sku: 'sku-0001', name: 'A thing with a name', quantity: 3, cents: 1_999, tags: ['a', 'b'] };
  const lines = Array.from({ length: Math.max(1, Math.round(bytes / JSON.stringify(line).length)) }, () => ({
    ...line,
  }));
  return { orderId: 'order-1', currency: 'EUR', lines };
}
