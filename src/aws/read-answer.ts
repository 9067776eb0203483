import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answers.ts';

/** A complete answer, and whether its connection can be used again. */
export interface WholeAnswer {
  readonly answer: Answer;
  /** How long the server keeps an idle connection open, in milliseconds. */
  readonly idleMs: number;
  /** The connection brings no further answer. */
  readonly isLast: boolean;
}

interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** HTTP/1.0, whose connections bring one answer. */
  readonly isOld: boolean;
  /** The length of the body; undefined: it is chunked. */
  readonly bytes: number | undefined;
}

/** Node's default limit of a head (`--max-http-header-size`). */
const LONGEST_HEAD = 16_384;
const END_OF_HEAD = '\r\n\r\n';
const [CR, LF] = [13, 10];
/** In a `Connection` header, which is a list: Apache says `Upgrade, close`. */
const CLOSE = /(^|,)[ \t]*close[ \t]*(,|$)/i;
/** A request that is sent at the last moment would meet a closing connection. */
const MARGIN_MS = 1_000;

/**
 * Reads the answers on one connection, one after another: HTTP/1.1 or 1.0 (servers in Python), with a
 * `Content-Length`, as AWS's JSON services send them, or chunked, as proxies and emulators do. Anything else
 * is `unreadable`, and none of it is used.
 */
export class AnswerReader {
  readonly #mostBytes: number;
  /** The parts of an incomplete head or body. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #head: Head | undefined = undefined;
  /** The content of the body's chunks so far. */
  #content: Buffer[] = [];
  #contentBytes = 0;
  /** The number of bytes needed before the next chunk can be complete. */
  #needed = 0;

  /** `mostBytes` is the limit of a body. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  read(chunk: Buffer): WholeAnswer | 'more' | 'too-long' | 'unreadable' {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    while (this.#head === undefined) {
      const data = this.#whole();
      const end = data.indexOf(END_OF_HEAD);
      if (end < 0 ? data.length > LONGEST_HEAD : end > LONGEST_HEAD) return 'unreadable';
      if (end < 0) return 'more';
      const head = headIn(data.toString('latin1', 0, end));
      if (head === undefined) return 'unreadable';
      const rest = data.subarray(end + END_OF_HEAD.length);
      this.#parts = [rest];
      this.#bytes = rest.length;
      if (head !== 'interim') this.#head = head;
      else if (rest.length === 0) return 'more';
    }
    const { status, headers, isOld, bytes } = this.#head;
    const body = bytes === undefined ? this.#chunked() : this.#ofLength(bytes);
    if (typeof body === 'string') return body;
    const hasMore = this.#bytes > 0; // bytes that no request asked for
    this.#parts = [];
    this.#bytes = 0;
    this.#head = undefined;
    const isLast = isOld || hasMore || CLOSE.test(headers.connection ?? '');
    return { answer: { status, headers, body }, idleMs: idleMsOf(headers), isLast };
  }

  #ofLength(bytes: number): Buffer | 'more' | 'too-long' {
    if (bytes > this.#mostBytes) return 'too-long';
    if (this.#bytes < bytes) return 'more';
    const body = this.#whole().subarray(0, bytes);
    this.#bytes -= bytes;
    return body;
  }

  /** Reads a chunked body (RFC 9112, section 7.1). */
  #chunked(): Buffer | 'more' | 'too-long' | 'unreadable' {
    if (this.#contentBytes + this.#bytes > this.#mostBytes) return 'too-long';
    if (this.#bytes < this.#needed) return 'more';
    let data = this.#whole();
    for (;;) {
      const end = data.indexOf('\r\n');
      if (end < 0) {
        if (data.length > LONGEST_HEAD) return 'unreadable';
        break;
      }
      const size = /^([\da-f]{1,8})[ \t]*(?:;|$)/i.exec(data.toString('latin1', 0, end))?.[1];
      if (size === undefined) return 'unreadable';
      const length = Number.parseInt(size, 16);
      if (length === 0) {
        const after = data.indexOf(END_OF_HEAD, end); // after the trailers, if any
        if (after < 0) break;
        this.#bytes = data.length - after - END_OF_HEAD.length;
        this.#contentBytes = 0;
        return Buffer.concat(this.#content.splice(0));
      }
      const from = end + 2;
      const until = from + length;
      this.#needed = until + 2;
      if (data.length < this.#needed) break;
      if (data[until] !== CR || data[until + 1] !== LF) return 'unreadable';
      this.#content.push(data.subarray(from, until));
      this.#contentBytes += length;
      data = data.subarray(until + 2);
      this.#needed = 0;
    }
    this.#parts = [data];
    this.#bytes = data.length;
    return 'more';
  }

  #whole(): Buffer {
    const [first] = this.#parts;
    if (this.#parts.length === 1 && first !== undefined) return first;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [whole];
    return whole;
  }
}

/** Parses a head. `interim`: a 1xx status before the answer. Undefined: unreadable. */
function headIn(text: string): Head | 'interim' | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
  const status = Number(code);
  if (!(status >= 100) || status === 101) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return undefined;
    const value = line.slice(colon + 1).trim();
    if (name === 'content-length' && headers[name] !== undefined && headers[name] !== value) return undefined;
    if (name === 'connection' && headers[name] !== undefined) headers[name] += `, ${value}`;
    else headers[name] ??= value;
  }
  if (status < 200) return 'interim';
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  const isOld = minor === '0';
  if (coding !== undefined) {
    // With a length it allows response smuggling, and HTTP/1.0 has no chunks.
    const isReadable = coding.toLowerCase() === 'chunked' && length === undefined && !isOld;
    return isReadable ? { status, headers, isOld, bytes: undefined } : undefined;
  }
  const hasLength = length !== undefined && /^\d{1,15}$/.test(length);
  return hasLength ? { status, headers, isOld, bytes: Number(length) } : undefined;
}

/** Returns the idle time in `Keep-Alive: timeout=5`. */
function idleMsOf({ 'keep-alive': hint }: IncomingHttpHeaders): number {
  const seconds = typeof hint === 'string' ? /\btimeout=(\d+)/.exec(hint)?.[1] : undefined;
  return seconds === undefined ? Infinity : Math.max(0, Number(seconds) * 1_000 - MARGIN_MS);
}
