import type { CallContext } from '../functions/call-context.ts';

/** A request, with functions that run its handler and answer it in the carrier's format (Lambda or Fetch). */
export interface Exchange<Native> {
  readonly request: HttpRequest;
  /** Returns whose key it is. Throws, rejects or returns nothing if the caller is unknown. */
  readonly scope: () => unknown;
  /** Returns whether this caller may get the stored response. Throws if that cannot be decided. */
  readonly mayReplay: () => unknown;
  /** Runs the handler, and returns its response unread. There is no context without a key. */
  readonly pass: (context?: CallContext) => Promise<Native>;
  /** Reads the handler's response. Never rejects: once the handler has run, nothing may free the key. */
  readonly read: (native: Native, maxResponseBytes: number) => Promise<Answered<Native>>;
  readonly give: (response: HttpResponse) => Native;
  readonly remainingTimeMs: number | undefined;
  readonly lockedBy: string | undefined;
}

/** The handler's response for the client, with what could be read of it. */
export interface Answered<Native> extends ReadAnswer {
  readonly native: Native;
}

/** The parts of a request that matter for idempotency, for any transport. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Returns all values of a header. Its name is in lower case. */
  header(name: string): readonly string[];
  /** Returns the body, unless it is longer than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array | 'too large'>;
}

/** A response as it is stored. */
export interface HttpResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** A name may occur several times, as `set-cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Whether `body` is base64, for bytes that are not UTF-8. */
  readonly isBase64Encoded: boolean;
}

/** The readable parts of a handler's response. */
export interface ReadAnswer {
  /** Undefined if the response has no valid status. */
  readonly status: number | undefined;
  /** The headers that could be read. */
  readonly headers: HttpResponse['headers'];
  readonly content: Content | 'too-large' | 'unreadable';
  /** The error of reading. The caller gets it, because the response is no longer whole. */
  readonly thrown?: { readonly error: unknown };
}

export type Content = Pick<HttpResponse, 'body' | 'isBase64Encoded'>;

/** Returns the parameters of a query. Invalid UTF-8 stays raw: decoded, different queries could be equal. */
export function queryOf(raw: string): HttpRequest['query'] {
  const pairs = [...new URLSearchParams(raw)];
  const isLossy = pairs.some((pair) => pair.some((text) => text.includes('\uFFFD')));
  return isLossy
    ? raw
        .replace(/^\?/, '')
        .split('&')
        .map((pair) => [pair, ''] as const)
    : pairs;
}

/** Calls a user's function, and returns its result or what it threw. */
export async function attempted(
  call: () => unknown,
): Promise<{ readonly value: unknown } | { readonly thrown: unknown }> {
  try {
    return { value: await call() };
  } catch (thrown) {
    return { thrown };
  }
}
