import type { Order } from '../producers/producer.ts';
import { producers } from '../producers/load-producer.ts';
import type { SendJob, SendResult } from './jobs.ts';

const kept = new Map<string, (orders: readonly Order[]) => Promise<void>>();

/** Messages that are sent before those that count: the process has slept while the others had their turns. */
const LEAD_IN = 500;

/** Sends messages until all are sent. The first call makes the producer, which is kept. */
export async function runSend({ producer, queueUrl, messages }: SendJob): Promise<SendResult> {
  process.env['AWS_ENDPOINT_URL_SQS'] = new URL(queueUrl).origin; // for clients that look at no URL of a queue
  let send = kept.get(queueUrl);
  if (send === undefined) kept.set(queueUrl, (send = (await producers[producer]())(queueUrl)));
  const orders = Array.from({ length: LEAD_IN + messages }, (_, index): Order => ({
    id: `order-${index}`,
    type: 'OrderPlaced',
    tenantId: `tenant-${index % 50}`,
    text: 'x'.repeat(220),
  }));
  await send(orders.slice(0, LEAD_IN));
  const counted = orders.slice(LEAD_IN);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await send(counted);
  const { user, system } = process.cpuUsage(before);
  return { messages, seconds: (performance.now() - startedAt) / 1_000, cpuMicros: user + system };
}
