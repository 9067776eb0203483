import type { Channel } from 'node:diagnostics_channel';
import { builtIn } from '../base/built-in.ts';

/** A request, as published on the channel `batchlatch:request` before it is first sent. */
export interface RequestMessage {
  /** `dynamodb` or `sqs`. */
  readonly service: string;
  /** Such as `BatchExecuteStatement`. */
  readonly operation: string;
  /** The input in the form of the service's API. It contains keys. */
  readonly input: unknown;
  readonly url: URL;
  readonly region: string;
  /** Called by a subscriber that follows the request. */
  follow(watch: RequestWatch): void;
}

/** A subscriber's callbacks around a request and its retries. Their errors never affect the request. */
export interface RequestWatch {
  /** Additional headers, not signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the watch has a span of the request; APM agents then create no second one. Default false. */
  readonly hasSpan?: boolean;
  /** Calls `send` in the watch's own context and returns its result. */
  run?<Answer>(send: () => Promise<Answer>): Promise<Answer>;
  /** Called when the request has ended, successfully or not. */
  ended(end: RequestEnd): void;
}

export interface RequestEnd {
  /** How many times it was sent. */
  readonly attempts: number;
  /** The HTTP status of the last answer; absent if there was none. */
  readonly status?: number | undefined;
  /** AWS's request id in the last answer; absent if there was none. */
  readonly requestId?: string | undefined;
  /** The error; absent if the request succeeded. */
  readonly error?: unknown;
}

export const REQUEST_CHANNEL = 'batchlatch:request';

/** Kept, because a channel without references is created anew each time. */
let channel: Channel | undefined;

/** Asks the subscribers to follow a request. Undefined if nobody does. */
export function watchesOf(
  message: () => Omit<RequestMessage, 'follow'>,
): readonly RequestWatch[] | undefined {
  channel ??= builtIn('node:diagnostics_channel').channel(REQUEST_CHANNEL);
  if (!channel.hasSubscribers) return undefined;
  const watches: RequestWatch[] = [];
  channel.publish({ ...message(), follow: (watch: RequestWatch) => watches.push(watch) });
  return watches.length > 0 ? watches : undefined;
}

/** The progress of a request that somebody follows. */
export interface RequestProgress {
  attempts: number;
  status?: number;
  requestId?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasSpan: boolean;
}

/** Sends in the contexts of all watches, and tells them how the request ended. */
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
    around().catch(() => undefined); // the request itself is awaited below
  } catch {
    // A subscriber must not affect the request.
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
      // A subscriber must not affect the request.
    }
  }
}
