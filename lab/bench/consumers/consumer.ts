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
