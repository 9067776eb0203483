import { InvalidBodyError } from '../around/standard-schema.ts';
import { isObject } from '../base/is-object.ts';
import { shownIssues } from '../messages/body-issues.ts';
import { DETAIL_ATTRIBUTES } from '../messages/message-attributes.ts';
import type { Upgrade } from '../messages/upgrade.ts';
import type { BatchRecord } from '../sources/record.ts';
import { isTextRecord } from '../sources/text-record.ts';
import { UpgradeFailedError } from './errors.ts';
import type { ContentOf } from './type-reader.ts';

/** How the body of a record differs from the delivered one. */
export interface Changes {
  /** Takes the content out of an event. */
  readonly contentOf?: ContentOf | undefined;
  /** The attributes that an EventBridge event has in its body. They are moved to the record's. */
  readonly detailAttributes?: Readonly<Record<string, unknown>> | undefined;
  readonly upgrade?: { readonly from: number; readonly by: Upgrade } | undefined;
}

/**
 * Returns a record with another body. A body that is parsed from text is changed whenever it is read, so that
 * a long one can be forgotten.
 */
export function changedRecord(record: BatchRecord, changes: Changes): BatchRecord {
  const { envelope, attributes } = record;
  const added = textsIn(changes.detailAttributes);
  const moreIn = (own: Readonly<Record<string, string>>): Record<string, string> => ({ ...added, ...own });
  if (isTextRecord(record)) {
    return record.withText(record.rawBody, {
      envelope: envelope && { id: envelope.id, attributes: moreIn(envelope.attributes) },
      read: (_text, parse = JSON.parse) =>
        changed(record.bodyReadBy({ mayDiffer: () => true, parse }), parse, changes),
    });
  }
  return Object.assign(record, {
    body: changed(record.body, JSON.parse, changes),
    attributes: moreIn(attributes),
  });
}

function changed(
  delivered: unknown,
  parse: (text: string) => unknown,
  { contentOf, detailAttributes, upgrade }: Changes,
): unknown {
  let body = delivered;
  if (detailAttributes !== undefined && isObject(body)) {
    const { [DETAIL_ATTRIBUTES]: _moved, ...rest } = body as Readonly<Record<string, unknown>>;
    body = rest;
  }
  if (contentOf !== undefined) body = contentOf(body, parse);
  return upgrade === undefined ? body : upgraded(body, upgrade);
}

function upgraded(body: unknown, { from, by }: NonNullable<Changes['upgrade']>): unknown {
  try {
    const result = synchronous('schema', by.schema['~standard'].validate(body));
    if (result.issues) throw new InvalidBodyError(shownIssues(result.issues, body));
    return synchronous('upgrade', by.upgrade(result.value as never));
  } catch (cause) {
    throw cause instanceof InvalidBodyError ? cause : new UpgradeFailedError(from, { cause });
  }
}

/** Throws for a promise, whose rejection must not end the process. */
function synchronous<Value>(what: string, value: Value | Promise<Value>): Value {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  throw new TypeError(`The ${what} of the old version returned a promise; it must be synchronous`);
}

function textsIn(members: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(members).filter(isText));
}
