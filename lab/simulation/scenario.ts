import type { BatchProcessorOptions } from '../../src/batch/options.ts';

/**
 * Which store the processors run on: the memory store behind a network, or `dynamoDBStore` over a simulated DynamoDB, through a
 * simulated client of AWS's SDK or, as `direct`, through its own transport on simulated connections.
 */
export const modes = ['memory', 'dynamodb', 'direct'] as const;
export type Mode = (typeof modes)[number];

/** How one run is set up. Drawn from the seed alone. All rates are probabilities from 0 to 1. */
export interface Scenario {
  readonly seed: number;
  readonly mode: Mode;
  /**
   * `lambda`: invocations with a time limit, frozen in between. `managed`: with a time limit, never frozen, and
   * several at a time (Lambda Managed Instances). `long-lived`: neither.
   */
  readonly platform: 'lambda' | 'managed' | 'long-lived';
  readonly workers: number;
  /** How many processors a process has, and how many invocations of each it runs at a time. */
  readonly processorsInProcess: number;
  readonly invocationsAtATime: number;
  /** How many completed keys each processor remembers; 0: none. */
  readonly cachedKeys: number;
  /** The most by which two clocks differ. The stores' `clockToleranceMs` is the same. */
  readonly skewMs: number;
  readonly functionTimeoutMs: number;
  readonly batchSize: number;
  /** When faults end. */
  readonly calmAfterMs: number;
  readonly settings: BatchProcessorOptions;
  readonly consumer: Consumer;
  /** Whether the calls of an idempotent function get its first failure again. */
  readonly replaysFailures: boolean;
  /** How `dynamoDBStore` writes. */
  readonly writes: 'batch' | 'single';
  readonly queue: QueueScenario;
  readonly messages: MessageScenario;
  readonly faults: FaultRates;
  readonly handlers: HandlerRates;
}

/** What a batch is given to: a handler of single records, one of many, or an idempotent function, called for each. */
export type Consumer = 'records' | 'batches' | 'calls';

export interface QueueScenario {
  /** `async`: events delivered directly, by Lambda's queue for asynchronous invocations. */
  readonly kind: 'standard' | 'fifo' | 'stream' | 'async';
  /** Whose events those are. */
  readonly service: 'eventbridge' | 'sns';
  /** 0: no message group ids. A standard queue with groups is a fair queue. Of a stream, these are partition keys. */
  readonly groups: number;
  /** Of a stream. */
  readonly shards: number;
  readonly visibilityTimeoutMs: number;
  /** Of a stream: how often a batch may fail before it is left behind. */
  readonly maxReceiveCount: number | undefined;
  /** Whether failed records are made visible at once. */
  readonly returnsAtOnce: boolean;
  /** Whether an operator redrives the dead-letter queue once. */
  readonly redrives: boolean;
}

interface MessageScenario {
  readonly count: number;
  /** How many works they ask for; fewer than messages means that some are sent twice. */
  readonly keys: number;
  readonly spreadMs: number;
  readonly permanentShare: number;
  /** Kill their process whenever they run. */
  readonly poisonShare: number;
  /** Fail whenever they run. */
  readonly failingShare: number;
  /** Go to the first group, beyond those that chance sends there. */
  readonly hotShare: number;
  /** Ask for something else than others of their key do. */
  readonly foreignShare: number;
}

interface FaultRates {
  /** Per delivery to a process, and per request it sends. */
  readonly death: number;
  readonly pause: number;
  /** Per request to the store. */
  readonly requestLost: number;
  readonly answerLost: number;
  readonly refused: number;
  readonly slow: number;
  /** Per item of a request. */
  readonly itemRefused: number;
  /** Per message. */
  readonly deleteLost: number;
  readonly duplicateDelivery: number;
  /** Per request of several items, however often it is sent: it is done, and no answer comes. */
  readonly requestUnheard: number;
  /** Per call to the store or to SQS: nothing ever comes of it. */
  readonly hangs: number;
  /** When all calls hang, in milliseconds since the run began. */
  readonly silence: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** Whether the clients of those calls listen to signals. */
  readonly heedsAbort: boolean;
  /** Per invocation: it begins when its time is over. */
  readonly noTime: number;
  /** Per invocation: it has only a part of the function's time. */
  readonly shortTime: number;
}

interface HandlerRates {
  readonly fails: number;
  readonly slow: number;
  /** Outlasts lease and deadline, and goes on in a later invocation. */
  readonly hangs: number;
  readonly kills: number;
  readonly extends: number;
  /** Commit their effect together with their completion. */
  readonly commits: number;
  /** Work in steps, and look at their signal after each. */
  readonly stepwise: number;
  /** Of those that are told to stop: go on to the end, and say so. */
  readonly finishes: number;
  /** Return as much as a store says that it keeps. */
  readonly longResults: number;
  /** Work for a long part of the function's time. */
  readonly takesMinutes: number;
}
