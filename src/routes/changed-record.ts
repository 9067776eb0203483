import { isPlain } from '../keys/canonical-json.ts';
import { isObject } from '../base/is-object.ts';
import { DETAIL_ATTRIBUTES } from '../messages/message-attributes.ts';
import { parseNearby } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';
import { forgetLongBody, isTextRecord } from '../sources/text-record.ts';

type Parse = (text: string) => unknown;

/** Makes another body of a delivered one; `parse` reads a text that is JSON. */
export type Change = (body: unknown, parse: Parse) => unknown;

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns a record with another body. A body that is parsed from text is changed whenever it is read, so that
 * a long one can be forgotten. `detail`: the attributes that an EventBridge event has in its body, which are
 * moved to the record's. `isUpgraded`: the change runs the user's code.
 */
export function changedRecord(
  record: BatchRecord,
  change: Change,
  { detail, isUpgraded }: { readonly detail: Members | undefined; readonly isUpgraded: boolean },
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
        // An upgrade could turn the `Infinity` of an exact reader into a text, and its schema may refuse it.
        const isExact = parse !== JSON.parse && isUpgraded;
        return isExact ? inexactWhereDifferent(readBy(JSON.parse), readBy(parseNearby)) : readBy(parse);
      },
    });
  }
  return Object.assign(record, {
    body: changed(record.body, JSON.parse),
    attributes: withMoved(record.attributes),
  });
}

/** Returns a value, with `Infinity` where it differs from another: no key can be made of it. */
function inexactWhereDifferent(one: unknown, other: unknown): unknown {
  if (Object.is(one, other)) return one;
  if (!isObject(one) || !isObject(other)) return Infinity;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.map((item, index) => inexactWhereDifferent(item, other[index]));
  }
  if (isPlain(one) && isPlain(other)) return membersWhereDifferent(one as Members, other as Members);
  return JSON.stringify(one) === JSON.stringify(other) ? one : Infinity; // such as a `Date`
}

function membersWhereDifferent(one: Members, other: Members): unknown {
  const names = Object.keys(one);
  const areSame =
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name));
  if (!areSame) return Infinity;
  return Object.fromEntries(names.map((name) => [name, inexactWhereDifferent(one[name], other[name])]));
}
