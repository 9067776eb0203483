import type { Ending } from '../attempts/ending.ts';
import { CommitResultError, CompletionNotStoredError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import type { Clock } from '../base/clock.ts';
import { BatchlatchError, hasCode, mayPass } from '../base/errors.ts';
import { toStoredError } from '../claims/claim.ts';
import { jsonIn } from '../claims/row-format.ts';
import type { Call, CallOutcome } from '../functions/run-once.ts';
import { type Answered, attempted, type Exchange, type HttpResponse } from './exchange.ts';
import type { HttpSettings } from './options.ts';

/** Statuses that depend on the caller (401, 403, 407) or the time (408, 425, 429), so they are not stored. */
const ABOUT_THE_ATTEMPT = new Set([401, 403, 407, 408, 425, 429]);

/**
 * Stored, not thrown: the response is larger than `maxResponseBytes`. Later requests get 410. Code:
 * `BATCHLATCH_RESPONSE_NOT_KEPT`.
 *
 * @remarks Return less, or increase `maxResponseBytes`.
 */
const RESPONSE_NOT_KEPT = 'BATCHLATCH_RESPONSE_NOT_KEPT';

const NOT_KEPT: Ending = {
  end: 'park',
  isAnswer: true,
  error: {
    name: 'ResponseNotKept',
    code: RESPONSE_NOT_KEPT,
    message: 'The request was carried out; its response is too large to keep',
  },
  problem: 'the response is too large to keep',
};

const UNREADABLE: Ending = {
  end: 'park',
  isAnswer: true,
  error: {
    name: 'ResponseUnreadable',
    code: 'BATCHLATCH_RESPONSE_UNREADABLE',
    message: 'The handler ran, but its response is not an HTTP response',
  },
  problem: 'it is not an HTTP response',
};

type RunAndEnds<Value> = Omit<Call<Value>, 'key' | 'payloadHash' | 'lockedBy' | 'endsAt'>;

/** Returns how to run the handler of a request, and how its response settles the claim. */
export function runAndEnds<Native>(
  exchange: Exchange<Native>,
  settings: HttpSettings,
): RunAndEnds<Answered<Native>> {
  const { maxResponseBytes, keepHeaders } = settings;
  const completed = (response: HttpResponse): Ending => {
    const result = JSON.stringify({ ...response, headers: keepHeaders(response.headers) });
    return Buffer.byteLength(result) > maxResponseBytes ? NOT_KEPT : { end: 'complete', result };
  };
  return {
    run: async (context) => exchange.read(await exchange.pass(context), maxResponseBytes),
    async toValue(native) {
      const answered = await exchange.read(native as Native, maxResponseBytes);
      const isBroken = answered.status !== undefined && answered.content === 'unreadable';
      if (isBroken) throw new CommitResultError('the body of the response cannot be read');
      return answered;
    },
    endOf({ status, headers, content }) {
      if (status === undefined) return UNREADABLE;
      if (!isAnswer(status, settings)) return failed(`it answered ${status}`);
      if (content === 'too-large') return NOT_KEPT;
      return content === 'unreadable'
        ? completed({ status, headers: withoutContent(headers), body: '', isBase64Encoded: false })
        : completed({ status, headers, ...content });
    },
    endOfTooLarge: () => NOT_KEPT,
    // If the handler throws, the key is free for a retry.
    endOfFailure: (error) => ({ end: 'fail', error: toStoredError(error) }),
  };
}

function withoutContent(headers: HttpResponse['headers']): HttpResponse['headers'] {
  return headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
}

/** Whether a status is stored and replayed; if not, the client may retry with the same key. */
function isAnswer(status: number, { keepServerErrors }: HttpSettings): boolean {
  return status >= 500 ? keepServerErrors : !ABOUT_THE_ATTEMPT.has(status);
}

function failed(reason: string): Ending {
  const error = { name: 'NotKept', message: `The handler may run again: ${reason}` };
  return { end: 'fail', error, problem: `${reason}, which is not kept` };
}

/** Returns the response for the outcome of a call. Throws what the handler threw. */
export async function respond<Native>(
  outcome: CallOutcome<Answered<Native>>,
  exchange: Exchange<Native>,
  settings: HttpSettings,
  clock: Clock,
): Promise<Native> {
  const { give } = exchange;
  const { problem, onError } = settings;
  switch (outcome.status) {
    case 'returned': {
      const { thrown, content, native } = outcome.value;
      noteUnlessStored(outcome, settings);
      if (content === 'unreadable' && outcome.ending.end !== 'fail')
        onError(new ResponseUnreadableError(thrown && { cause: thrown.error }));
      if (thrown !== undefined) throw thrown.error;
      // Even if the completion was not stored: an error would make the client repeat finished work.
      return native;
    }
    case 'threw':
      throw outcome.error;
    case 'conflict': {
      const seconds = Math.ceil((outcome.leaseUntil - clock.now()) / 1_000);
      return give(problem('in-progress', { retryAfterSeconds: Math.max(1, seconds) }));
    }
    case 'not-started':
      return give(problem('not-started'));
    case 'mismatch':
      return give(problem('key-reused'));
    case 'duplicate':
    case 'parked':
      return give(await endOfTheFirst(outcome, exchange, settings));
    case 'error': {
      onError(outcome.error);
      const isDone = hasCode(outcome.error, 'BATCHLATCH_RESULT_UNAVAILABLE');
      return give(isDone ? await endOfTheFirst(outcome, exchange, settings) : problem('store-unavailable'));
    }
  }
}

function noteUnlessStored(
  { ending, settled }: Extract<CallOutcome<unknown>, { status: 'returned' }>,
  { onError }: HttpSettings,
): void {
  if (settled === 'stored') return;
  if (settled === 'lost') onError(new LeaseLostError());
  else
    onError(ending.end === 'fail' ? settled.error : new CompletionNotStoredError({ cause: settled.error }));
}

/** Returns the response to the first request, or a problem that says why this caller cannot get it. */
async function endOfTheFirst<Native>(
  outcome: Extract<CallOutcome<unknown>, { status: 'duplicate' | 'parked' | 'error' }>,
  { mayReplay }: Exchange<Native>,
  { problem, keepHeaders, onError }: HttpSettings,
): Promise<HttpResponse> {
  const allowed = await attempted(mayReplay);
  if ('thrown' in allowed) onError(allowed.thrown);
  if ('thrown' in allowed || allowed.value !== true) return problem('replay-refused');
  if (outcome.status === 'parked') {
    return problem(outcome.error?.code === RESPONSE_NOT_KEPT ? 'response-not-kept' : 'outcome-unknown');
  }
  if (outcome.status === 'error') {
    return problem(mayPass(outcome.error) ? 'response-unavailable' : 'response-not-kept');
  }
  const kept = storedResponse(outcome.result);
  if (kept === undefined) return problem('response-not-kept');
  // The options may have changed since it was stored.
  return { ...kept, headers: [...keepHeaders(kept.headers), ['idempotency-replayed', 'true']] };
}

/** Returns undefined if a person marked the key as done, or the row holds something else. */
function storedResponse(result: string | undefined): HttpResponse | undefined {
  const { status, headers, body, isBase64Encoded } = (jsonIn(result) ?? {}) as HttpResponse;
  const isResponse = Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string';
  return isResponse ? { status, headers, body, isBase64Encoded } : undefined;
}

/**
 * An HTTP handler ran, but did not return an HTTP response. Later requests get the status without a body, or
 * 409. Code: `BATCHLATCH_RESPONSE_UNREADABLE`.
 *
 * @remarks Fix the handler.
 */
class ResponseUnreadableError extends BatchlatchError {
  override name = 'ResponseUnreadableError';
  constructor(options?: { cause: unknown }) {
    super(
      'BATCHLATCH_RESPONSE_UNREADABLE',
      'The handler ran, but did not return an HTTP response: expected a status from 200 to 599 ' +
        'and a string body. It does not run again for this key',
      options,
    );
  }
}
