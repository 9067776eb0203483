import type { HttpResponse } from './exchange.ts';

/** The draft that these answers follow, where the API has no page of its own about them. */
const DRAFT = 'https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/';

type ProblemName =
  | 'key-missing'
  | 'key-malformed'
  | 'caller-unknown'
  | 'replay-refused'
  | 'in-progress'
  | 'outcome-unknown'
  | 'response-not-kept'
  | 'body-too-large'
  | 'key-reused'
  | 'not-started'
  | 'response-unavailable'
  | 'store-unavailable';

const PROBLEMS: Readonly<Record<ProblemName, readonly [status: number, title: string]>> = {
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
};

export type MakeProblem = (
  name: ProblemName,
  detail: string,
  options?: { readonly retryAfterSeconds?: number },
) => HttpResponse;

/**
 * Makes `application/problem+json` responses (RFC 9457) that link to the page about them, as the draft wants it. The
 * type is a name, not an address: tell problems apart by it.
 */
export function problemsOf(documentation: string | undefined): MakeProblem {
  return (name, detail, { retryAfterSeconds } = {}) => {
    const [status, title] = PROBLEMS[name];
    return {
      status,
      headers: [
        ['content-type', 'application/problem+json'],
        ['content-language', 'en'],
        ['link', `<${documentation ?? DRAFT}>; rel="describedby"; type="text/html"`],
        ['cache-control', 'no-store'],
        ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
      ],
      body: JSON.stringify({ type: `urn:problem-type:batchlatch:${name}`, title, status, detail }),
      isBase64Encoded: false,
    };
  };
}
