import type { Encoded } from './decoder.ts';
import { MalformedRecordError } from './errors.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { parseJsonOrText } from './parse-body.ts';
import type { BatchRecord, Envelope } from './record.ts';

/** A payload that was inside envelopes, and what they were. */
export interface OpenedBody {
  readonly envelope: Envelope;
  /** Absent of a long text, which is opened again when its body is asked for. */
  readonly body?: unknown;
  /** Opens the text again; `parse` reads each text that is JSON. */
  read(text: string, parse?: (text: string) => unknown): unknown;
}

/**
 * What records have in common whose body is made of a text. A class and not a literal: a batch makes thousands,
 * and most handlers look at few fields, so each is made when it is first asked for. Parsing the body is the
 * most expensive of them.
 */
export abstract class TextRecord {
  /** As it was delivered, or what the record was made with. */
  abstract readonly rawBody: string;
  /** What was delivered, for the first step of `decode`; undefined: it carries no payload, so there is nothing to decode. */
  abstract readonly payload: Encoded | undefined;
  readonly envelope: Envelope | undefined;
  readonly #opened: OpenedBody | undefined;
  #body: { readonly value: unknown; readonly isGiven?: true } | undefined;

  constructor(opened: OpenedBody | undefined) {
    this.#opened = opened;
    if (opened === undefined) return;
    this.envelope = opened.envelope;
    if ('body' in opened) this.#body = { value: opened.body };
  }

  get attributes(): Readonly<Record<string, string>> {
    return {};
  }

  /** Lambda tells it of SQS alone. */
  get receiveCount(): number {
    return 1;
  }

  get messageGroupId(): string | undefined {
    return undefined;
  }

  /** The same record with what `decode` made of its payload: another text, or one that was inside envelopes, or both. */
  abstract withText(text: string | undefined, opened: OpenedBody | undefined): BatchRecord;

  get body(): unknown {
    this.#body ??= { value: this.#read() };
    return this.#body.value;
  }

  /** For what a schema makes of it. */
  set body(value: unknown) {
    this.#body = { value, isGiven: true };
  }

  #read(): unknown {
    return this.#opened === undefined ? this.parsed() : this.#opened.read(this.rawBody);
  }

  /** The body of a text that is in no envelope. */
  protected parsed(parse?: (text: string) => unknown): unknown {
    return parseJsonOrText(this.rawBody, parse);
  }

  /** Why no key can be made of the text; undefined where one can. */
  protected get keyProblem(): string | undefined {
    return undefined;
  }

  /** See the function of this name. */
  forgetLongBody(): void {
    if (this.#body === undefined || this.#body.isGiven === true) return;
    if (this.rawBody.length > LONG_TEXT) this.#body = undefined;
  }

  /**
   * The body, read anew with this reader where that reads the text in another way; throws a `MalformedRecordError` where no
   * key can be made of the text. For `exactBody`, which is not in every bundle.
   */
  bodyReadBy(reader: ExactReader): unknown {
    const { rawBody: text, keyProblem } = this;
    if (keyProblem !== undefined) throw new MalformedRecordError(keyProblem);
    const opened = this.#opened;
    if (!reader.mayDiffer(text, opened !== undefined)) return this.body;
    return opened === undefined ? this.parsed(reader.parse) : opened.read(text, reader.parse);
  }
}

/** Reads JSON as `JSON.parse` does, or in a more exact way. */
export interface ExactReader {
  /** Whether it may read this text in another way than `JSON.parse`; `isEnveloped`: there are texts inside it. */
  mayDiffer(text: string, isEnveloped: boolean): boolean;
  parse(text: string): unknown;
}

/** By a method's name and not by `instanceof`: steps and key functions of another copy of this package use them too. */
export function isTextRecord(record: BatchRecord): record is TextRecord & BatchRecord {
  return 'bodyReadBy' in record;
}

/**
 * Lets go of the parsed form of a long text, which takes up to 30 times as much memory; it is parsed again when something
 * asks for it. What a schema made of it stays.
 */
export function forgetLongBody(record: BatchRecord): void {
  if (isTextRecord(record)) record.forgetLongBody();
}
