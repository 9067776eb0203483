import type { RunsTogether } from '../attempts/handler-run.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import type { RenewalOptions } from '../attempts/scope.ts';
import type { SourceEntry } from '../sources/source.ts';
import type { Claiming } from './claiming.ts';
import type { ClaimAnswer, Entry } from './entry.ts';
import type { RecordOutcome } from './outcomes.ts';
import type { RecordHandler } from './record-handler.ts';
import type { Runnable } from './runnable.ts';
import type { BatchScope } from './scope.ts';

/** The options that take a policy. */
type PolicyOption =
  | 'reading'
  | 'schema'
  | 'visibility'
  | 'deadLetter'
  | 'heartbeat'
  | 'onConflict'
  | 'onStoreError';

/**
 * What is done around the records of a batch beside claiming, running and settling them. A policy is a value, made by a
 * function that checks its own options; the engine knows these hooks and no policy by name.
 *
 * @typeParam Option The option that it is a value of.
 */
export interface Policy<Option extends PolicyOption = PolicyOption> {
  /** The option that it is a value of. */
  readonly option: Option;
  /** It speaks to the queue, and needs the option `sqs`. */
  readonly needsSqs?: true;
  /**
   * How leases are renewed while handlers run. Default: for sources that deliver again soon.
   *
   * @internal
   */
  readonly renewal?: RenewalOptions;
  /**
   * Reads the records of an event in an order of its own; undefined: it does not, with these records.
   *
   * @internal
   */
  read?(reading: BatchReading, scope: BatchScope): Promise<Entry[]> | undefined;
  /**
   * Another owner holds the key: what the record learns in the end, such as after a wait.
   *
   * @internal
   */
  onConflict?(entry: Entry, conflict: Conflict, claiming: Claiming): Promise<ClaimAnswer>;
  /**
   * The store could not give a claim: what the record runs as all the same; undefined: it fails.
   *
   * @internal
   */
  onClaimError?(entry: Entry, error: Error, scope: BatchScope): Runnable | undefined;
  /**
   * Before the handler runs; an end: it does not run.
   *
   * @internal
   */
  beforeRun?(entry: Entry): Promise<AttemptEnd | undefined>;
  /**
   * The effect is done and its completion could not be stored: the outcome in place of `failed`.
   *
   * @internal
   */
  onCompletionNotStored?(entry: Entry, error: Error, scope: BatchScope): RecordOutcome | undefined;
  /**
   * The record has its outcome.
   *
   * @internal
   */
  afterRecord?(entry: Entry, scope: BatchScope): Promise<void>;
  /**
   * Beside every renewal of leases.
   *
   * @internal
   */
  onBeat?(scope: BatchScope): Promise<void>;
  /**
   * All records have ended, or had to; the response has not left yet.
   *
   * @internal
   */
  beforeResponse?(scope: BatchScope): Promise<void>;
}

/**
 * A policy that says what a body is.
 *
 * @typeParam Body The type of the schema's output.
 */
export interface SchemaPolicy<Body> extends Policy<'schema'> {
  /** Carries the type of the schema's output; never there at run time. */
  readonly body?: Body;
}

/** The records of one event that are about to be read: decoded, and given their keys. */
export interface BatchReading {
  readonly delivered: readonly SourceEntry[];
  /** What claims for reading are kept under. */
  readonly namespace: string;
  /** Reads the payloads of some of the records, in their order. */
  read(entries: readonly SourceEntry[]): readonly SourceEntry[] | Promise<readonly SourceEntry[]>;
  /** Gives a record its key. */
  plan(source: SourceEntry, index: number): Entry;
}

export type Conflict = Extract<ClaimAnswer, { readonly status: 'conflict' }>;

/** What a record runs: its handler, and the runs that share one call of it. */
export interface Run {
  readonly handler: RecordHandler;
  readonly together?: RunsTogether;
}

/** Brings records together before they start. */
export interface Gathering {
  /** Resolves with what the record runs, at once; undefined: it may not start any more. */
  enter(runnable: Runnable): Promise<Run | undefined>;
  /** To be called when something that could have joined has ended. */
  startIfComplete(): void;
  /** Nothing is started any more. */
  stop(): void;
}

/** A handler that does the work of many records in one call. */
export interface GatheringHandler {
  /** `expected` returns how many can wait at most now. */
  gather(scope: BatchScope, expected: () => number): Gathering;
}

/** What does the work: of one record, or of many at once. */
export type Handler = RecordHandler | GatheringHandler;
