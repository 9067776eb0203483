import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { isSnsNotification, snsAttributes } from './sns-notification.ts';

/**
 * A step of `decode`: takes the message out of an SNS notification, as a subscription without raw message delivery puts it
 * into a queue. The body is the message, JSON or text, and the key by default the notification's MessageId.
 */
export function snsEnvelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (!isSnsNotification(value)) {
      throw new MalformedRecordError(
        'The body is not an SNS notification (an object with Type, MessageId and Message), as snsEnvelope() expects; ' +
          'with raw message delivery on the subscription, leave snsEnvelope() out of `decode`',
      );
    }
    const envelope = { id: value.MessageId, attributes: snsAttributes(value) };
    return { envelope, inner: { text: value.Message } };
  });
}
