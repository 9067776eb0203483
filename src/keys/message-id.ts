import { type KeySelector, withEffort } from './key-selector.ts';

/**
 * The id the service gave the message: SQS's messageId, EventBridge's event id; of an unwrapped envelope,
 * the inner id. It makes redeliveries one work; a producer that sends the same work twice sends two ids.
 */
export function messageId(): KeySelector {
  const select: KeySelector = (record) => record.envelope?.id ?? record.id;
  return Object.assign(withEffort(select, 'none'), { isMessageId: true as const });
}
