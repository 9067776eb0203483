import { Buffer, isUtf8 } from 'node:buffer';
import { type OpenedBody, type TextMembers, TextRecord } from './text-record.ts';
import { decoder } from './decode-payloads.ts';
import { DecodeError, type DecoderStep } from './decode-step.ts';
import { checkedMaxBytes } from './function-memory.ts';

/** Bounds of `base64()`. */
export interface Base64Options {
  /** How many bytes a payload may have. Default 10 MB (10,485,760), and no more than a 64th of the function's memory. */
  readonly maxBytes?: number;
}

/**
 * A step of `decode`: the bytes of base64 text, in the usual or the URL alphabet, with or without padding.
 *
 * @param options How long the decoded payload may be.
 */
export function base64(options: Base64Options = {}): DecoderStep {
  const maxBytes = checkedMaxBytes('base64', options);
  return decoder((data) => {
    // Four characters are three bytes; white space and padding make no difference that matters here.
    if (data.length * 0.75 > maxBytes + 3) {
      throw new DecodeError(`The payload has more than ${maxBytes} bytes (maxBytes of base64)`, {
        isRetryable: false,
      });
    }
    return bytesOfBase64(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
  });
}

/** The text of bytes that arrive as base64, as Lambda delivers them. Bytes that are no UTF-8 become U+FFFD. */
export function textOfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Throws a `DecodeError` for any other text, which `Buffer` would read as far as it can. */
export function bytesOfBase64(text: string): Buffer {
  const trimmed = text.trim();
  if (!/^[\w+/-]*={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, '').length % 4 === 1) {
    throw new DecodeError('The payload is not base64', { isRetryable: false });
  }
  return Buffer.from(trimmed, 'base64');
}

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
    if (!isDoubtful || isUtf8(this.payload as Buffer)) return undefined;
    return 'The payload is not UTF-8, so it has no key: different bytes would have the same text';
  }
}
