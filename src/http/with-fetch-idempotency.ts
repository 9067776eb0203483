import { builtIn } from '../base/built-in.ts';
import type { CallContext } from '../functions/call-context.ts';
import { UnsupportedEventError } from '../sources/errors.ts';
import { type Answered, type Content, type HttpRequest, type HttpResponse, queryOf } from './exchange.ts';
import { isObject } from '../base/is-object.ts';
import { assertFunction, madeFunction } from '../options/check-options.ts';
import { idempotentHttp } from './idempotent-http.ts';
import type { HttpIdempotencyOptions } from './options.ts';

const { isUtf8 } = builtIn('node:buffer');

/**
 * Makes a handler of web-standard requests (Hono, Next.js, Bun, Deno, any fetch-style server) run once for
 * each `Idempotency-Key` of a caller, as draft-ietf-httpapi-idempotency-key-header specifies. Later requests
 * get the stored response with `Idempotency-Replayed: true`, concurrent ones 409, and other payloads 422. The
 * key is free again if the handler throws, which is passed on, or answers 401, 403, 407, 408, 425, 429, or
 * 500 and above (`keepServerErrors`). After any other response it does not run again, even if reading that
 * response fails.
 *
 * The handler gets the original request with its body unread. Its response is read up to `maxResponseBytes`
 * before it is sent; a longer one is streamed and not stored. Further arguments are passed on. Throws a
 * `ConfigurationError` at start.
 *
 * @typeParam Rest The handler's further parameters.
 * @param handler The handler of a request.
 * @param options The scope of keys, and what is stored of responses.
 *
 * @example
 * app.post('/payments', (c) => createPayment(c.req.raw));
 * const createPayment = withFetchIdempotency((request) => pay(request), {
 *   namespace: 'payments',
 *   // From the verified token, never from a header that the client can set.
 *   scope: async (request) => (await verifyToken(request)).sub,
 * });
 */
export function withFetchIdempotency<Rest extends unknown[]>(
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: HttpIdempotencyOptions<Request>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  assertFunction('handler', handler);
  return withFetchIdempotencyContext(() => handler, options);
}

/**
 * Like `withFetchIdempotency`, for a handler that uses its attempt's context (see
 * `withHttpIdempotencyContext`). After a commit the client gets the committed response, whatever the handler
 * returns. The body of a committed `Response` has been read.
 *
 * @typeParam Rest The handler's further parameters.
 * @param makeHandler Returns the handler of a request.
 * @param options The scope of keys, and what is stored of responses.
 * @throws `ConfigurationError` at start for an unknown, missing or invalid option.
 *
 * @example
 * const createPayment = withFetchIdempotencyContext(
 *   (context) => async (request: Request) =>
 *     inTransaction(context, async (client) =>
 *       Response.json(await insertPayment(client, await request.json())),
 *     ),
 *   { namespace: 'payments', scope: async (request) => (await verifyToken(request)).sub, store },
 * );
 */
export function withFetchIdempotencyContext<Rest extends unknown[]>(
  makeHandler: (
    context: CallContext | undefined,
  ) => (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: HttpIdempotencyOptions<Request>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const answer = idempotentHttp<Request, Response>(makeHandler, options);
  return async (request, ...rest) => {
    const pass = async (context?: CallContext): Promise<Response> =>
      madeFunction(makeHandler(context))(request, ...rest);
    const carrier = { read, give: toResponse, remainingTimeMs: undefined, lockedBy: undefined };
    return answer({ request: readRequest(request), pass, ...carrier }, request);
  };
}

function readRequest(request: Request): HttpRequest {
  assertRequest(request);
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method.toUpperCase(),
    path: pathname,
    query: queryOf(search),
    header(name) {
      const value = request.headers.get(name);
      return value === null ? [] : [value];
    },
    async body(maxBytes) {
      if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return 'too large';
      if (request.bodyUsed || request.body?.locked === true) {
        throw new UnsupportedEventError(
          'Cannot read the body of this request, which was read before: pass a clone, made before that ' +
            '(in Hono `await cloneRawRequest(c.req)`), or read the body in the handler',
        );
      }
      // Read a clone: the handler gets the original, with whatever its server added to it.
      const read = await readBounded(request.clone().body, maxBytes);
      if ('bytes' in read) return read.bytes;
      read.rest.cancel().catch(() => undefined); // the rest is not needed
      return 'too large';
    },
  };
}

/** Checks the members, since `instanceof` fails for requests of another realm or a polyfill. */
function assertRequest(request: unknown): asserts request is Request {
  const members = (isObject(request) ? request : {}) as { readonly [name in keyof Request]?: unknown };
  const headers = members.headers as Partial<Headers> | null | undefined;
  if (typeof members.clone === 'function' && typeof headers?.get === 'function') return;
  const shown = isObject(request)
    ? `an object of ${request.constructor?.name ?? 'no class'}`
    : typeof request;
  throw new UnsupportedEventError(
    `Expected a web-standard Request, got ${shown}: in Hono pass \`c.req.raw\`, and wrap a handler of ` +
      'Lambda events with withHttpIdempotency',
  );
}

/** Reads a response, and returns one for the client. Never rejects: the handler has already run. */
async function read(response: Response, maxBytes: number): Promise<Answered<Response>> {
  let answered: Answered<Response> = {
    native: response,
    status: undefined,
    headers: [],
    content: 'unreadable',
  };
  try {
    const { status } = Object(response) as Response; // a handler may have returned nothing
    if (!Number.isInteger(status) || status < 200 || status > 599) return answered;
    answered = { ...answered, status };
    answered = { ...answered, headers: [...response.headers] }; // one entry for each set-cookie
    if (response.body === null) return { ...answered, content: { body: '', isBase64Encoded: false } };
    const body = await readBounded(response.body, maxBytes);
    return 'bytes' in body
      ? { ...answered, native: new Response(body.bytes, response), content: contentOf(body.bytes) }
      : { ...answered, native: new Response(flowingOn(body), response), content: 'too-large' };
  } catch (error) {
    return { ...answered, thrown: { error } };
  }
}

function contentOf(bytes: Buffer): Content {
  const isText = isUtf8(bytes);
  return { body: bytes.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** A body longer than the limit: what was read, and the reader of the rest. */
interface LongBody {
  readonly head: readonly Uint8Array[];
  readonly rest: ReadableStreamDefaultReader<Uint8Array>;
}

/** Reads a stream until its end or until it exceeds `maxBytes`. */
async function readBounded(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer<ArrayBuffer> } | LongBody> {
  if (stream === null) return { bytes: Buffer.alloc(0) };
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(chunks, length) };
    if (!isBytes(value)) throw new TypeError('Expected the body to be a stream of Uint8Array chunks');
    chunks.push(value);
    length += value.byteLength;
    if (length > maxBytes) return { head: chunks, rest: reader };
  }
}

/** Checks the tag, since `instanceof` fails for chunks of another realm. */
function isBytes(chunk: unknown): boolean {
  return Object.prototype.toString.call(chunk) === '[object Uint8Array]';
}

function flowingOn({ head, rest }: LongBody): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of head) controller.enqueue(chunk);
    },
    async pull(controller) {
      const { done, value } = await rest.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => rest.cancel(reason),
  });
}

const WITHOUT_BODY = new Set([204, 205, 304]);

function toResponse({ status, headers, body, isBase64Encoded }: HttpResponse): Response {
  // Send bytes: for a string, Response would add its own content type.
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return new Response(WITHOUT_BODY.has(status) || body === '' ? null : bytes, {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}
