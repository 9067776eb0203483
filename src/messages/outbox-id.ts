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
    const id = outboxIdOf(record);
    if (id !== undefined) return id;
    throw new KeyError(
      `The record has no attribute \`${OUTBOX_ID}\`, so no outbox has sent it; ` +
        'use messageId() or payloadHash() for its sender',
    );
  }, 'bounded');
}

/** Returns the id of the outbox row; undefined if no outbox has sent the record. */
export function outboxIdOf(record: AnyRecord): string | undefined {
  const id = attributeOf(record, OUTBOX_ID) ?? detailAttributesOf(record)?.[OUTBOX_ID];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns a string attribute of the envelope, or else of the record. */
export function attributeOf({ envelope, attributes }: AnyRecord, name: string): string | undefined {
  return envelope?.attributes[name] ?? attributes[name];
}

/** Returns the attributes in the body of an EventBridge event, whose sender is one of ours. */
export function detailAttributesOf(record: AnyRecord): Readonly<Record<string, unknown>> | undefined {
  if (attributeOf(record, DETAIL_TYPE) === undefined || !isObject(record.body)) return undefined;
  const { [DETAIL_ATTRIBUTES]: found } = record.body as Readonly<Record<string, unknown>>;
  return isObject(found) && !Array.isArray(found) ? (found as Readonly<Record<string, unknown>>) : undefined;
}
