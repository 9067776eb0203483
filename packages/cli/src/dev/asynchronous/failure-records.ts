import type { InvocationFailure } from '../invoke-result.ts';
import { localArn } from '../places.ts';
import type { DevFunction } from '../stack.ts';

/** Why an event was given up. */
export type AsynchronousCondition = 'RetriesExhausted' | 'EventAgeExceeded';

/** What is known of an event when it is given up. */
export interface GivenUpEvent {
  readonly fn: Pick<DevFunction, 'name'>;
  readonly requestId: string;
  readonly event: unknown;
  readonly condition: AsynchronousCondition;
  readonly attempts: number;
  /** Of the last attempt; undefined if there was none. */
  readonly failure: InvocationFailure | undefined;
  readonly timeMs: number;
}

/** What an OnFailure destination gets: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
export function failureRecord(given: GivenUpEvent): object {
  const { failure } = given;
  return {
    version: '1.0',
    timestamp: new Date(given.timeMs).toISOString(),
    requestContext: requestContext(given, `${functionArn(given.fn)}:$LATEST`),
    requestPayload: given.event,
    ...(failure === undefined
      ? {}
      : { responseContext: responseContext(failure), responsePayload: responsePayload(failure) }),
  };
}

/** The attributes that Lambda gives to the message in a dead-letter queue; its body is the event. */
export function deadLetterAttributes({
  requestId,
  failure,
}: GivenUpEvent): Readonly<Record<string, string | { readonly number: string }>> {
  return {
    RequestID: requestId,
    ErrorCode: { number: failure?.isThrottled === true ? '429' : '200' },
    // Lambda gives the first kilobyte.
    ErrorMessage:
      failure === undefined || failure.errorMessage === '' ? 'Unknown' : failure.errorMessage.slice(0, 1_000),
  };
}

/** What a destination is told of the request, of asynchronous invocations and of streams. */
export function requestContext(
  { requestId, condition, attempts }: { requestId: string; condition: string; attempts: number },
  arn: string,
): object {
  return { requestId, functionArn: arn, condition, approximateInvokeCount: attempts };
}

/** What a destination is told of the answer. */
export function responseContext(failure: InvocationFailure): object {
  return failure.isThrottled === true
    ? { statusCode: 429, executedVersion: '$LATEST', functionError: null }
    : { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' };
}

export function functionArn({ name }: Pick<DevFunction, 'name'>): string {
  return localArn('lambda', `function:${name}`);
}

function responsePayload({ errorType, errorMessage, trace }: InvocationFailure): object {
  return { errorType, errorMessage, ...(trace === undefined ? {} : { trace }) };
}
