import type { Context } from 'aws-lambda';
import type { CallContext } from '../functions/call-context.ts';
import { assertFunction, madeFunction } from '../options/check-options.ts';
import { idempotentHttp } from './idempotent-http.ts';
import { type LambdaHttpEvent, readLambdaEvent } from './lambda-event.ts';
import { type LambdaHttpResponse, readLambdaResponse, toLambdaResponse } from './lambda-response.ts';
import type { HttpIdempotencyOptions } from './options.ts';

/**
 * Makes a Lambda handler of HTTP requests run once for each `Idempotency-Key` of a caller, as
 * draft-ietf-httpapi-idempotency-key-header specifies. Later requests get the stored response with
 * `Idempotency-Replayed: true`, concurrent ones 409, and other payloads 422. Accepts events of API Gateway
 * REST and HTTP APIs, Lambda function URLs and Application Load Balancers, and answers in their format; other
 * events reject with an `UnsupportedEventError`. The key is free again if the handler rejects, which is
 * passed on, or answers 401, 403, 407, 408, 425, 429, or 500 and above (`keepServerErrors`). After any other
 * response it does not run again, even if that response cannot be read. Without time left
 * (`getRemainingTimeInMillis`) nothing runs (503).
 *
 * Throws a `ConfigurationError` at start for an unknown, missing or invalid option.
 *
 * @typeParam Event The event that the handler gets.
 * @typeParam Answer The handler's response.
 * @param handler The handler of a request.
 * @param options The scope of keys, and what is stored of responses.
 *
 * @example
 * export const handler = withHttpIdempotency(
 *   async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => ({
 *     statusCode: 201,
 *     body: JSON.stringify(await charge(JSON.parse(event.body ?? ''))),
 *   }),
 *   // From the verified token, never from a header that the client can set.
 *   {
 *     namespace: 'payments',
 *     scope: (event) => String(event.requestContext.authorizer.jwt.claims['sub'] ?? ''),
 *   },
 * );
 */
export function withHttpIdempotency<Event extends LambdaHttpEvent, Answer>(
  handler: (event: Event, lambda: Context) => Answer | Promise<Answer>,
  options: HttpIdempotencyOptions<Event>,
): (event: Event, lambda: Context) => Promise<Answer | LambdaHttpResponse> {
  assertFunction('handler', handler);
  return withHttpIdempotencyContext(() => handler, options);
}

/**
 * Like `withHttpIdempotency`, for a handler that uses its attempt's context (`idempotencyKey`, `attempt`,
 * `signal`, `extendLease`, `done`). `makeHandler` is called for each request; the context is undefined for
 * safe methods and for requests that omit an optional key. Pass it to `inTransaction` of
 * `batchlatch/postgres` or `commit` of `batchlatch/dynamodb`; the result that they commit must be the
 * response.
 *
 * @typeParam Event The event that the handler gets.
 * @typeParam Answer The handler's response.
 * @param makeHandler Returns the handler of a request.
 * @param options The scope of keys, and what is stored of responses.
 * @throws `ConfigurationError` at start for an unknown, missing or invalid option.
 *
 * @example
 * export const handler = withHttpIdempotencyContext(
 *   (context) => async (event: APIGatewayProxyEventV2WithJWTAuthorizer) =>
 *     inTransaction(context, async (client) => {
 *       const payment = await insertPayment(client, event);
 *       return { statusCode: 201, body: JSON.stringify(payment) };
 *     }),
 *   {
 *     namespace: 'payments',
 *     scope: (event) => String(event.requestContext.authorizer.jwt.claims['sub'] ?? ''),
 *     store,
 *   },
 * );
 */
export function withHttpIdempotencyContext<Event extends LambdaHttpEvent, Answer>(
  makeHandler: (
    context: CallContext | undefined,
  ) => (event: Event, lambda: Context) => Answer | Promise<Answer>,
  options: HttpIdempotencyOptions<Event>,
): (event: Event, lambda: Context) => Promise<Answer | LambdaHttpResponse> {
  const answer = idempotentHttp<Event, Answer | LambdaHttpResponse>(makeHandler, options);
  return async (event, lambda?: Context) => {
    const { request, shape } = readLambdaEvent(event);
    const pass = async (context?: CallContext): Promise<Answer> =>
      madeFunction(makeHandler(context))(event, lambda as Context);
    const exchange = {
      request,
      pass,
      read: async (native: Answer | LambdaHttpResponse) => ({ native, ...readLambdaResponse(native, shape) }),
      give: (response: Parameters<typeof toLambdaResponse>[0]) => toLambdaResponse(response, shape),
      remainingTimeMs: lambda?.getRemainingTimeInMillis?.(),
      lockedBy: lambda && `${lambda.functionName}:${lambda.functionVersion} ${lambda.awsRequestId}`,
    };
    return answer(exchange, event);
  };
}
