import { isObject } from '../base/is-object.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { findAt, parsePath } from '../keys/payload-path.ts';
import { DETAIL_TYPE, TYPE } from '../messages/message-attributes.ts';
import { textOfBase64 } from '../sources/base64.ts';
import { parseJsonOrText } from '../sources/json-text.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Change } from './changed-record.ts';

/** The attributes of a record and its envelope. */
type Attributes = Readonly<Record<string, string>>;

/** Reads the type of a record. Created by `field()` and `cloudEvents()`. */
export interface TypeReader {
  /** The risk of reading the type, as for `KeySelector`. @internal */
  readonly effort: KeySelector['effort'];
  /**
   * Returns the type, and what takes the content out of the body, if the body is not the content itself.
   *
   * @internal
   */
  read(record: BatchRecord, attributes: Attributes): { readonly type: unknown; readonly contentOf?: Change };
}

/** Reads EventBridge's `detail-type`, or else the attribute or header `type`. */
export const byAttribute: TypeReader = {
  effort: 'none',
  read: (_record, attributes) => ({ type: attributes[DETAIL_TYPE] ?? attributes[TYPE] }),
};

/**
 * Returns the value for `by` that reads the type in a member of the body, such as `field('type')` or
 * `field('event.name')`. The body that the schema gets still has the member.
 *
 * @param path The path of the member.
 * @throws `ConfigurationError` for an empty path.
 */
export function field(path: string): TypeReader {
  const parts = parsePath('field', path);
  return { effort: 'bounded', read: ({ body }) => ({ type: findAt(body, parts) }) };
}

/**
 * Returns the value for `by` that reads the type of CloudEvents (https://cloudevents.io): `type` of an event
 * in structured mode, whose `data` becomes the body, or the attribute or header `ce_type` or `ce-type` in
 * binary mode. `data` that is text with a JSON object or array is parsed, because AWS's messaging framework
 * for .NET sends it so. `data_base64` becomes the JSON or the text of its bytes, as UTF-8.
 */
export function cloudEvents(): TypeReader {
  return {
    effort: 'bounded',
    read(record, attributes) {
      const binary = attributes['ce_type'] ?? attributes['ce-type'];
      if (binary !== undefined) return { type: binary };
      const { body } = record;
      return isCloudEvent(body) ? { type: body.type, contentOf: dataOf } : { type: undefined };
    },
  };
}

interface CloudEvent {
  readonly specversion: string;
  readonly type: unknown;
  readonly data?: unknown;
  readonly data_base64?: unknown;
}

function isCloudEvent(body: unknown): body is CloudEvent {
  return isObject(body) && 'specversion' in body && typeof body.specversion === 'string' && 'type' in body;
}

const dataOf: Change = (event, parse) => {
  const { data, data_base64: base64 } = event as CloudEvent;
  if (data === undefined && typeof base64 === 'string') return parseJsonOrText(textOfBase64(base64), parse);
  return typeof data === 'string' && /^\s*[[{]/.test(data) ? parseJsonOrText(data, parse) : data;
};

/** Returns the reader for the user's function. */
export function byFunction(typeOf: (record: BatchRecord) => string | undefined): TypeReader {
  return { effort: undefined, read: (record) => ({ type: typeOf(record) }) };
}
