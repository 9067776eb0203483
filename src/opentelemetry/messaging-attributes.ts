import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { toStoredError } from '../claims/claim.ts';
import type { ObservedInvocation } from '../observe/observed.ts';

/** `messaging.system` of the semantic conventions, by source; what they do not list is named likewise. */
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

/** Of all spans and metrics of an invocation. */
export function messagingAttributes({ source, destination }: ObservedInvocation): Attributes {
  return {
    'messaging.system': (Object.hasOwn(SYSTEMS, source) ? SYSTEMS[source] : undefined) ?? source,
    ...(destination !== undefined && { 'messaging.destination.name': destination }),
  };
}

/** Of what processes one message. */
export const PROCESS: Attributes = {
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
};

const LONGEST_TYPE = 100;

/** `error.type`: the error's code, else its name, so that there are few. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = toStoredError(error);
  return (code ?? name).slice(0, LONGEST_TYPE);
}

/** Without the stack, which names paths, and without what errors carry beside their words. A `key` that they name is hashed. */
export function markFailed(span: Span, error: unknown, key?: string): void {
  span.setAttribute('error.type', errorTypeOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: toStoredError(error, key).message });
}
