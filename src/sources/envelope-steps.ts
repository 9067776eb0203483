import type { Encoded, EnvelopeStep, OpenedEnvelope, ReadPayloads } from './decode-step.ts';
import { assertParsable, LONG_TEXT, parseJsonOrText, unreadable } from './json-text.ts';
import type { BatchRecord, Envelope } from './record.ts';
import type { ReadRecord } from './source.ts';
import { isTextRecord, type OpenedBody, type TextRecord } from './text-record.ts';

export function envelopeStep(open: (value: unknown) => OpenedEnvelope): EnvelopeStep {
  return { kind: 'envelope', open, readPayloads: openEnvelopes };
}

/** Runs a `decode` list that has only envelopes, synchronously. */
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

/** The output of the decoders, and the envelope around it. */
export interface Decoded {
  /** The decoded text; undefined for the text as it was delivered. */
  readonly text?: string;
  readonly outer?: Envelope | undefined;
}

/** Opens a record's envelopes. JSON too large to parse is an error here, before anybody reads the body. */
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

/** Merges two envelopes: the attributes of both, the ID of the inner one. */
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
