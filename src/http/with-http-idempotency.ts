import type { Context } from 'aws-lambda';
import type { CallContext } from '../functions/call-context.ts';
import { assertFunction } from '../options/check-options.ts';
import { idempotentHttp } from './idempotent-http.ts';
import { type LambdaHttpEvent, readLambdaEvent } from './lambda-event.ts';
import { type LambdaHttpResponse, readLambdaResponse, toLambdaResponse } from './lambda-response.ts';
import type { HttpIdempotencyOptions } from './options.ts';

/**
 * Makes a Lambda handler of HTTP requests run once for each `Idempotency-Key` of a caller, as
 * draft-ietf-httpapi-idempotency-key-header says: later requests get the stored response with
 * `Idempotency-Replayed: true`, concurrent ones 409, other payloads 422. It takes events of API Gateway REST and HTTP
 * APIs, Lambda function URLs and Application Load Balancers, and answers in their shape; anything else rejects with an
 * `UnsupportedEventError`. What the handler rejects with is passed on, and the key is free again. Once it has answered,
 * it does not run again, even if its response cannot be read. Without time left (`getRemainingTimeInMillis`) nothing
 * runs (503).
 *
 * Throws a `ConfigurationError` at start for an option that is unknown, missing or impossible.
 *
 * @typeParam Event The event that the handler gets.
 * @typeParam Answer What the handler answers.
 * @param handler Answers a request.
 * @param options Whose keys they are, and what is kept of responses.
 *
 * @example
 * export const handler = withHttpIdempotency(
 *   async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => ({
 *     statusCode: 201,
 *     body: JSON.stringify(await charge(JSON.parse(event.body ?? ''))),
 *   }),
 *   // Of the verified token, never of a header that the client can set.
 *   { namespace: 'payments', scope: (event) => String(event.requestContext.authorizer.jwt.claims['sub'] ?? '') },
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
 * The same for a handler that wants to know about its attempt: it is made for each request, from a context
 * (`idempotencyKey`, `attempt`, `signal`, `extendLease`, `done`), which is undefined where there is no key: for safe methods, and without
 * the header where it is not required. `inTransaction` of `batchlatch/postgres` and `commit` of `batchlatch/dynamodb` take the context;
 * the result that they commit has to be the response.
 *
 * @typeParam Event The event that the handler gets.
 * @typeParam Answer What the handler answers.
 * @param makeHandler Makes the handler of one request.
 * @param options Whose keys they are, and what is kept of responses.
 * @throws `ConfigurationError` at start for an option that is unknown, missing or impossible.
 *
 * @example
 * export const handler = withHttpIdempotencyContext(
 *   (context) => async (event: APIGatewayProxyEventV2WithJWTAuthorizer) =>
 *     inTransaction(context, async (client) => ({ statusCode: 201, body: JSON.stringify(await insertPayment(client, event)) })),
 *   { namespace: 'payments', scope: (event) => String(event.requestContext.authorizer.jwt.claims['sub'] ?? ''), store },
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
      makeHandler(context)(event, lambda as Context);
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
