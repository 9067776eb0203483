import type { ConsumerName, StartConsumer } from './consumer.ts';

/** What the worker has by default; `sqs-consumer` has one. */
const RECEIVERS = 4;

/** Loaded when it is asked for, so that no library is in a process that measures another. */
export const consumers: Readonly<Record<ConsumerName, () => Promise<StartConsumer>>> = {
  'batchlatch-worker': async () => (await import('./batchlatch-worker.ts')).withoutClaims,
  'batchlatch-worker-claims': async () => (await import('./batchlatch-worker.ts')).withClaims,
  'sqs-consumer': async () => (await import('./sqs-consumer.ts')).oneConsumer,
  'sqs-consumer-four': async () => (await import('./sqs-consumer.ts')).consumersOf(RECEIVERS),
};
