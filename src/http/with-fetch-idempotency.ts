import { Buffer } from 'node:buffer';
import type { Answered } from './answer-once.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { idempotentHttp } from './idempotent-http.ts';
import type { HttpIdempotencyOptions } from './options.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Makes a handler of web-standard requests (Hono, Next.js route handlers, Bun, Deno, any fetch-style server) run once
 * for each `Idempotency-Key` of a caller, as draft-ietf-httpapi-idempotency-key-header says: later requests get the
 * stored response with `Idempotency-Replayed: true`, concurrent ones 409, other payloads 422. What the handler throws
 * is thrown on, and the key is free again.
 *
 * The handler gets the request itself, its body unread. Its response is read up to `maxResponseBytes` before it goes
 * out; a longer one flows on, and is not kept. Further arguments are handed on. Throws a `ConfigurationError` at start.
 *
 * @example
 * app.post('/payments', (c) => createPayment(c.req.raw));
 * const createPayment = withFetchIdempotency(async (request) => Response.json(await charge(await request.json())), {
 *   namespace: 'payments',
 *   scope: (request) => tenantOf(request),
 * });
 */
export function withFetchIdempotency<Rest extends unknown[]>(
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: HttpIdempotencyOptions<Request>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const answer = idempotentHttp<Request, Response>(handler, options);
  return async (request, ...rest) => {
    const pass = async (): Promise<Response> => handler(request, ...rest);
    const exchange = {
      request: readRequest(request),
      pass,
      run: async (maxResponseBytes: number) => keep(await pass(), maxResponseBytes),
      give: toResponse,
      remainingTimeMs: undefined,
      lockedBy: undefined,
    };
    return answer(exchange, request);
  };
}

function readRequest(request: Request): HttpRequest {
  const { pathname, searchParams } = new URL(request.url);
  return {
    method: request.method.toUpperCase(),
    path: pathname,
    query: [...searchParams],
    header(name) {
      const value = request.headers.get(name);
      return value === null ? [] : [value];
    },
    async body(maxBytes) {
      if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return 'too large';
      // Of a clone: the handler gets the request itself, with whatever its server has added to it.
      const read = await readBounded(request.clone().body, maxBytes);
      if ('bytes' in read) return read.bytes;
      read.rest.cancel().catch(() => undefined); // nobody waits for what is left
      return 'too large';
    },
  };
}

/** The response for the client, as the handler gave it, and what is kept of it. */
async function keep(response: Response, maxResponseBytes: number): Promise<Answered<Response>> {
  const { status, statusText, headers } = response;
  if (status < 200 || status > 599) return { native: response, kept: 'no-response' };
  if (response.body === null) return { native: response, kept: toKept(response, new Uint8Array()) };
  const read = await readBounded(response.body, maxResponseBytes);
  const init = { status, statusText, headers };
  if ('bytes' in read) {
    return { native: new Response(read.bytes, init), kept: toKept(response, read.bytes) };
  }
  return { native: new Response(flowingOn(read), init), kept: 'too-large' };
}

function toKept({ status, headers }: Response, bytes: Uint8Array): HttpResponse {
  const text = asText(bytes);
  return {
    status,
    headers: [...headers], // one entry for each set-cookie
    body: text ?? Buffer.from(bytes).toString('base64'),
    isBase64Encoded: text === undefined,
  };
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function flowingOn({
  head,
  rest,
}: {
  readonly head: readonly Uint8Array[];
  readonly rest: ReadableStreamDefaultReader<Uint8Array>;
}): ReadableStream<Uint8Array> {
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
  const bytes = isBase64Encoded ? Buffer.from(body, 'base64') : body;
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}
