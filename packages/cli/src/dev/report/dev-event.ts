import type { PrintedLine } from '../functions/execution-environment.ts';
import type { BuildMessage } from '../functions/function-build.ts';
import type { Invocation } from '../functions/ipc-messages.ts';

/** What happens while functions run, by the logical ids of their template. */
export type DevEvent =
  | { readonly type: 'built'; readonly functionId: string; readonly isFirst: boolean }
  /** What ran before goes on. */
  | { readonly type: 'buildFailed'; readonly functionId: string; readonly messages: readonly BuildMessage[] }
  | {
      readonly type: 'invoking';
      readonly functionId: string;
      readonly requestId: string;
      readonly event: unknown;
    }
  | { readonly type: 'printed'; readonly functionId: string; readonly line: PrintedLine }
  /** After all it has printed. */
  | { readonly type: 'invoked'; readonly functionId: string; readonly invocation: Invocation }
  /** An event that nobody waits for has failed for good. */
  | {
      readonly type: 'givenUp';
      readonly functionId: string;
      readonly condition: string;
      readonly attempts: number;
      /** The ARNs of the queues that have it. */
      readonly sentTo: readonly string[];
    }
  /** A service of this machine did not answer; it is asked again, unless what it was asked for is lost. */
  | {
      readonly type: 'trouble';
      readonly what: string;
      readonly error: unknown;
      readonly isLost?: true;
    };

export type OnDevEvent = (event: DevEvent) => void;
