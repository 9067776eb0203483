import { DETAIL_ATTRIBUTES } from '../messages/message-attributes.ts';
import type { Parse, Upgrade } from '../messages/upgrade.ts';
import type { BatchRecord } from '../sources/record.ts';
import { forgetLongBody, isTextRecord } from '../sources/text-record.ts';

/** Makes another body of a delivered one; `parse` reads a text that is JSON. */
export type Change = (body: unknown, parse: Parse) => unknown;

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns a record with another body. A body that is parsed from text is changed whenever it is read, so that
 * a long one can be forgotten. `detail`: the attributes that an EventBridge event has in its body, which are
 * moved to the record's. `upgrade`: a part of the change.
 */
export function changedRecord(
  record: BatchRecord,
  change: Change,
  { detail, upgrade }: { readonly detail: Members | undefined; readonly upgrade: Upgrade | undefined },
): BatchRecord {
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const moved = Object.entries(detail ?? {}).filter(isText);
  const withMoved = (own: Readonly<Record<string, string>>): Record<string, string> => ({
    ...Object.fromEntries(moved),
    ...own,
  });
  const changed: Change = (body, parse) => {
    if (detail === undefined) return change(body, parse);
    const { [DETAIL_ATTRIBUTES]: _moved, ...rest } = body as Members;
    return change(rest, parse);
  };
  const { envelope } = record;
  if (isTextRecord(record)) {
    forgetLongBody(record); // the type was read from it
    return record.withText(record.rawBody, {
      envelope: envelope && { ...envelope, attributes: withMoved(envelope.attributes) },
      read(_text, parse = JSON.parse) {
        const readBy = (one: Parse): unknown =>
          changed(record.bodyReadBy({ mayDiffer: () => true, parse: one }), one);
        return upgrade === undefined || parse === JSON.parse ? readBy(parse) : upgrade.readExactly(readBy);
      },
    });
  }
  return Object.assign(record, {
    body: changed(record.body, JSON.parse),
    attributes: withMoved(record.attributes),
  });
}
