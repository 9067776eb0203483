/** The attribute with the name of a message's type. On EventBridge it is the `detail-type`. */
export const TYPE = 'type';

/** The attribute of EventBridge's records with the type of an event. */
export const DETAIL_TYPE = 'detail-type';

/** The attribute with the version of a message's schema. Absent: version 1. */
export const VERSION = 'version';

/** The attribute with the id of a row of an outbox. A second copy of the row's message has the same. */
export const OUTBOX_ID = 'outboxId';

/**
 * The member of an EventBridge event's `detail` that holds the attributes, because events have none: version,
 * outbox id and trace context. Consumers take it out before keys and schemas see the body.
 */
export const DETAIL_ATTRIBUTES = '_attributes';
