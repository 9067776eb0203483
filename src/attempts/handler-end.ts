/** How an attempt ends that is to be settled. */
export type AttemptEnd = HandlerReturned | HandlerThrew | AttemptRefused;

export interface HandlerReturned {
  readonly kind: 'returned';
  readonly result: unknown;
}

export interface HandlerThrew {
  readonly kind: 'threw';
  /** What counts: of a handler that was told to stop, why, with what it threw as the cause. */
  readonly error: unknown;
  /** What it threw itself. */
  readonly thrown: unknown;
  /** The end says nothing about the work, such as that of a handler that was told to stop. */
  readonly isInconclusive: boolean;
  /** It has seen its signal aborted, and has not said that it is done all the same. */
  readonly hasSeenAbort?: boolean;
}

/** The handler was not called: the key has failed too often already, a person has to look first, or the body is wrong. */
interface AttemptRefused {
  readonly kind: 'refused';
  readonly error: Error;
  /** It is the record that is wrong, and not what became of its attempts. */
  readonly isInvalid?: true;
}
