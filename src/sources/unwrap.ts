import { isEventBridgeEvent } from './eventbridge.ts';
import { MalformedRecordError } from './errors.ts';
import { parseJsonOrText } from './parse-body.ts';
import type { Envelope } from './record.ts';
import { isS3TestEvent, s3NotificationOf } from './s3-notification.ts';
import { isSnsNotification, snsAttributes } from './sns-notification.ts';
import type { UnwrapStep } from './unwrap-steps.ts';

export type Unwrapped =
  | { readonly envelope: Envelope; readonly body: unknown }
  /** There is no work in it; why. */
  | { readonly ignored: string };

/**
 * Takes the payload out of its envelopes; `parse` reads each text that is JSON. Throws a `MalformedRecordError` when an
 * envelope is not there, and a `DecodeError` for JSON that is too large.
 */
export function unwrapBody(
  text: string,
  steps: readonly UnwrapStep[],
  parse?: (text: string) => unknown,
): Unwrapped {
  let body = parseJsonOrText(text, parse);
  let id = '';
  let attributes: Record<string, string> = {};
  for (const step of steps) {
    const opened = open(body, step, parse);
    if ('ignored' in opened) return opened;
    ({ body } = opened);
    ({ id } = opened.envelope);
    attributes = { ...attributes, ...opened.envelope.attributes };
  }
  return { envelope: { id, attributes }, body };
}

function open(parsed: unknown, step: UnwrapStep, parse?: (text: string) => unknown): Unwrapped {
  switch (step) {
    case 'eventbridge': {
      if (!isEventBridgeEvent(parsed)) {
        throw new MalformedRecordError(
          "The body is not an EventBridge event (an object with id, source, 'detail-type' and detail), as `unwrap: 'eventbridge'` expects",
        );
      }
      const { id, source, account, region, 'detail-type': detailType, detail } = parsed;
      return {
        envelope: { id, attributes: { source, 'detail-type': detailType, account, region } },
        body: detail,
      };
    }
    case 'sns': {
      if (!isSnsNotification(parsed)) {
        throw new MalformedRecordError(
          "The body is not an SNS notification (an object with Type, MessageId and Message), as `unwrap: 'sns'` expects; " +
            'with raw message delivery on the subscription, leave `unwrap` out',
        );
      }
      return {
        envelope: { id: parsed.MessageId, attributes: snsAttributes(parsed) },
        body: parseJsonOrText(parsed.Message, parse),
      };
    }
    case 's3': {
      // S3 sends it once, when the notification is set up, and waits for no answer: it is acknowledged.
      if (isS3TestEvent(parsed)) return { ignored: 's3:TestEvent' };
      const notification = onlyS3Record(parsed);
      return {
        envelope: { id: notification.id, attributes: notification.attributes },
        body: notification.body,
      };
    }
  }
}

/** S3 puts one record into a message. A message is one claim and one answer, so more cannot be told apart. */
function onlyS3Record(parsed: unknown): ReturnType<typeof s3NotificationOf> {
  const records =
    typeof parsed === 'object' && parsed !== null && 'Records' in parsed ? parsed.Records : undefined;
  if (!Array.isArray(records)) {
    throw new MalformedRecordError(
      "The body is not an S3 event notification (an object with Records), as `unwrap: 's3'` expects",
    );
  }
  if (records.length !== 1) {
    throw new MalformedRecordError(
      `The body is an S3 event notification of ${records.length} records; one message has to carry one, which S3 itself does`,
    );
  }
  return s3NotificationOf(records[0]);
}
