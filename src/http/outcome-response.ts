import { CompletionNotStoredError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import type { Clock } from '../base/clock.ts';
import { BatchlatchError, hasCode, mayPass } from '../base/errors.ts';
import { jsonIn } from '../claims/row-format.ts';
import type { CallOutcome } from '../functions/run-once.ts';
import { type Answered, attempted, type Exchange, type HttpResponse } from './exchange.ts';
import type { HttpSettings } from './options.ts';
import { RESPONSE_NOT_KEPT } from './request-call.ts';

/** What the client gets for how the call of its key ended. Throws what the handler threw. */
export async function respond<Native>(
  outcome: CallOutcome<Answered<Native>>,
  exchange: Exchange<Native>,
  settings: HttpSettings,
  clock: Clock,
): Promise<Native> {
  const { give } = exchange;
  const { problem, onError } = settings;
  switch (outcome.status) {
    case 'returned':
      noteUnlessStored(outcome, settings);
      if (outcome.value.thrown !== undefined) throw outcome.value.thrown.error;
      if (outcome.value.content === 'unreadable' && outcome.ending.end !== 'fail')
        onError(new ResponseUnreadableError());
      // Also if it could not be stored: an error would make the client repeat what is done.
      return outcome.value.native;
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

/** The response to the first request, or why it cannot be given: for a caller that may know how that ended. */
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
  // Filtered again: what is stored may be older than the options.
  return { ...kept, headers: [...keepHeaders(kept.headers), ['idempotency-replayed', 'true']] };
}

/** Nothing where a person marked the key as done, or where the row holds what this did not write. */
function storedResponse(result: string | undefined): HttpResponse | undefined {
  const { status, headers, body, isBase64Encoded } = (jsonIn(result) ?? {}) as HttpResponse;
  const isResponse = Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string';
  return isResponse ? { status, headers, body, isBase64Encoded } : undefined;
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
