import { hasCode } from '../tool-base/errors.ts';
import { CREDENTIALS, explain, NOT_AN_OUTBOX } from '../tool-base/known-errors.ts';
import type { ErrorJson } from './api.ts';

/** An error that the API returns with its status and code. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'bad-request', message);
}

/** Converts a thrown value to the status and body of the response. */
export function answerFor(thrown: unknown): { readonly status: number; readonly body: ErrorJson } {
  if (thrown instanceof ApiError) return told(thrown.status, thrown.code, thrown.message);
  if (hasCode(thrown, 'BATCHLATCH_CONFIGURATION')) {
    return told(400, 'BATCHLATCH_CONFIGURATION', messageOf(thrown));
  }
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return told(isOutage(thrown) ? 503 : 500, typeof code === 'string' ? code : 'failed', messageOf(thrown));
}

/** The SDK may wrap a network error, which then has its code in the message alone. */
const NETWORK = /\b(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EPIPE)\b/;

/** Returns whether the store or SQS does not answer now and may answer later. */
function isOutage(thrown: unknown): boolean {
  const { code, isRetryable } = (thrown ?? {}) as { readonly code?: unknown; readonly isRetryable?: unknown };
  const isOfStore = String(code).startsWith('BATCHLATCH_STORE');
  return (isOfStore && isRetryable === true) || NETWORK.test(`${String(code)} ${messageOf(thrown)}`);
}

function told(
  status: number,
  code: string,
  message: string,
): { readonly status: number; readonly body: ErrorJson } {
  return { status, body: { error: { code, message } } };
}

/** Returns the advice for a known error; of others the message, after a name that adds to it. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const advice = explain(thrown, [...CREDENTIALS, NOT_AN_OUTBOX]);
  if (advice !== undefined) return advice;
  const { message, name } = thrown;
  if (message === '') return name;
  return name === 'Error' || name.startsWith('Api') || 'code' in thrown ? message : `${name}: ${message}`;
}
