import { Buffer } from 'node:buffer';
import { CompletionNotStoredError, LeaseLostError } from '../claims/attempt-errors.ts';
import { type StoredError, toStoredError } from '../claims/claim.ts';
import { leaseClock } from '../functions/lease-clock.ts';
import {
  type Call,
  type CallOutcome,
  type CallPorts,
  type Ending,
  runOnce,
  type Work,
} from '../functions/run-once.ts';
import { keyString } from '../keys/key-string.ts';
import { fingerprint } from './fingerprint.ts';
import { type HttpRequest, type HttpResponse, keptHeaders } from './http-message.ts';
import { readKeyHeader } from './idempotency-key-header.ts';
import type { HttpSettings } from './options.ts';
import type { MakeProblem } from './problems.ts';

/** One request in the shape of its carrier, which knows how to run it and how to answer it. */
export interface Exchange<Native> {
  readonly request: HttpRequest;
  /** Whose key it is; throws, or gives nothing, where the caller is unknown. */
  readonly scope: () => unknown;
  /** Runs the handler and leaves its answer alone. */
  readonly pass: () => Promise<Native>;
  /** Runs the handler and reads its answer. */
  readonly run: (maxResponseBytes: number) => Promise<Answered<Native>>;
  readonly give: (response: HttpResponse) => Native;
  readonly remainingTimeMs: number | undefined;
  readonly lockedBy: string | undefined;
}

/** What a handler answered, and what can be kept of it. `no-response`: nothing that a replay could be made of. */
export interface Answered<Native> {
  readonly native: Native;
  readonly kept: HttpResponse | 'too-large' | 'no-response';
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

/** Runs the handler of one request once for its key, and answers every repetition as the draft says. */
export async function answerOnce<Native>(
  exchange: Exchange<Native>,
  settings: HttpSettings,
  ports: CallPorts,
  onError: (error: unknown) => void,
): Promise<Native> {
  const { request, give } = exchange;
  const { problem } = settings;
  if (SAFE.has(request.method)) return exchange.pass();

  const header = readKeyHeader(request.header(settings.header));
  if (header.kind === 'missing') {
    if (!settings.isRequired) return exchange.pass();
    return give(problem('key-missing', `This operation needs the header \`${settings.header}\`.`));
  }
  if (header.kind === 'malformed') {
    return give(
      problem('key-malformed', `The header \`${settings.header}\` cannot be used: ${header.reason}.`),
    );
  }

  let key: string;
  try {
    key = keyOf(header.key, exchange, settings);
  } catch (error) {
    // A request without a caller is the client's affair; a `scope` that throws may not be.
    if (error instanceof Error && error.cause !== undefined) onError(error);
    return give(problem('caller-unknown', 'The request does not say whose idempotency key it carries.'));
  }
  const body = await request.body(settings.maxBodyBytes);
  if (body === 'too large') {
    return give(problem('body-too-large', `The body is larger than ${settings.maxBodyBytes} bytes.`));
  }
  const call: Call = {
    key,
    payloadHash: fingerprint(request, body),
    lockedBy: exchange.lockedBy,
    leases: leaseClock(settings.leaseMs, exchange.remainingTimeMs, ports.clock),
  };
  const outcome = await runOnce(call, workOf(exchange, settings), settings, ports);
  return answer(outcome, exchange, settings, ports, onError);
}

/** Scope and key as one JSON text, so that they cannot run into each other. */
function keyOf<Native>(key: string, { scope }: Exchange<Native>, { namespace }: HttpSettings): string {
  return keyString({
    of: 'request',
    prefix: { namespace: () => namespace, version: VERSION },
    key: () => {
      const owner = scope();
      return typeof owner === 'string' && owner !== '' ? JSON.stringify([owner, key]) : undefined;
    },
  });
}

function workOf<Native>(exchange: Exchange<Native>, settings: HttpSettings): Work<Answered<Native>> {
  const notKept: Ending = { end: 'park', error: RESPONSE_NOT_KEPT, retentionMs: settings.retentionMs };
  return {
    run: () => exchange.run(settings.maxResponseBytes),
    endOf({ kept }) {
      if (kept === 'no-response') return failed('it gave no HTTP response');
      if (kept === 'too-large') return notKept;
      if (!isAnswer(kept.status, settings)) return failed(`it answered ${kept.status}`);
      const result = JSON.stringify({ ...kept, headers: keptHeaders(kept.headers) });
      const isTooLarge = Buffer.byteLength(result) > settings.maxResponseBytes;
      return isTooLarge ? notKept : { end: 'complete', result };
    },
    endOfTooLarge: () => notKept,
    // A handler that throws leaves the key free for the client's next try.
    endOfFailure: (error) => ({ end: 'fail', error: toStoredError(error) }),
  };
}

/** Whether a status is the answer to the key, and replayed; if not, the client may try again with the same key. */
function isAnswer(status: number, { keepServerErrors }: HttpSettings): boolean {
  return status >= 500 ? keepServerErrors : !ABOUT_THE_ATTEMPT.has(status);
}

function failed(reason: string): Ending {
  return { end: 'fail', error: { name: 'NotKept', message: `The handler may run again: ${reason}` } };
}

function answer<Native>(
  outcome: CallOutcome<Answered<Native>>,
  { give }: Exchange<Native>,
  { problem }: HttpSettings,
  { clock }: CallPorts,
  onError: (error: unknown) => void,
): Native {
  switch (outcome.status) {
    case 'returned':
      noteUnlessStored(outcome, onError);
      // Also when it could not be stored: an error would make the client send again what is done.
      return outcome.value.native;
    case 'threw':
      throw outcome.error;
    case 'duplicate':
      return give(replayOf(outcome.result, problem));
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
        problem('store-unavailable', 'The request was not carried out. Try again with the same key.', {
          retryAfterSeconds: 1,
        }),
      );
    case 'mismatch':
      return give(
        problem(
          'key-reused',
          'This key came before with another method, path, query or body. Use a new key.',
        ),
      );
    case 'parked':
      return give(
        outcome.error?.code === RESPONSE_NOT_KEPT.code ? responseNotKept(problem) : outcomeUnknown(problem),
      );
    case 'error':
      onError(outcome.error);
      return give(
        problem('store-unavailable', 'The request was not carried out. Try again with the same key.', {
          retryAfterSeconds: 1,
        }),
      );
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

function replayOf(result: string | undefined, problem: MakeProblem): HttpResponse {
  if (result === undefined) return responseNotKept(problem); // marked as done by a person
  const kept = JSON.parse(result) as HttpResponse;
  return { ...kept, headers: [...kept.headers, ['idempotency-replayed', 'true']] };
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
