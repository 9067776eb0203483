import { builtIn } from '../base/built-in.ts';
import { type OpenedBody, type TextMembers, TextRecord } from './text-record.ts';
import { decoder } from './decode-payloads.ts';
import { DecodeError, type DecoderStep } from './decode-step.ts';
import { checkedMaxBytes } from './function-memory.ts';

const { isUtf8 } = builtIn('node:buffer');

/** Options of `base64()`. */
export interface Base64Options {
  /** The most bytes of a payload. Default 10 MB (10,485,760), or a 64th of the function's memory if less. */
  readonly maxBytes?: number;
}

/**
 * Returns a step of `decode` that decodes base64 text, in the standard or the URL-safe alphabet, with or
 * without padding and line breaks. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The maximum length of the decoded payload.
 */
export function base64(options: Base64Options = {}): DecoderStep {
  const maxBytes = checkedMaxBytes('base64', options);
  return decoder((data) => {
    if (data.length > (maxBytes + 3) * MOST_CHARACTERS) throw tooLong(maxBytes);
    const bytes = bytesOfBase64(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
    if (bytes.length > maxBytes) throw tooLong(maxBytes);
    return bytes;
  });
}

/** Four characters encode three bytes. A tenth more allows for line breaks. */
const MOST_CHARACTERS = (4 / 3) * 1.1;

function tooLong(maxBytes: number): DecodeError {
  const message = `The payload has more than ${maxBytes} bytes (maxBytes of base64)`;
  return new DecodeError(message, { isRetryable: false });
}

/** Decodes base64, as Lambda delivers it, to UTF-8 text. Invalid UTF-8 becomes U+FFFD. */
export function textOfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/**
 * Decodes base64 text, also in several lines. Throws a `DecodeError` for anything else; `Buffer` would skip
 * invalid characters.
 */
export function bytesOfBase64(text: string): Buffer {
  const letters = text.trim().replaceAll(/[\r\n]+/g, '');
  if (!/^[\w+/-]*={0,2}$/.test(letters) || letters.replace(/=+$/, '').length % 4 === 1) {
    throw new DecodeError('The payload is not base64, as `decode` expects: correct it, or the sender', {
      isRetryable: false,
    });
  }
  return Buffer.from(letters, 'base64');
}

/** A record whose payload Lambda delivers as base64: Kinesis and Kafka. */
export abstract class Base64Record<Source extends string, Raw> extends TextRecord<Source, Raw> {
  /** The base64 as it was delivered; undefined if the record has no payload. */
  protected abstract get data(): string | undefined;
  readonly #isDecoded: boolean;
  #text: string | undefined;

  /** `rawBody` is the text that `decode` produced; undefined if it did not run. */
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
    return 'The payload is not UTF-8, so no key can be made of its text';
  }
}
