import type { Attempt } from './attempt.ts';
import type { HandlerReturned, HandlerThrew } from './handler-end.ts';
import type { HandlerStop } from './handler-stop.ts';
import type { Settled, Work } from './work.ts';

/** The batch, or the call, that attempts belong to. It learns of each of their turns. */
export interface Runner<Of extends Work> {
  /** The attempt is `ended`, or `abandoned`. */
  over(attempt: Attempt<Of>): void;
  /** The handler of an attempt that was abandoned has ended after all. */
  endedLate(attempt: Attempt<Of>, end: HandlerReturned | HandlerThrew): void;
  /** The store has answered to the end of an attempt. */
  settled(attempt: Attempt<Of>, settled: Settled): void;
  /** The store's answers to a request have been passed on. */
  answered(): void;
  /** Something that must not throw has thrown. */
  fail(thrown: unknown): void;
}

/** The attempts of one call of a handler that has many records: what it sees of one counts for all. */
export interface RunsTogether {
  /** Returns the stop of the first whose abort was seen. To be asked when the handler has ended. */
  whoHasSeenAbort(): HandlerStop | undefined;
}
