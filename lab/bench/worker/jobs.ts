import type { ContenderName } from '../contenders/index.ts';
import type { ConsumerName } from '../consumers/consumer.ts';
import type { ProducerName } from '../producers/producer.ts';
import type { Workload } from '../workload.ts';

/** What a worker process can be asked to do, each with what it answers. */
export interface Jobs {
  readonly batches: { readonly ask: BatchesJob; readonly answer: BatchesResult };
  readonly profile: { readonly ask: BatchesJob; readonly answer: ProfileResult };
  readonly memory: { readonly ask: MemoryJob; readonly answer: MemoryResult };
  readonly hashes: { readonly ask: HashJob; readonly answer: HashResult };
  readonly queue: { readonly ask: QueueJob; readonly answer: QueueResult };
  readonly send: { readonly ask: SendJob; readonly answer: SendResult };
}

/** Runs batches of one workload, one after the other. */
export interface BatchesJob {
  readonly contender: ContenderName;
  readonly endpoint: string;
  /** Made by the worker when it does not exist. */
  readonly tableName: string;
  readonly workload: Workload;
  readonly batches: number;
  /** The same seed makes the same events. */
  readonly seed: string;
  /** Only what was delivered before, or only the batches. Default: one after the other. */
  readonly part?: 'before' | 'batches';
  /** Batches in flight at once; a Lambda function has 1, the default. */
  readonly atOnce?: number;
}

export interface BatchesResult {
  readonly records: number;
  /** Wall time of each batch in milliseconds. */
  readonly wallMs: readonly number[];
  /** User and system time of the whole process while the batches ran, in microseconds. */
  readonly cpuMicros: number;
  /** Requests that left for DynamoDB, statements for PostgreSQL, commands for Redis; retries included. */
  readonly requests: number;
}

/** Where the time went, in microseconds a record. */
export interface ProfileResult {
  readonly records: number;
  readonly groups: Readonly<Record<string, number>>;
  /** The functions with the most time of their own. */
  readonly functions: readonly { readonly name: string; readonly micros: number }[];
  /** The whole profile, for a browser's developer tools. */
  readonly raw: string;
}

export interface MemoryJob extends BatchesJob {
  /** How many batches between two samples. */
  readonly every: number;
}

export interface MemoryResult {
  readonly samples: readonly MemorySample[];
  readonly peakRssBytes: number;
}

export interface MemorySample {
  readonly batch: number;
  /** Live objects: after a full collection. */
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export interface HashJob {
  readonly kind: 'batchlatch' | 'powertools' | 'plain';
  /** Size of the payload as JSON. */
  readonly bytes: number;
  readonly repeat: number;
}

export interface HashResult {
  readonly microsPerKilobyte: number;
}

/** Works a queue that is full. */
export interface QueueJob {
  readonly consumer: ConsumerName;
  readonly queueUrl: string;
  /** Of DynamoDB, for claims. */
  readonly endpoint: string;
  readonly tableName: string;
  /** How many are in the queue. */
  readonly messages: number;
  /** How long to work, if it is not empty before. */
  readonly limitMs: number;
}

export interface QueueResult {
  /** Whose handlers have ended. */
  readonly messages: number;
  /** From the start until the last of them. */
  readonly seconds: number;
  /** User and system time of the whole process meanwhile, in microseconds. */
  readonly cpuMicros: number;
}

/** Sends messages to a queue. */
export interface SendJob {
  readonly producer: ProducerName;
  readonly queueUrl: string;
  readonly messages: number;
}

export interface SendResult {
  readonly messages: number;
  /** Until the last is sent. */
  readonly seconds: number;
  /** User and system time of the whole process meanwhile, in microseconds. */
  readonly cpuMicros: number;
}

export type JobName = keyof Jobs;
export interface JobMessage<Name extends JobName = JobName> {
  readonly name: Name;
  readonly ask: Jobs[Name]['ask'];
}
export type AnswerMessage = { readonly answer: unknown } | { readonly error: string };
