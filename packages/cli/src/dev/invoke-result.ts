/** The function's answer, or its failure. */
export type InvocationResult = InvocationSuccess | InvocationFailure;

interface InvocationSuccess {
  readonly ok: true;
  /** The answer, parsed from JSON; undefined if the function returned nothing. */
  readonly payload: unknown;
}

export interface InvocationFailure {
  readonly ok: false;
  /** Lambda's error type: `Error`, `Runtime.ImportModuleError`, `Sandbox.Timedout`. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[] | undefined;
  /** Whether the function was killed at its timeout. */
  readonly isTimeout?: boolean | undefined;
  /** Whether it did not run because its reserved concurrency is in use. That is not an attempt. */
  readonly isThrottled?: boolean | undefined;
}

/**
 * Invokes a function by its logical id, and resolves when it has ended. Never rejects. `requestId` is the
 * same for all attempts of an asynchronous invocation. Default: a new one.
 */
export type Invoke = (functionId: string, event: unknown, requestId?: string) => Promise<InvocationResult>;
