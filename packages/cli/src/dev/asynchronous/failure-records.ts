import { REFUSED_CHARACTER } from '../../tool-base/refused-character.ts';
import type { InvocationFailure } from '../invoke-result.ts';
import { localArn } from '../places.ts';
import type { DevFunction } from '../stack.ts';

/** Why an event was given up. */
export type AsynchronousCondition = 'RetriesExhausted' | 'EventAgeExceeded';

/** An event that was given up, and its last failure. */
export interface GivenUpEvent {
  readonly fn: Pick<DevFunction, 'name'>;
  readonly requestId: string;
  readonly event: unknown;
  readonly condition: AsynchronousCondition;
  readonly attempts: number;
  /** The last failure; undefined if there was no attempt. */
  readonly failure: InvocationFailure | undefined;
  readonly timeMs: number;
}

/**
 * Returns the record for an OnFailure destination:
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
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

/** Returns the message attributes for a dead-letter queue; the message's body is the event. */
export function deadLetterAttributes({
  requestId,
  failure,
}: GivenUpEvent): Readonly<Record<string, string | { readonly number: string }>> {
  return {
    RequestID: requestId,
    ErrorCode: { number: failure?.isThrottled === true ? '429' : '200' },
    ErrorMessage:
      failure === undefined || failure.errorMessage === '' ? 'Unknown' : attributeOf(failure.errorMessage),
  };
}

const EACH_REFUSED = new RegExp(REFUSED_CHARACTER, 'gu');

/** Returns the first kilobyte, as Lambda sends it. */
function attributeOf(message: string): string {
  const bytes = Buffer.from(message.replaceAll(EACH_REFUSED, '\uFFFD')).subarray(0, 1_024);
  // `stream` leaves out a last character that is not whole.
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Returns the `requestContext` of a destination's record, for asynchronous invocations and streams. */
export function requestContext(
  { requestId, condition, attempts }: { requestId: string; condition: string; attempts: number },
  arn: string,
): object {
  return { requestId, functionArn: arn, condition, approximateInvokeCount: attempts };
}

/** Returns the `responseContext` of a destination's record. */
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
