// The messages between this process and those of functions, and the end of an invocation.

import type { InvocationResult } from '../invoke-result.ts';

/** An error in Lambda's shape. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** The end of an invocation. `exit`: the process died; `timeout`: it was killed; `load`: loading failed. */
export type InvocationEnd =
  | { readonly type: 'returned'; readonly payload: string }
  | {
      readonly type: 'failed';
      readonly error: FunctionError;
      readonly by: 'handler' | 'load' | 'exit' | 'timeout';
    }
  /** The function's reserved concurrency is in use. */
  | { readonly type: 'throttled' };

/** An invocation that has ended. */
export interface Invocation {
  readonly requestId: string;
  readonly end: InvocationEnd;
  /** Duration of the handler. */
  readonly durationMs: number;
  /** Time to start and load the process; only for its first invocation. */
  readonly initMs?: number;
}

/** A message to a function's process. */
export type ToFunction =
  | {
      readonly type: 'load';
      /** The path of the module. */
      readonly module: string;
      readonly exportName: string;
      /** The handler as in the template, for messages. */
      readonly handler: string;
      /** The text of the line that ends an invocation's output. */
      readonly mark: string;
    }
  | {
      readonly type: 'invoke';
      readonly requestId: string;
      /** The event, as JSON. */
      readonly payload: string;
      /** Epoch milliseconds: parent and child share the machine's clock. */
      readonly deadline: number;
      readonly functionArn: string;
      /** `_X_AMZN_TRACE_ID`, new for each invocation. */
      readonly traceId: string;
    };

/** A message from a function's process. */
export type FromFunction =
  | { readonly type: 'loaded' }
  | { readonly type: 'notLoaded'; readonly error: FunctionError }
  | { readonly type: 'returned'; readonly requestId: string; readonly payload: string }
  | {
      readonly type: 'failed';
      readonly requestId: string;
      readonly error: FunctionError;
      /** Whether the process exits now. */
      readonly exits?: true;
    };

/** Converts the end of an invocation to the result for its invoker. */
export function resultOf(end: InvocationEnd): InvocationResult {
  switch (end.type) {
    case 'returned':
      return { ok: true, payload: JSON.parse(end.payload) as unknown };
    case 'failed':
      return { ok: false, ...end.error, ...(end.by === 'timeout' && { isTimeout: true }) };
    case 'throttled':
      return {
        ok: false,
        errorType: 'TooManyRequestsException',
        errorMessage: 'Rate Exceeded.',
        isThrottled: true,
      };
  }
}
