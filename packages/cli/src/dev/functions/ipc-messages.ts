// What is said between this process and those of the functions, and how an invocation ends.

import type { InvocationResult } from '../invoke-result.ts';

/** An error in Lambda's shape. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** How one invocation ended. `exit`: the process died; `timeout`: it was killed; `load`: the module did not load. */
export type InvocationEnd =
  | { readonly type: 'returned'; readonly payload: string }
  | {
      readonly type: 'failed';
      readonly error: FunctionError;
      readonly by: 'handler' | 'load' | 'exit' | 'timeout';
    }
  /** The function's reserved concurrency is in use. */
  | { readonly type: 'throttled' };

/** One invocation, after its end. */
export interface Invocation {
  readonly requestId: string;
  readonly end: InvocationEnd;
  /** Of the handler. */
  readonly durationMs: number;
  /** How long the process took to start and load; only in its first invocation. */
  readonly initMs?: number;
}

/** What a function's process is told. */
export type ToFunction =
  | {
      readonly type: 'load';
      /** The path of the module. */
      readonly module: string;
      readonly exportName: string;
      /** As in the template, for messages. */
      readonly handler: string;
      /** What a line that ends an invocation's output consists of. */
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

/** What it says. */
export type FromFunction =
  | { readonly type: 'loaded' }
  | { readonly type: 'notLoaded'; readonly error: FunctionError }
  | { readonly type: 'returned'; readonly requestId: string; readonly payload: string }
  | {
      readonly type: 'failed';
      readonly requestId: string;
      readonly error: FunctionError;
      /** Whether the process ends now. */
      readonly exits?: true;
    };

/** The same for whatever invokes functions. */
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
