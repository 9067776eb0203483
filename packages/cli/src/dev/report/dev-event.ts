import type { PrintedLine } from '../functions/execution-environment.ts';
import type { BuildMessage } from '../functions/function-build.ts';
import type { Invocation } from '../functions/ipc-messages.ts';

/** An event of the running functions, which it names by logical id. */
export type DevEvent =
  | { readonly type: 'built'; readonly functionId: string; readonly isFirst: boolean }
  /** The code before it stays in use. */
  | { readonly type: 'buildFailed'; readonly functionId: string; readonly messages: readonly BuildMessage[] }
  | {
      readonly type: 'invoking';
      readonly functionId: string;
      readonly requestId: string;
      readonly event: unknown;
    }
  | { readonly type: 'printed'; readonly functionId: string; readonly line: PrintedLine }
  /** Follows all output of the invocation. */
  | { readonly type: 'invoked'; readonly functionId: string; readonly invocation: Invocation }
  /** An asynchronous invocation, or records of a stream, were given up. */
  | {
      readonly type: 'givenUp';
      readonly functionId: string;
      readonly condition: string;
      readonly attempts: number;
      /** The ARNs of the queues that received it. */
      readonly sentTo: readonly string[];
    }
  /** An HTTP request was answered. */
  | {
      readonly type: 'answered';
      /** Undefined if no route took it. */
      readonly functionId: string | undefined;
      /** The logical id of the API or function URL. */
      readonly endpointId: string;
      readonly method: string;
      /** Without the query. */
      readonly path: string;
      readonly status: number;
      readonly durationMs: number;
      /** Why the status is not the function's. */
      readonly reason: string | undefined;
    }
  /** A local service did not answer; the request is retried unless `isLost`. */
  | {
      readonly type: 'trouble';
      readonly what: string;
      readonly error: unknown;
      readonly isLost?: true;
    };

export type OnDevEvent = (event: DevEvent) => void;
