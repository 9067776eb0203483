import { KeyError } from './errors.ts';
import { type KeySelector, withEffort } from './key-selector.ts';

/**
 * The id the service gave the message: SQS's messageId, EventBridge's event id; with an envelope
 * in `decode`, the inner id. It makes redeliveries one work; a producer that sends the same work twice sends two ids.
 */
export function messageId(): KeySelector {
  const select: KeySelector = (record) => {
    const id = record.envelope?.id ?? record.id;
    if (id !== '') return id;
    throw new KeyError(
      'The record has no id: an event bus delivered bare data. Set `key`, e.g. payloadHash(), or have the subscriber deliver WITH_METADATA',
    );
  };
  return Object.assign(withEffort(select, 'none'), { isMessageId: true as const });
}
