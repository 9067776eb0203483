import { CompletionNotStoredError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import { BatchlatchError, hasCode } from '../base/errors.ts';
import type { CallOutcome, CallPorts } from '../functions/run-once.ts';
import { type Answered, attempted, type Exchange, type HttpResponse } from './exchange.ts';
import type { HttpSettings } from './options.ts';
import type { MakeProblem } from './problems.ts';
import { RESPONSE_NOT_KEPT } from './request-call.ts';

/** What the client gets for how the call of its key ended. Throws what the handler threw. */
export async function respond<Native>(
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
      // Also if it could not be stored: an error would make the client repeat what is done.
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
          'This key was used before with another method, path, query or body. Use a new key.',
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

/** The response to a caller that may not know how the first request ended. */
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
    'This caller is not allowed to see the response to the first request with this key.',
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

/** The key is completed: only its response cannot be read, for now or, with an error that is not retryable, for good. */
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

/** The handler ran, but its response is not an HTTP response. The key is completed; the handler must be fixed. */
class ResponseUnreadableError extends BatchlatchError {
  constructor() {
    super(
      'BATCHLATCH_RESPONSE_UNREADABLE',
      'The handler ran, but its response is not an HTTP response: expected a status from 200 to 599 and a body that is a string. It does not run again for this key; fix the handler',
    );
  }
}
