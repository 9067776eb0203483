import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { attributesOf, isEventBridgeEvent } from './eventbridge-event.ts';

/**
 * A step of `decode`: takes the `detail` out of an EventBridge event, as a rule puts it into a queue or a stream. The body
 * is the detail, and the key by default the event's id.
 */
export function eventBridgeEnvelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (!isEventBridgeEvent(value)) {
      throw new MalformedRecordError(
        "The body is not an EventBridge event (an object with id, source, 'detail-type' and detail), as eventBridgeEnvelope() expects",
      );
    }
    const { id, detail } = value;
    return { envelope: { id, attributes: attributesOf(value) }, inner: { value: detail } };
  });
}
