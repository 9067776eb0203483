import { Buffer, isUtf8 } from 'node:buffer';
import { NOT_UTF8, textOfBase64 } from './base64-text.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/** What records of Kinesis and Kafka have in common: Lambda delivers their payloads as base64. */
export abstract class Base64Record extends TextRecord {
  /** The payload as it was delivered; undefined: there is none. */
  protected abstract readonly data: string | undefined;
  readonly #isDecoded: boolean;
  #text: string | undefined;

  constructor(opened: OpenedBody | undefined, decodedText: string | undefined) {
    super(opened);
    this.#text = decodedText;
    this.#isDecoded = decodedText !== undefined;
  }

  get payload(): Buffer | undefined {
    return this.data === undefined ? undefined : Buffer.from(this.data, 'base64');
  }

  get rawBody(): string {
    this.#text ??= textOfBase64(this.data ?? '');
    return this.#text;
  }

  protected override get keyProblem(): string | undefined {
    const isDoubtful = !this.#isDecoded && this.rawBody.includes('\uFFFD');
    return isDoubtful && !isUtf8(this.payload as Buffer) ? NOT_UTF8 : undefined;
  }
}
