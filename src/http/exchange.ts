import type { CallContext } from '../functions/call-context.ts';

/** One request in the shape of its carrier, which knows how to run it and how to answer it. */
export interface Exchange<Native> {
  readonly request: HttpRequest;
  /** Whose key it is; throws, rejects, or returns nothing if the caller is unknown. */
  readonly scope: () => unknown;
  /** True, or a promise of it, if this caller may know how the first request ended; throws if that cannot be decided. */
  readonly mayReplay: () => unknown;
  /** Runs the handler and does not touch its response. Without a context: there is no key, and so no attempt. */
  readonly pass: (context?: CallContext) => Promise<Native>;
  /** Reads an answer of the handler. Never rejects: after the effect nothing may free the key. */
  readonly read: (native: Native, maxResponseBytes: number) => Promise<Answered<Native>>;
  readonly give: (response: HttpResponse) => Native;
  readonly remainingTimeMs: number | undefined;
  readonly lockedBy: string | undefined;
}

/** What a handler answered, for the client, and what could be read of it. */
export interface Answered<Native> extends ReadAnswer {
  readonly native: Native;
}

/** The parts of a request that matter for idempotency, whatever the transport. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** All values of one header, its name in lower case. */
  header(name: string): readonly string[];
  /** The body's bytes, or that there are more than `maxBytes` of them. */
  body(maxBytes: number): Promise<Uint8Array | 'too large'>;
}

/** A response as it is kept. */
export interface HttpResponse {
  /** From 200 to 599. */
  readonly status: number;
  /** A name may come several times, as `set-cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Whether `body` is base64 of bytes that are no text. */
  readonly isBase64Encoded: boolean;
}

/** What a handler answered, as far as it can be read. */
export interface ReadAnswer {
  /** Undefined where it has none that a client could get. */
  readonly status: number | undefined;
  /** Those that can be read. */
  readonly headers: HttpResponse['headers'];
  readonly content: Content | 'too-large' | 'unreadable';
  /** What reading it threw: its caller gets that, because what it threw on is no longer whole. */
  readonly thrown?: { readonly error: unknown };
}

export type Content = Pick<HttpResponse, 'body' | 'isBase64Encoded'>;

/** Returns the parameters of a query. One with bytes that are not UTF-8 stays raw: decoded, all would be equal. */
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

/** What a user's function returned or threw. */
export async function attempted(
  call: () => unknown,
): Promise<{ readonly value: unknown } | { readonly thrown: unknown }> {
  try {
    return { value: await call() };
  } catch (thrown) {
    return { thrown };
  }
}
