import { Buffer, isUtf8 } from 'node:buffer';
import { NOT_UTF8, textOfBase64 } from './base64.ts';
import { type OpenedBody, type TextMembers, TextRecord } from './text-record.ts';

/** What records of Kinesis and Kafka have in common: Lambda delivers their payloads as base64. */
export abstract class Base64Record<Source extends string, Raw> extends TextRecord<Source, Raw> {
  /** The payload as it was delivered; undefined: there is none. */
  protected abstract get data(): string | undefined;
  readonly #isDecoded: boolean;
  #text: string | undefined;

  /** `rawBody`: what `decode` has made of the payload. */
  constructor(members: TextMembers<Source, Raw>, opened: OpenedBody | undefined) {
    super(members, opened);
    this.#isDecoded = members.rawBody !== undefined;
  }

  get payload(): Buffer | undefined {
    return this.data === undefined ? undefined : Buffer.from(this.data, 'base64');
  }

  protected override makeRawBody(): string {
    return (this.#text ??= textOfBase64(this.data ?? ''));
  }

  protected override get keyProblem(): string | undefined {
    const isDoubtful = !this.#isDecoded && this.rawBody.includes('\uFFFD');
    return isDoubtful && !isUtf8(this.payload as Buffer) ? NOT_UTF8 : undefined;
  }
}
