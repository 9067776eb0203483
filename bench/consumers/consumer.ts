/** What works a queue, in the benchmark of the worker. */
export type ConsumerName =
  | 'batchlatch-worker'
  | 'batchlatch-worker-claims'
  | 'sqs-consumer'
  | 'sqs-consumer-four';

export interface ConsumerSetup {
  readonly queueUrl: string;
  /** Where claims are kept. */
  readonly tableName: string;
  /** The work for each message. */
  readonly work: (body: string) => Promise<void>;
}

/** Begins to work the queue, and gives what ends it. */
export type StartConsumer = (setup: ConsumerSetup) => Promise<() => Promise<void>>;

/** In the order in which they are shown. */
export const CONSUMERS: readonly ConsumerName[] = [
  'batchlatch-worker',
  'batchlatch-worker-claims',
  'sqs-consumer',
  'sqs-consumer-four',
];

/** What the messages of a queue ask for. */
export interface QueueWork {
  readonly handlerMs: number;
  /** One message in twenty takes a second. */
  readonly hasSlow: boolean;
}

/** What the worker has by default; `sqs-consumer` has one. */
const RECEIVERS = 4;

/** Loaded when it is asked for, so that no library is in a process that measures another. */
export const consumers: Readonly<Record<ConsumerName, () => Promise<StartConsumer>>> = {
  'batchlatch-worker': async () => (await import('./batchlatch-worker.ts')).withoutClaims,
  'batchlatch-worker-claims': async () => (await import('./batchlatch-worker.ts')).withClaims,
  'sqs-consumer': async () => (await import('./sqs-consumer.ts')).oneConsumer,
  'sqs-consumer-four': async () => (await import('./sqs-consumer.ts')).consumersOf(RECEIVERS),
};
