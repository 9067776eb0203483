import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { toStoredError } from '../claims/claim.ts';
import type { ObservedInvocation } from '../observe/observed.ts';

/** `messaging.system` by source. Sources that the semantic conventions do not list have similar names. */
const SYSTEMS: Readonly<Record<string, string>> = {
  sqs: 'aws_sqs',
  sns: 'aws.sns',
  kafka: 'kafka',
  kinesis: 'aws_kinesis',
  'dynamodb-stream': 'aws_dynamodb_streams',
  s3: 'aws_s3',
  eventbridge: 'aws_eventbridge',
  'eventbridge-bus': 'aws_eventbridge',
};

export function messagingAttributes({ source, destination }: ObservedInvocation): Attributes {
  return {
    'messaging.system': (Object.hasOwn(SYSTEMS, source) ? SYSTEMS[source] : undefined) ?? source,
    ...(destination !== undefined && { 'messaging.destination.name': destination }),
  };
}

export const PROCESS: Attributes = {
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
};

/** The attribute with a record's type of message: one that `messages()` declares, or `other`. */
export const MESSAGE_TYPE = 'batchlatch.message_type';

const LONGEST_TYPE = 100;

/** Returns `error.type`: the error's code, else its name, which keeps the number of values small. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = toStoredError(error);
  return (code ?? name).slice(0, LONGEST_TYPE);
}

/** Marks a span as failed, without stack and other properties of the error; hashes `key` in the message. */
export function markFailed(span: Span, error: unknown, key?: string): void {
  span.setAttribute('error.type', errorTypeOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: toStoredError(error, key).message });
}
