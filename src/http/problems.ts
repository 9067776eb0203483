import type { HttpResponse } from './exchange.ts';

/** The default page that problem responses link to: the draft they follow. */
const DRAFT = 'https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/';

const PROBLEMS = {
  'key-missing': [400, 'Idempotency-Key is missing'],
  'key-malformed': [400, 'Idempotency-Key is malformed'],
  'caller-unknown': [403, 'The caller is unknown'],
  'replay-refused': [403, 'The response to the first request is not for this caller'],
  'in-progress': [409, 'A request is outstanding for this Idempotency-Key'],
  'outcome-unknown': [409, 'The outcome of the first request is unknown'],
  'response-not-kept': [410, 'The response to the first request was not kept'],
  'body-too-large': [413, 'The request body is too large'],
  'key-reused': [422, 'Idempotency-Key is already used'],
  'not-started': [503, 'The request was not started'],
  'response-unavailable': [503, 'The response to the first request cannot be read now'],
  'store-unavailable': [503, 'Idempotency cannot be ensured now'],
} as const;

/** The details of problems that do not depend on the request. */
const DETAILS: Readonly<Partial<Record<keyof typeof PROBLEMS, string>>> = {
  'caller-unknown': 'The request does not say whose idempotency key it carries.',
  'replay-refused': 'This caller is not allowed to see the response to the first request with this key.',
  'in-progress': 'The first request with this key has not ended yet. Try again later.',
  'outcome-unknown':
    'The first request with this key ended without a response. ' +
    'It is not carried out again until its outcome is known.',
  'response-not-kept': 'The first request with this key was carried out. Its response cannot be repeated.',
  'key-reused': 'This key was used before with another method, path, query or body. Use a new key.',
  'not-started': 'No time was left to start: nothing was run for this request. Try again with the same key.',
  'response-unavailable':
    'The first request with this key was carried out. Its response cannot be read now. ' +
    'Try again later with the same key.',
  'store-unavailable':
    'This request was not carried out, because its key could not be looked up. ' +
    'Whether an earlier request with this key was carried out is not known. Try again with the same key.',
};

export type MakeProblem = (
  name: keyof typeof PROBLEMS,
  given?: { readonly detail?: string; readonly retryAfterSeconds?: number },
) => HttpResponse;

/** Returns a function that makes RFC 9457 problem responses. A 503 may be retried in a second. */
export function problemsOf(documentation: string = DRAFT): MakeProblem {
  return (name, given = {}) => {
    const [status, title] = PROBLEMS[name];
    const { detail = DETAILS[name], retryAfterSeconds = status === 503 ? 1 : undefined } = given;
    return {
      status,
      headers: [
        ['content-type', 'application/problem+json'],
        ['content-language', 'en'],
        ['link', `<${documentation}>; rel="describedby"; type="text/html"`],
        ['cache-control', 'no-store'],
        ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
      ],
      body: JSON.stringify({ type: `urn:problem-type:batchlatch:${name}`, title, status, detail }),
      isBase64Encoded: false,
    };
  };
}
