import type { Encoded, EnvelopeStep, OpenedEnvelope, ReadPayloads } from './decode-step.ts';
import { assertParsable, LONG_TEXT, parseJsonOrText, unreadable } from './json-text.ts';
import type { BatchRecord, Envelope } from './record.ts';
import type { ReadRecord } from './source.ts';
import { isTextRecord, type OpenedBody, type TextRecord } from './text-record.ts';

/** A step that takes the payload out of an envelope. */
export function envelopeStep(open: (value: unknown) => OpenedEnvelope): EnvelopeStep {
  return { kind: 'envelope', open, readPayloads: openEnvelopes };
}

/** Of a list of envelopes alone: nothing is waited for. */
const openEnvelopes: ReadPayloads = (entries, steps) =>
  entries.map((entry) => {
    const { itemIdentifier, lane, read } = entry;
    if (!isEncoded(read)) return entry;
    const opened = openText(read.record, {}, steps as readonly EnvelopeStep[]);
    return { itemIdentifier, lane, read: opened };
  });

export type EncodedRecord = TextRecord & BatchRecord & { readonly payload: Encoded };

export function isEncoded(read: ReadRecord): read is { readonly record: EncodedRecord } {
  return 'record' in read && isTextRecord(read.record) && read.record.payload !== undefined;
}

/** What decoders have made of a record's payload so far, and what it was inside of. */
export interface Decoded {
  /** Undefined: the text that was delivered. */
  readonly text?: string;
  readonly outer?: Envelope | undefined;
}

/**
 * The record with what is inside these envelopes. A text that cannot be parsed within the function's memory is an error
 * now, before a key or a handler asks for the body.
 */
export function openText(
  record: EncodedRecord,
  { text: decoded, outer }: Decoded,
  steps: readonly EnvelopeStep[],
): ReadRecord {
  try {
    const text = decoded ?? record.rawBody;
    if (steps.length === 0 && outer === undefined) {
      if (text.length > LONG_TEXT) assertParsable(text);
      return { record: record.withText(decoded, undefined) };
    }
    const opened = open(text, steps, outer);
    if ('ignored' in opened) return opened;
    const { envelope, body } = opened;
    const read: OpenedBody['read'] = (again, parse) => {
      const reopened = open(again, steps, outer, parse);
      return 'body' in reopened ? reopened.body : undefined;
    };
    const isKept = text.length <= LONG_TEXT;
    return { record: record.withText(decoded, isKept ? { envelope, body, read } : { envelope, read }) };
  } catch (thrown) {
    return unreadable(thrown, record);
  }
}

/** The attributes of all envelopes, and the id of the innermost one. */
export function insideOf(outer: Envelope | undefined, { id, attributes }: Envelope): Envelope {
  return { id, attributes: { ...outer?.attributes, ...attributes } };
}

function open(
  text: string,
  steps: readonly EnvelopeStep[],
  outer: Envelope | undefined,
  parse?: (text: string) => unknown,
): { readonly envelope: Envelope; readonly body: unknown } | { readonly ignored: string } {
  let body = parseJsonOrText(text, parse);
  let envelope = outer ?? { id: '', attributes: {} };
  for (const step of steps) {
    const opened = step.open(body);
    if ('ignored' in opened) return opened;
    const { inner } = opened;
    body = 'text' in inner ? parseJsonOrText(inner.text, parse) : inner.value;
    envelope = insideOf(envelope, opened.envelope);
  }
  return { envelope, body };
}
