import type { Channel } from 'node:diagnostics_channel';
import { builtIn } from '../base/built-in.ts';

/** A request of an operation, as the channel `batchlatch:request` tells of it before it is first sent. */
export interface RequestMessage {
  /** `dynamodb` or `sqs`. */
  readonly service: string;
  /** Such as `BatchExecuteStatement`. */
  readonly operation: string;
  /** The operation's input, as the service's API has it. It holds keys. */
  readonly input: unknown;
  readonly url: URL;
  readonly region: string;
  /** To be called by a subscriber that follows the request. */
  follow(watch: RequestWatch): void;
}

/** What a subscriber puts around a request, its retries included. What it throws never harms the request. */
export interface RequestWatch {
  /** Headers that are sent too, and not signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if it has a span of the request. APM agents then make no second one. Default false. */
  readonly hasSpan?: boolean;
  /** Calls `send` in a context of its own, and returns what it does. */
  run?<Answer>(send: () => Promise<Answer>): Promise<Answer>;
  /** The request has ended, well or with an error. */
  ended(end: RequestEnd): void;
}

export interface RequestEnd {
  /** How many times it was sent. */
  readonly attempts: number;
  /** The HTTP status of the last answer; absent where there was none. */
  readonly status?: number | undefined;
  /** AWS's id of the last answer; absent where there was none. */
  readonly requestId?: string | undefined;
  /** Why it failed; absent where it did not. */
  readonly error?: unknown;
}

export const REQUEST_CHANNEL = 'batchlatch:request';

/** Held on to: a channel that nobody holds is made anew each time it is asked for. */
let channel: Channel | undefined;

/** Asks the subscribers of the channel who follows a request. Undefined where nobody does, and then nothing was made. */
export function watchesOf(
  message: () => Omit<RequestMessage, 'follow'>,
): readonly RequestWatch[] | undefined {
  channel ??= builtIn('node:diagnostics_channel').channel(REQUEST_CHANNEL);
  if (!channel.hasSubscribers) return undefined;
  const watches: RequestWatch[] = [];
  channel.publish({ ...message(), follow: (watch: RequestWatch) => watches.push(watch) });
  return watches.length > 0 ? watches : undefined;
}

/** How far a request has come that somebody follows. */
export interface RequestProgress {
  attempts: number;
  status?: number;
  requestId?: string | undefined;
  /** Headers that are sent too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a watch has a span of the request. */
  readonly hasSpan: boolean;
}

/** Sends inside of the contexts of all that follow the request, and tells them how it has ended. */
export function sendWatched<Answer>(
  watches: readonly RequestWatch[],
  send: (progress: RequestProgress) => Promise<Answer>,
): Promise<Answer> {
  const headers = Object.assign({}, ...watches.map((watch) => watch.headers ?? {}));
  const hasSpan = watches.some((watch) => watch.hasSpan === true);
  let sent: Promise<Answer> | undefined;
  const once = (): Promise<Answer> =>
    (sent ??= sendAndTell(watches, { attempts: 0, headers, hasSpan }, send));
  const around = watches.reduceRight<() => Promise<Answer>>(
    (inner, watch) => () => (watch.run === undefined ? inner() : watch.run(inner)),
    once,
  );
  try {
    around().catch(() => undefined); // the request itself is what is awaited
  } catch {
    // A subscriber must not harm the request.
  }
  return once();
}

async function sendAndTell<Answer>(
  watches: readonly RequestWatch[],
  progress: RequestProgress,
  send: (progress: RequestProgress) => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await send(progress);
    tellEnded(watches, progress);
    return answer;
  } catch (error) {
    tellEnded(watches, progress, { error });
    throw error;
  }
}

function tellEnded(
  watches: readonly RequestWatch[],
  { attempts, status, requestId }: RequestProgress,
  failure?: { readonly error: unknown },
): void {
  for (const watch of watches) {
    try {
      watch.ended({ attempts, status, requestId, ...failure });
    } catch {
      // A subscriber must not harm the request.
    }
  }
}
