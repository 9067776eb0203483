import { MalformedRecordError } from './errors.ts';
import { mayBeInexact, parseExactly } from './exact-numbers.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { parseJsonOrText } from './parse-body.ts';
import type { BatchRecord, Envelope } from './record.ts';
import { unwrapBody } from './unwrap.ts';
import type { UnwrapStep } from './unwrap-steps.ts';

/** A payload that was inside envelopes, and what they were. */
export interface OpenedBody {
  readonly envelope: Envelope;
  /** Absent of a long text, which is opened again when its body is asked for. */
  readonly body?: unknown;
  readonly steps: readonly UnwrapStep[];
}

/**
 * What records have in common whose body is made of a text. A class and not a literal: a batch makes thousands,
 * and most handlers look at few fields, so each is made when it is first asked for. Parsing the body is the
 * most expensive of them.
 */
export abstract class TextRecord {
  abstract readonly rawBody: string;
  readonly envelope: Envelope | undefined;
  readonly #steps: readonly UnwrapStep[];
  #body: { readonly value: unknown; readonly isGiven?: true } | undefined;

  constructor(opened: OpenedBody | undefined) {
    this.#steps = opened?.steps ?? [];
    if (opened === undefined) return;
    this.envelope = opened.envelope;
    if ('body' in opened) this.#body = { value: opened.body };
  }

  get body(): unknown {
    this.#body ??= { value: this.#read() };
    return this.#body.value;
  }

  /** For what a schema makes of it. */
  set body(value: unknown) {
    this.#body = { value, isGiven: true };
  }

  #read(): unknown {
    if (this.#steps.length === 0) return parseJsonOrText(this.rawBody);
    const unwrapped = unwrapBody(this.rawBody, this.#steps);
    return 'body' in unwrapped ? unwrapped.body : undefined;
  }

  /** Whether the text is all there is to what was delivered: bytes that are no UTF-8 become replacement characters. */
  protected get isWholeText(): boolean {
    return true;
  }

  /** Found by its name and not by `instanceof`, so that the functions below serve another copy of this package too. */
  forgetLongBody(): void {
    if (this.#body === undefined || this.#body.isGiven === true) return;
    if (this.rawBody.length > LONG_TEXT) this.#body = undefined;
  }

  /** The body for a key: read once more where it may hold numbers that `JSON.parse` rounds. */
  exactBody(): unknown {
    const { rawBody: text } = this;
    if (!this.isWholeText) {
      throw new MalformedRecordError(
        'The payload is not UTF-8: its text, which different bytes share, makes no key',
      );
    }
    if (this.#steps.length === 0) {
      return mayBeInexact(text) ? parseJsonOrText(text, parseExactly) : this.body;
    }
    // A text inside a text may have its digits escaped.
    if (!mayBeInexact(text) && !text.includes(String.raw`\u00`)) return this.body;
    const unwrapped = unwrapBody(text, this.#steps, parseExactly);
    return 'body' in unwrapped ? unwrapped.body : this.body;
  }
}

/**
 * The record's body, in which a number that a double does not hold exactly is `Infinity`: keys are made of it, and two
 * numbers that are read as one must not make one key. Throws a `MalformedRecordError` for bytes that are no UTF-8.
 */
export function exactBody(record: BatchRecord): unknown {
  return 'exactBody' in record ? (record as unknown as TextRecord).exactBody() : record.body;
}

/**
 * Lets go of the parsed form of a long text, which takes up to 30 times as much memory; it is parsed again when somebody
 * asks for it. What a schema made of it stays.
 */
export function forgetLongBody(record: BatchRecord): void {
  if ('forgetLongBody' in record) (record as unknown as TextRecord).forgetLongBody();
}
