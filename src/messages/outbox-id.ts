import { isObject } from '../base/is-object.ts';
import { KeyError } from '../keys/errors.ts';
import { type KeySelector, withEffort } from '../keys/key-selector.ts';
import { DETAIL_ATTRIBUTES, DETAIL_TYPE, OUTBOX_ID } from './message-attributes.ts';

type AnyRecord = Parameters<KeySelector>[0];

/**
 * Returns the selector that uses the id of the outbox row that a message was sent from. A second copy of the
 * row's message has the same id, but another message id. A record that no outbox has sent fails.
 */
export function outboxId(): KeySelector {
  return withEffort((record) => {
    const attributes = attributesOf(record);
    const id = outboxIdIn(attributes) ?? outboxIdIn(detailAttributesOf(record, attributes));
    if (id !== undefined) return id;
    throw new KeyError(
      `The record has no attribute \`${OUTBOX_ID}\`, so no outbox has sent it; ` +
        'use messageId() or payloadHash() for its sender',
    );
  }, 'bounded');
}

type Attributes = Readonly<Record<string, unknown>>;

/** Returns the id of the outbox row; undefined if no outbox has sent the record. */
export function outboxIdIn(attributes: Attributes | undefined): string | undefined {
  const id = attributes?.[OUTBOX_ID];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns the string attributes of the envelope and the record. Call it once: records make theirs anew. */
export function attributesOf({ envelope, attributes }: AnyRecord): Readonly<Record<string, string>> {
  return envelope === undefined ? attributes : { ...attributes, ...envelope.attributes };
}

/** Returns the attributes in the body of an EventBridge event, whose sender is one of ours. */
export function detailAttributesOf(record: AnyRecord, attributes: Attributes): Attributes | undefined {
  if (attributes[DETAIL_TYPE] === undefined || !isObject(record.body)) return undefined;
  const { [DETAIL_ATTRIBUTES]: found } = record.body as Attributes;
  return isObject(found) && !Array.isArray(found) ? (found as Attributes) : undefined;
}
