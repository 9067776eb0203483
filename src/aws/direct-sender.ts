import type { IncomingHttpHeaders } from 'node:http';
import { stoppableCall } from '../base/bounded.ts';
import { builtIn } from '../base/built-in.ts';
import { type Clock, wait } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import { type Answer, outputOf } from './answers.ts';
import { connectionsTo } from './connect.ts';
import type { ConnectionLimits, Connections } from './connections.ts';
import type { Endpoint } from './endpoint.ts';
import { OverdueError, unansweredError, unsendableError } from './network-errors.ts';
import { RequestError } from './request-error.ts';
import { type RequestProgress, sendWatched, watchesOf } from './request-watch.ts';
import { type Retry, standardRetries } from './retries.ts';
import type { Service } from './service.ts';
import { type Credentials, signedHeaders } from './signed-headers.ts';

export interface DirectSetup {
  readonly endpoint: Endpoint;
  /** Called for each try, to follow renewed credentials. A plain value saves a turn of the event loop. */
  readonly credentials: () => Credentials | Promise<Credentials>;
  /** The maximum number of tries for a request. */
  readonly maxAttempts: number;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Returns a number from 0 up to, not including, 1. */
  readonly random: () => number;
}

export interface Limits extends ConnectionLimits {
  /** The time for a request and its retries, in milliseconds. */
  readonly requestMs: number;
}

/** Sends a request and resolves with its output. An aborted `signal` ends the wait for the answer. */
export type Send = (
  operation: string,
  input: unknown,
  signal?: StopSignal,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Creates a sender for an AWS service that needs no AWS SDK. It signs and sends requests, and retries them by
 * the rules of the SDK's standard retry mode, within `limits` and until `signal` is aborted.
 */
export function directSender(
  service: Service,
  setup: DirectSetup,
  limits: Limits,
  connections: Connections = connectionsTo(setup.endpoint.url, limits),
): Send {
  const { endpoint, clock, random, maxAttempts, userAgent } = setup;
  const { host } = endpoint.url;
  const time = serverTime(clock);
  const retries = standardRetries(maxAttempts, service.firstDelayMs, random);

  return (operation, input, signal) => {
    const watches = watchesOf(() => ({ service: service.name, operation, input, ...endpoint }));
    if (watches === undefined) return sendAgain(operation, input, signal);
    return sendWatched(watches, (progress) => sendAgain(operation, input, signal, progress));
  };

  async function sendAgain(
    operation: string,
    input: unknown,
    signal: StopSignal | undefined,
    progress?: RequestProgress,
  ): Promise<Readonly<Record<string, unknown>>> {
    const body = JSON.stringify(input);
    const target = `${service.target}.${operation}`;
    const { name, jsonVersion } = service;
    const request = { host, service: name, target, body, userAgent, ...(jsonVersion && { jsonVersion }) };
    const until = clock.now() + limits.requestMs;
    const hasSpan = progress?.hasSpan === true;
    let retry: Retry | undefined;
    let failure: RequestError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const credentials = await currentCredentials(until - clock.now(), signal, failure);
      const signedAt = time.now();
      const signing = { credentials, region: endpoint.region, time: new Date(signedAt) };
      const signed = signedHeaders(request, signing);
      const headers = progress === undefined ? signed : { ...signed, ...progress.headers };
      try {
        if (progress !== undefined) progress.attempts = attempt;
        const limitMs = until - clock.now();
        const answering = connections.post({ headers, body, limitMs, signal, hasSpan });
        builtIn('node:zlib'); // loaded meanwhile: answers have a checksum
        const answer = await answering;
        time.learn(answer.headers, signedAt);
        if (progress !== undefined) noteAnswer(progress, answer);
        const output = outputOf(answer, { credentials, headers }, service);
        retries.succeeded(retry);
        return output;
      } catch (thrown) {
        if (!(thrown instanceof RequestError)) throw unsendableError(thrown);
        const previous = failure;
        failure = thrown;
        if (failure instanceof OverdueError) throw overdue(attempt, previous);
        if (failure.name === 'AbortError') throw unansweredError(service.unanswered('given-up'), attempt);
        failure.$metadata.attempts = attempt;
        retry = retries.after(failure, attempt, time.wasSkewed(failure.name, signedAt));
      }
      if (retry === undefined) throw failure;
      if (clock.now() + retry.delayMs >= until) throw overdue(attempt, failure);
      if (retry.delayMs > 0) await wait(clock, retry.delayMs, signal);
      if (signal?.aborted === true) throw failure;
    }
  }

  function overdue(attempts: number, cause: Error | undefined): Error {
    return unansweredError(service.unanswered('silent', cause, limits.requestMs), attempts);
  }

  /** Returns the credentials. On failure after an earlier try, throws that try's error, which says more. */
  async function currentCredentials(
    limitMs: number,
    signal: StopSignal | undefined,
    failure: RequestError | undefined,
  ): Promise<Credentials> {
    const errorOf = (why: 'given-up' | 'silent'): Error =>
      why === 'silent' ? service.noCredentials() : unansweredError(service.unanswered(why), 0);
    try {
      const given = setup.credentials();
      if (!('then' in given)) return given;
      return await stoppableCall(() => given, { clock, limitMs, signal, errorOf });
    } catch (thrown) {
      throw failure ?? thrown;
    }
  }
}

function noteAnswer(progress: RequestProgress, { status, headers }: Answer): void {
  const requestId = headers['x-amzn-requestid'];
  progress.status = status;
  progress.requestId = typeof requestId === 'string' ? requestId : undefined;
}

/** AWS refuses signatures that are over five minutes off. The SDK blames the clock from four minutes on. */
const TOLERATED_MS = 240_000;
/** Older responses (after a freeze, say) carry a stale Date header. */
const FRESH_MS = 10_000;

/** Errors that a wrong clock may cause: CLOCK_SKEW_ERROR_CODES of @smithy/core 3.41.0 (retry). */
const SKEW_ERRORS = new Set([
  'AccessDeniedException',
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/** The server's time, from this machine's clock and the answers. */
interface ServerTime {
  now(): number;
  /** Learns from an answer's `Date`, as the SDK does, unless a cache kept it. `sentAt` is by `now()`. */
  learn(headers: IncomingHttpHeaders, sentAt: number): void;
  /** Returns whether a refusal was caused by the signature's time, so that a new signature helps. */
  wasSkewed(errorName: string, signedAt: number): boolean;
}

function serverTime(clock: Clock): ServerTime {
  let offsetMs = 0;
  let lastDate: string | undefined;
  const now = (): number => clock.now() + offsetMs;
  return {
    now,
    learn({ date, age }, sentAt) {
      if (date === undefined || date === lastDate || age !== undefined) return;
      const time = Date.parse(date);
      if (Number.isNaN(time) || now() - sentAt > FRESH_MS) return;
      lastDate = date;
      offsetMs = time - clock.now();
    },
    wasSkewed: (errorName, signedAt) =>
      SKEW_ERRORS.has(errorName) && Math.abs(now() - signedAt) >= TOLERATED_MS,
  };
}
