// How one invocation of a function ended, for whatever invoked it.

/** What a function answered, or how it failed. */
export type InvocationResult = InvocationSuccess | InvocationFailure;

interface InvocationSuccess {
  readonly ok: true;
  /** The answer as it is after JSON; undefined where the function answered nothing. */
  readonly payload: unknown;
}

export interface InvocationFailure {
  readonly ok: false;
  /** Such as `Error`, `Runtime.ImportModuleError` or `Sandbox.Timedout`, as Lambda names it. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[] | undefined;
  /** Whether the function was stopped at its time limit. */
  readonly isTimeout?: boolean | undefined;
  /** Whether it was not run, because as many as are reserved run already. It counts as no attempt. */
  readonly isThrottled?: boolean | undefined;
}

/**
 * Runs a function of the template once, by its logical id, and resolves when it has ended. Never rejects. `requestId` is the same
 * for all attempts of an asynchronous invocation; by default a new one.
 */
export type Invoke = (functionId: string, event: unknown, requestId?: string) => Promise<InvocationResult>;
