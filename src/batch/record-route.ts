import type { Attempt } from '../attempts/attempt.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { BatchHandler } from './batch-handler.ts';
import type { RecordHandler } from './record-handler.ts';

/** The route of a record in one batch: its type, and the settings in place of the processor's. */
export interface RecordRoute {
  /** The type for observers: a declared one, or `other`. */
  readonly type: string;
  /** The batch's context with the rules and the time limit of the route. */
  readonly scope: AttemptScope;
  /** With `forBatches`, a batch handler. */
  readonly handler: RecordHandler | BatchHandler;
  readonly schema: { check(record: BatchRecord): Promise<AttemptEnd | undefined> } | undefined;
  /** How far ahead its records are claimed; undefined: with all others. */
  readonly reach: Reach | undefined;
  /** How many of its records run at once. */
  readonly concurrency: number;
  /** Undefined: the route has no `concurrency` of its own. */
  readonly slots: RouteSlots | undefined;
  /** The number of records of the route that are being claimed, wait or run. */
  busy: number;
}

/** How far ahead of their turns records are claimed. A claim that waits for its turn uses up its lease. */
export interface Reach {
  /** More claims are requested while fewer than this are unfinished. */
  readonly ahead: number;
  /** The least that is requested together, even if it exceeds `ahead`. */
  readonly atLeast: number;
  /** The most that one request takes. */
  readonly atMost: number;
}

/** The slots of one route for the attempts of one batch. */
export interface RouteSlots {
  /**
   * Takes a slot. If none is free, returns false, and calls `onTurn` once the attempt has one or the time is
   * over. After that no slot is needed.
   */
  take(attempt: Attempt, onTurn: () => void): boolean;
  /** Frees the slot of an attempt that has one. */
  release(attempt: Attempt): void;
}
