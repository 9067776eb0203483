import { Buffer } from 'node:buffer';
import { CompletionNotStoredError, LeaseLostError } from '../attempts/errors.ts';
import { type StoredError, toStoredError } from '../claims/claim.ts';
import { hasCode } from '../claims/errors.ts';
import { leaseClock } from '../functions/lease-clock.ts';
import {
  type Call,
  type CallOutcome,
  type CallPorts,
  type RunPorts,
  runOnce,
  type Work,
} from '../functions/run-once.ts';
import type { Ending } from '../attempts/ending.ts';
import { KeyError } from '../keys/errors.ts';
import { keyString } from '../keys/key-string.ts';
import { ResponseUnreadableError } from './errors.ts';
import { fingerprint } from './fingerprint.ts';
import type { HttpRequest, HttpResponse, ReadAnswer } from './http-message.ts';
import { type KeyHeader, readKeyHeader } from './idempotency-key-header.ts';
import type { HttpSettings } from './options.ts';
import type { MakeProblem } from './problems.ts';

/** One request in the shape of its carrier, which knows how to run it and how to answer it. */
export interface Exchange<Native> {
  readonly request: HttpRequest;
  /** Whose key it is; throws, rejects, or gives nothing, where the caller is unknown. */
  readonly scope: () => unknown;
  /** True where this caller may know how the first request ended; rejects where that cannot be told. */
  readonly mayReplay: () => Promise<unknown>;
  /** Runs the handler and leaves its answer alone. */
  readonly pass: () => Promise<Native>;
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

/** A record, a call and a request with the same namespace and key are different work. */
const VERSION = 'http-v1';

/** Safe methods change nothing, so there is nothing to protect. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Answers that say nothing about the operation, only about who asked (401, 403, 407) or when (408, 425, 429): the same
 * request may go through later, with new credentials or at another time.
 */
const ABOUT_THE_ATTEMPT = new Set([401, 403, 407, 408, 425, 429]);

const RESPONSE_NOT_KEPT: StoredError = {
  name: 'ResponseNotKept',
  code: 'BATCHLATCH_RESPONSE_NOT_KEPT',
  message: 'The request was carried out; its response is larger than what is kept',
};

const RESPONSE_UNREADABLE: StoredError = {
  name: 'ResponseUnreadable',
  code: 'BATCHLATCH_RESPONSE_UNREADABLE',
  message: 'The handler ran, and what it answered is no HTTP response',
};

/** Runs the handler of one request once for its key, and answers every repetition as the draft says. */
export async function answerOnce<Native>(
  exchange: Exchange<Native>,
  settings: HttpSettings,
  ports: RunPorts,
  onError: (error: unknown) => void,
): Promise<Native> {
  const { request, give } = exchange;
  const { problem } = settings;
  if (SAFE.has(request.method)) return exchange.pass();

  const leases = leaseClock(settings.leaseMs, exchange.remainingTimeMs, ports.clock); // before anything is waited for
  const header = keyHeaderOf(request, settings, onError);
  if (header.kind === 'missing') {
    if (!settings.isRequired) return exchange.pass();
    return give(problem('key-missing', `This operation needs the header \`${settings.header}\`.`));
  }
  if (header.kind === 'malformed') {
    return give(
      problem('key-malformed', `The header \`${settings.header}\` cannot be used: ${header.reason}.`),
    );
  }

  const owner = await ownerOf(exchange, onError);
  if (owner === undefined) {
    return give(problem('caller-unknown', 'The request does not say whose idempotency key it carries.'));
  }
  const key = keyOf(owner, header.key, settings, onError);
  if (key === undefined) {
    return give(
      problem(
        'key-malformed',
        `The header \`${settings.header}\` cannot be used: it is too long for its caller.`,
      ),
    );
  }
  const body = await request.body(settings.maxBodyBytes);
  if (body === 'too large') {
    return give(problem('body-too-large', `The body is larger than ${settings.maxBodyBytes} bytes.`));
  }
  const call: Call = {
    key,
    payloadHash: fingerprint(request, body),
    lockedBy: exchange.lockedBy,
    leases,
  };
  const outcome = await runOnce(call, workOf(exchange, settings), settings, ports);
  return answer(outcome, exchange, settings, ports, onError);
}

function keyHeaderOf(
  request: HttpRequest,
  { header, keyRules }: HttpSettings,
  onError: (error: unknown) => void,
): KeyHeader {
  try {
    return readKeyHeader(request.header(header), keyRules);
  } catch (error) {
    onError(error); // of a `keyFormat` that throws
    return { kind: 'malformed', reason: 'its format could not be checked' };
  }
}

/** Undefined for a request without a caller, which is the client's affair; a `scope` that throws may not be. */
async function ownerOf<Native>(
  { scope }: Exchange<Native>,
  onError: (error: unknown) => void,
): Promise<string | undefined> {
  const owner = await attempted(scope);
  if ('thrown' in owner) {
    onError(new KeyError('The `scope` function failed for this request', { cause: owner.thrown }));
    return undefined;
  }
  return typeof owner.value === 'string' && owner.value !== '' ? owner.value : undefined;
}

/** Scope and key as one JSON text, so that they cannot run into each other. Undefined where no store could hold it. */
function keyOf(
  owner: string,
  key: string,
  { namespace }: HttpSettings,
  onError: (error: unknown) => void,
): string | undefined {
  try {
    return keyString({
      of: 'request',
      prefix: { namespace: () => namespace, version: VERSION },
      key: () => JSON.stringify([owner, key]),
    });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

async function attempted(
  call: () => unknown,
): Promise<{ readonly value: unknown } | { readonly thrown: unknown }> {
  try {
    return { value: await call() };
  } catch (thrown) {
    return { thrown };
  }
}

function workOf<Native>(exchange: Exchange<Native>, settings: HttpSettings): Work<Answered<Native>> {
  const { maxResponseBytes, keepHeaders } = settings;
  const parked = (error: StoredError): Ending => ({ end: 'park', error, isAnswer: true });
  const completed = (response: HttpResponse): Ending => {
    const result = JSON.stringify({ ...response, headers: keepHeaders(response.headers) });
    const isTooLarge = Buffer.byteLength(result) > maxResponseBytes;
    return isTooLarge ? parked(RESPONSE_NOT_KEPT) : { end: 'complete', result };
  };
  return {
    run: async () => exchange.read(await exchange.pass(), maxResponseBytes),
    endOf({ status, headers, content }) {
      if (status === undefined) return parked(RESPONSE_UNREADABLE);
      if (!isAnswer(status, settings)) return failed(`it answered ${status}`);
      switch (content) {
        case 'too-large':
          return parked(RESPONSE_NOT_KEPT);
        case 'unreadable':
          return completed({ status, headers: withoutContent(headers), body: '', isBase64Encoded: false });
        default:
          return completed({ status, headers, ...content });
      }
    },
    endOfTooLarge: () => parked(RESPONSE_NOT_KEPT),
    // A handler that throws leaves the key free for the client's next try.
    endOfFailure: (error) => ({ end: 'fail', error: toStoredError(error) }),
  };
}

/** The headers of a response whose body is not there: none that speak of it. */
function withoutContent(headers: HttpResponse['headers']): HttpResponse['headers'] {
  return headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
}

/** Whether a status is the answer to the key, and replayed; if not, the client may try again with the same key. */
function isAnswer(status: number, { keepServerErrors }: HttpSettings): boolean {
  return status >= 500 ? keepServerErrors : !ABOUT_THE_ATTEMPT.has(status);
}

function failed(reason: string): Ending {
  return { end: 'fail', error: { name: 'NotKept', message: `The handler may run again: ${reason}` } };
}

async function answer<Native>(
  outcome: CallOutcome<Answered<Native>>,
  exchange: Exchange<Native>,
  settings: HttpSettings,
  { clock }: CallPorts,
  onError: (error: unknown) => void,
): Promise<Native> {
  const { give } = exchange;
  const { problem } = settings;
  switch (outcome.status) {
    case 'returned':
      noteUnlessStored(outcome, onError);
      if (outcome.value.thrown !== undefined) throw outcome.value.thrown.error;
      if (outcome.value.content === 'unreadable' && outcome.ending.end !== 'fail')
        onError(new ResponseUnreadableError());
      // Also when it could not be stored: an error would make the client send again what is done.
      return outcome.value.native;
    case 'threw':
      throw outcome.error;
    case 'conflict': {
      const retryAfterSeconds = Math.max(1, Math.ceil((outcome.leaseUntil - clock.now()) / 1_000));
      return give(
        problem('in-progress', 'The first request with this key has not ended yet. Try again later.', {
          retryAfterSeconds,
        }),
      );
    }
    case 'not-started':
      return give(
        problem(
          'not-started',
          'No time was left to start: nothing was run for this request. Try again with the same key.',
          { retryAfterSeconds: 1 },
        ),
      );
    case 'mismatch':
      return give(
        problem(
          'key-reused',
          'This key came before with another method, path, query or body. Use a new key.',
        ),
      );
    case 'duplicate':
    case 'parked':
      return give((await refusalOf(exchange, settings, onError)) ?? endOfTheFirst(outcome, settings));
    case 'error': {
      onError(outcome.error);
      if (!hasCode(outcome.error, 'BATCHLATCH_RESULT_UNAVAILABLE')) return give(notKnown(problem));
      return give(
        (await refusalOf(exchange, settings, onError)) ?? resultUnavailable(outcome.error, problem),
      );
    }
  }
}

function noteUnlessStored(
  { ending, settled }: Extract<CallOutcome<unknown>, { status: 'returned' }>,
  onError: (error: unknown) => void,
): void {
  if (settled === 'stored') return;
  if (settled === 'lost') onError(new LeaseLostError());
  else
    onError(ending.end === 'fail' ? settled.error : new CompletionNotStoredError({ cause: settled.error }));
}

/** The answer to who may not know how the first request ended. */
async function refusalOf<Native>(
  { mayReplay }: Exchange<Native>,
  { problem }: HttpSettings,
  onError: (error: unknown) => void,
): Promise<HttpResponse | undefined> {
  const allowed = await attempted(mayReplay);
  if ('thrown' in allowed) onError(allowed.thrown);
  else if (allowed.value === true) return undefined;
  return problem(
    'replay-refused',
    'This caller may not have the response to the first request with this key.',
  );
}

function endOfTheFirst(
  outcome: Extract<CallOutcome<unknown>, { status: 'duplicate' | 'parked' }>,
  { problem, keepHeaders }: HttpSettings,
): HttpResponse {
  if (outcome.status === 'parked') {
    return outcome.error?.code === RESPONSE_NOT_KEPT.code
      ? responseNotKept(problem)
      : outcomeUnknown(problem);
  }
  const kept = storedResponse(outcome.result);
  if (kept === undefined) return responseNotKept(problem);
  // Filtered again: what is stored may be older than the options.
  return { ...kept, headers: [...keepHeaders(kept.headers), ['idempotency-replayed', 'true']] };
}

/** Nothing where a person marked the key as done, or where the row holds what this did not write. */
function storedResponse(result: string | undefined): HttpResponse | undefined {
  try {
    const { status, headers, body, isBase64Encoded } = JSON.parse(result ?? '') as HttpResponse;
    const isResponse = Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string';
    return isResponse ? { status, headers, body, isBase64Encoded } : undefined;
  } catch {
    return undefined;
  }
}

function responseNotKept(problem: MakeProblem): HttpResponse {
  return problem(
    'response-not-kept',
    'The first request with this key was carried out. Its response cannot be repeated.',
  );
}

function outcomeUnknown(problem: MakeProblem): HttpResponse {
  return problem(
    'outcome-unknown',
    'The first request with this key ended without a response. It is not carried out again until its outcome is known.',
  );
}

/** The key is completed: only what was answered is out of reach, for now or, with an error that no retry helps, for good. */
function resultUnavailable(error: Error, problem: MakeProblem): HttpResponse {
  if ('isRetryable' in error && error.isRetryable === false) return responseNotKept(problem);
  return problem(
    'response-unavailable',
    'The first request with this key was carried out. Its response cannot be read now. Try again later with the same key.',
    { retryAfterSeconds: 1 },
  );
}

/** This request did not run; the store could not say whether an earlier one did. */
function notKnown(problem: MakeProblem): HttpResponse {
  return problem(
    'store-unavailable',
    'This request was not carried out, because its key could not be looked up. Whether an earlier request with this key was carried out is not known. Try again with the same key.',
    { retryAfterSeconds: 1 },
  );
}
