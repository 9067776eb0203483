import { ownAccessor, showsValues } from '../base/own-accessor.ts';
import type { Encoded } from './decode-step.ts';
import { MalformedRecordError } from './errors.ts';
import { LONG_TEXT, parseJsonOrText } from './json-text.ts';
import type { BatchRecord, Envelope } from './record.ts';

export interface OpenedBody {
  readonly envelope: Envelope | undefined;
  /** Absent for a long text, which is opened again when its body is read. */
  readonly body?: unknown;
  /** Opens the text again; `parse` reads each text that is JSON. */
  read(text: string, parse?: (text: string) => unknown): unknown;
}

export interface TextMembers<Source extends string, Raw> {
  readonly source: Source;
  readonly id: string;
  /** Undefined if `makeRawBody` makes it on first use. */
  readonly rawBody: string | undefined;
  /** Whether `makeAttributes` makes attributes on first use. */
  readonly hasAttributes: boolean;
  /** Known only for SQS. Default 1. */
  readonly receiveCount?: number;
  readonly sentAt: number | undefined;
  readonly messageGroupId?: string | undefined;
  readonly raw: Raw;
}

const UNREAD = Symbol('unread');
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/**
 * A record whose body is parsed from text. All public members are own properties, because copies, JSON and
 * logs leave out members of a prototype. Own accessors make the expensive ones on first use: duplicates never
 * need them.
 *
 * All records share the accessors, and so one hidden class of V8: creating one takes 0.15 µs (Node 20, ten
 * members). An object literal with `get body()` takes 1 µs: V8 stores it as a dictionary.
 */
export abstract class TextRecord<Source extends string = string, Raw = unknown> {
  declare readonly source: Source;
  declare readonly id: string;
  declare readonly body: unknown;
  declare readonly rawBody: string;
  declare readonly attributes: Readonly<Record<string, string>>;
  declare readonly receiveCount: number;
  declare readonly sentAt: number | undefined;
  declare readonly messageGroupId: string | undefined;
  declare readonly envelope: Envelope | undefined;
  declare readonly raw: Raw;
  readonly #opened: OpenedBody | undefined;
  #body: unknown;

  constructor(members: TextMembers<Source, Raw>, opened: OpenedBody | undefined) {
    const { rawBody } = members;
    this.#opened = opened;
    this.#body = opened !== undefined && 'body' in opened ? opened.body : UNREAD;
    this.source = members.source;
    this.id = members.id;
    Object.defineProperty(this, 'body', TextRecord.#BODY);
    if (rawBody === undefined) Object.defineProperty(this, 'rawBody', TextRecord.#RAW_BODY);
    else this.rawBody = rawBody;
    if (members.hasAttributes) Object.defineProperty(this, 'attributes', TextRecord.#ATTRIBUTES);
    else this.attributes = NO_ATTRIBUTES;
    this.receiveCount = members.receiveCount ?? 1;
    this.sentAt = members.sentAt;
    this.messageGroupId = members.messageGroupId;
    this.envelope = opened?.envelope;
    this.raw = members.raw;
  }

  static readonly #BODY = ownAccessor<TextRecord>({
    get() {
      if (this.#body === UNREAD) {
        this.#body = this.#opened === undefined ? this.parsed() : this.#opened.read(this.rawBody);
      }
      return this.#body;
    },
    /** Replaces the body with a schema's output, which `forgetLongBody` keeps. */
    set(value) {
      this.#body = UNREAD;
      Object.defineProperty(this, 'body', { value, writable: true });
    },
  });

  static readonly #RAW_BODY = ownAccessor<TextRecord>({
    get() {
      return this.makeRawBody();
    },
  });

  static readonly #ATTRIBUTES = ownAccessor<TextRecord>({
    get() {
      return this.makeAttributes();
    },
  });

  /** The delivered payload, input of the first step of `decode`; undefined if the record has none. */
  abstract get payload(): Encoded | undefined;

  /** Returns a copy with the output of `decode`: decoded text, opened envelopes, or both. */
  abstract withText(text: string | undefined, opened: OpenedBody | undefined): BatchRecord;

  protected makeRawBody(): string {
    return '';
  }

  protected makeAttributes(): Readonly<Record<string, string>> {
    return {};
  }

  protected parsed(parse?: (text: string) => unknown): unknown {
    return parseJsonOrText(this.rawBody, parse);
  }

  /** Why no key can be made of the text; undefined if one can. */
  protected get keyProblem(): string | undefined {
    return undefined;
  }

  forgetLongBody(): void {
    if (this.#body !== UNREAD && this.rawBody.length > LONG_TEXT) this.#body = UNREAD;
  }

  /**
   * Returns the body as this reader parses it. Throws a `MalformedRecordError` if no key can be made of it.
   */
  bodyReadBy(reader: ExactReader): unknown {
    const { rawBody: text, keyProblem } = this;
    if (keyProblem !== undefined) throw new MalformedRecordError(keyProblem);
    const opened = this.#opened;
    if (!reader.mayDiffer(text, opened !== undefined)) return this.body;
    return opened === undefined ? this.parsed(reader.parse) : opened.read(text, reader.parse);
  }
}

showsValues(TextRecord);

/** A JSON parser that may be more exact than `JSON.parse`. */
export interface ExactReader {
  /** Whether it may parse this text differently than `JSON.parse`; `isEnveloped`: the text has envelopes. */
  mayDiffer(text: string, isEnveloped: boolean): boolean;
  parse(text: string): unknown;
}

/** Checks by a method's name: `instanceof` fails for steps and keys from another copy of this package. */
export function isTextRecord(record: BatchRecord): record is TextRecord & BatchRecord {
  return 'bodyReadBy' in record;
}

/** Releases the parsed body of a long text (up to 30 times its size). A schema's output stays. */
export function forgetLongBody(record: BatchRecord): void {
  if ('forgetLongBody' in record) (record as TextRecord & BatchRecord).forgetLongBody();
}
