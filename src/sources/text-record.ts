import { ownAccessor, showsValues } from '../base/own-accessor.ts';
import type { Encoded } from './decode-step.ts';
import { MalformedRecordError } from './errors.ts';
import { LONG_TEXT, parseJsonOrText } from './json-text.ts';
import type { BatchRecord, Envelope } from './record.ts';

/** A payload that was inside envelopes, and what they were. */
export interface OpenedBody {
  readonly envelope: Envelope;
  /** Absent of a long text, which is opened again when its body is asked for. */
  readonly body?: unknown;
  /** Opens the text again; `parse` reads each text that is JSON. */
  read(text: string, parse?: (text: string) => unknown): unknown;
}

/** What a record of text says of itself beside its body. */
export interface TextMembers<Source extends string, Raw> {
  readonly source: Source;
  readonly id: string;
  /** Undefined: it is made when it is first asked for (`makeRawBody`). */
  readonly rawBody: string | undefined;
  /** Whether there are attributes, which are then made when they are first asked for (`makeAttributes`). */
  readonly hasAttributes: boolean;
  /** Lambda tells it of SQS alone. Default 1. */
  readonly receiveCount?: number;
  readonly sentAt: number | undefined;
  readonly messageGroupId?: string | undefined;
  readonly raw: Raw;
}

const UNREAD = Symbol('unread');
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/**
 * What records have in common whose body is made of a text. All that a user sees of one is an own member: members of a prototype
 * would be missing in a copy, in JSON and in a log. What is expensive is made when it is first asked for, by own accessors: a
 * batch has thousands of records, and those that were done before are never looked at.
 *
 * The accessors are shared by all records, so that all have one hidden class of V8. Of the ways that were measured (Node 20,
 * a record with ten members) a class with one shared accessor takes 0.15 µs; an object literal with `get body()` 1 µs,
 * because its function is another one for each record, and V8 makes a dictionary of the object.
 */
export abstract class TextRecord<Source extends string = string, Raw = unknown> {
  declare readonly source: Source;
  declare readonly id: string;
  declare readonly body: unknown;
  /** As it was delivered, or what the record was made with. */
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
    /** For what a schema makes of it. It stays: `forgetLongBody` lets go of what was parsed. */
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

  /** What was delivered, for the first step of `decode`; undefined: it carries no payload, so there is nothing to decode. */
  abstract get payload(): Encoded | undefined;

  /** The same record with what `decode` made of its payload: another text, or one that was inside envelopes, or both. */
  abstract withText(text: string | undefined, opened: OpenedBody | undefined): BatchRecord;

  protected makeRawBody(): string {
    return '';
  }

  protected makeAttributes(): Readonly<Record<string, string>> {
    return {};
  }

  /** The body of a text that is in no envelope. */
  protected parsed(parse?: (text: string) => unknown): unknown {
    return parseJsonOrText(this.rawBody, parse);
  }

  /** Why no key can be made of the text; undefined where one can. */
  protected get keyProblem(): string | undefined {
    return undefined;
  }

  forgetLongBody(): void {
    if (this.#body !== UNREAD && this.rawBody.length > LONG_TEXT) this.#body = UNREAD;
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

showsValues(TextRecord);

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
  if ('forgetLongBody' in record) (record as TextRecord & BatchRecord).forgetLongBody();
}
