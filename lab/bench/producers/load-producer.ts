import type { CreateProducer, ProducerName } from './producer.ts';

/** Loaded when it is asked for, so that no library is in a process that measures another. */
export const producers: Readonly<Record<ProducerName, () => Promise<CreateProducer>>> = {
  'batchlatch-send-all': async () => (await import('./batchlatch-sender.ts')).sendAll,
  'batchlatch-send': async () => (await import('./batchlatch-sender.ts')).sendEach,
  'sqs-producer': async () => (await import('./sqs-producer.ts')).createProducer,
  'message-queue-toolkit': async () => (await import('./message-queue-toolkit.ts')).createProducer,
  'bare-sdk': async () => (await import('./bare-sdk.ts')).createProducer,
};
