import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, badRequest } from '../console/api-error.ts';
import type { WholeAnswer } from '../console/whole-answer.ts';

/** An HTTP request that Lambda passes to a function, from a load balancer or a function URL. */
export interface FunctionRequest {
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders;
  /** The context that the sender of the event wrote. */
  readonly context: unknown;
  readonly body: () => string;
  /** Whether the load balancer sends and expects a list of values for each header. */
  readonly isMultiValue: boolean;
}

/** The response that Lambda passes on. */
export interface FunctionResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

type Values = Readonly<Record<string, string | readonly string[]>>;

interface HttpEvent {
  readonly headers?: Values | null;
  readonly multiValueHeaders?: Values | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  // A load balancer's.
  readonly httpMethod?: string;
  readonly path?: string;
  readonly queryStringParameters?: Values | null;
  readonly multiValueQueryStringParameters?: Values | null;
  // A function URL's.
  readonly rawPath?: string;
  readonly rawQueryString?: string;
  readonly requestContext?: { readonly http?: { readonly method?: string } };
}

const LONGEST_BODY = 1_048_576;

/** Reads a request. Throws an `ApiError` for an event of another kind. */
export function requestIn(given: unknown): FunctionRequest {
  const event = (typeof given === 'object' ? (given ?? {}) : {}) as HttpEvent;
  const { requestContext, httpMethod, path, rawPath, rawQueryString = '', multiValueHeaders } = event;
  const method = httpMethod ?? requestContext?.http?.method;
  const pathname = path ?? rawPath;
  if (typeof method !== 'string' || typeof pathname !== 'string')
    throw badRequest('The event is not a request. Invoke the function by its load balancer or function URL.');
  const isMultiValue = multiValueHeaders !== undefined && multiValueHeaders !== null;
  const query =
    httpMethod === undefined
      ? new URLSearchParams(rawQueryString)
      : encodedQuery(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {});
  return {
    method,
    pathname,
    query,
    headers: headersIn(multiValueHeaders ?? event.headers ?? {}),
    context: requestContext,
    body: () => bodyIn(event),
    isMultiValue,
  };
}

/** A load balancer passes names and values as they are in the address, encoded. */
function encodedQuery(values: Values): URLSearchParams {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${one}`),
  );
  return new URLSearchParams(pairs.join('&'));
}

/** Drops headers that were sent twice: it is not known which value counts. */
function headersIn(values: Values): IncomingHttpHeaders {
  const one = Object.entries(values).flatMap(([name, value]) => {
    const all = [value].flat();
    return all.length === 1 ? [[name.toLowerCase(), all[0]] as const] : [];
  });
  return Object.fromEntries(one);
}

function bodyIn({ body, isBase64Encoded }: HttpEvent): string {
  const text = body ?? '';
  const content = Buffer.from(text, isBase64Encoded === true ? 'base64' : 'utf8');
  if (content.length <= LONGEST_BODY) return content.toString('utf8');
  throw new ApiError(413, 'too-long', 'The request body is larger than 1 MB. Select fewer claims.');
}

/** Returns the response for Lambda. A load balancer refuses one of more than 1 MB. */
export function responseOf({ status, headers, body }: WholeAnswer, isMultiValue: boolean): FunctionResponse {
  const isText = /^text\/|json|javascript|svg/.test(headers['Content-Type'] ?? '');
  return {
    statusCode: status,
    ...(isMultiValue
      ? { multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, [one]])) }
      : { headers }),
    body: body.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  };
}
