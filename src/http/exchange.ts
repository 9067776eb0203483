import type { CallContext } from '../functions/call-context.ts';
import type { HttpRequest, HttpResponse, ReadAnswer } from './http-message.ts';

/** One request in the shape of its carrier, which knows how to run it and how to answer it. */
export interface Exchange<Native> {
  readonly request: HttpRequest;
  /** Whose key it is; throws, rejects, or returns nothing if the caller is unknown. */
  readonly scope: () => unknown;
  /** True if this caller may know how the first request ended; rejects if that cannot be decided. */
  readonly mayReplay: () => Promise<unknown>;
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
