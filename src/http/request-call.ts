import { Buffer } from 'node:buffer';
import { toStoredError } from '../claims/claim.ts';
import type { Ending } from '../attempts/ending.ts';
import { CommitResultError } from '../attempts/errors.ts';
import type { Call } from '../functions/run-once.ts';
import type { Answered, Exchange, HttpResponse } from './exchange.ts';
import type { HttpSettings } from './options.ts';

/** Statuses that depend on who asked (401, 403, 407) or when (408, 425, 429): the next try may get another. */
const ABOUT_THE_ATTEMPT = new Set([401, 403, 407, 408, 425, 429]);

/** Of a request that was carried out, and whose response could not be kept. */
export const RESPONSE_NOT_KEPT = 'BATCHLATCH_RESPONSE_NOT_KEPT';

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

/** How the handler of a request is run, and how its claim ends for what it answered. */
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
    // A handler that throws leaves the key free for the client's next try.
    endOfFailure: (error) => ({ end: 'fail', error: toStoredError(error) }),
  };
}

/** The headers of a response without its body: none that describe the body. */
function withoutContent(headers: HttpResponse['headers']): HttpResponse['headers'] {
  return headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
}

/** Whether a status is the answer to the key, and replayed; if not, the client may try again with the same key. */
function isAnswer(status: number, { keepServerErrors }: HttpSettings): boolean {
  return status >= 500 ? keepServerErrors : !ABOUT_THE_ATTEMPT.has(status);
}

function failed(reason: string): Ending {
  const error = { name: 'NotKept', message: `The handler may run again: ${reason}` };
  return { end: 'fail', error, problem: `${reason}, which is not kept` };
}
