import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { REFUSED_CHARACTER } from '../tool-base/refused-character.ts';
import { type BadLine, isBad, type Line, lineBody, textAt, valueAt } from './line-body.ts';

/** SQS's limit for a message, and for all messages of one request. */
export const MOST_BYTES = 1_048_576;

/** A line that can be sent, as a message or an event. */
export interface Sendable {
  /** The number of its line. */
  readonly line: number;
  /** The size as the service counts it. */
  readonly bytes: number;
}

/** The options that turn lines into messages. */
export interface MessageOptions {
  readonly text?: boolean;
  readonly groupId?: string;
  readonly groupKey?: string;
  readonly dedupId?: string;
  readonly dedupKey?: string;
}

export interface Outgoing extends Sendable {
  readonly body: string;
  readonly groupId: string | undefined;
  readonly dedupId: string | undefined;
}

const ID = /^[!-~]{1,128}$/;

/** Returns the message of a line, or the problem with the line. */
export function outgoing(line: Line, options: MessageOptions, isFifo: boolean): Outgoing | BadLine {
  const read = lineBody(line, options.text === true);
  if (isBad(read)) return read;
  const { body, value } = read;
  const bytes = Buffer.byteLength(body);
  if (bytes === 0) return { problem: 'is an empty text, which SQS refuses: leave it out' };
  if (bytes > MOST_BYTES)
    return { problem: `has more than ${MOST_BYTES.toLocaleString('en-US')} bytes: put it into S3` };
  if (REFUSED_CHARACTER.test(body))
    return { problem: 'has a control character, which SQS refuses: remove it' };
  const group = idOf('message group id', value, options.groupId, options.groupKey);
  if (typeof group === 'object') return group;
  const dedup = idOf('deduplication id', value, options.dedupId, options.dedupKey);
  if (typeof dedup === 'object') return dedup;
  // The id that ContentBasedDeduplication would make; this works without it as well.
  const dedupId = dedup ?? (isFifo ? createHash('sha256').update(body).digest('hex') : undefined);
  return { line: line.number, body, bytes, groupId: group, dedupId };
}

function idOf(
  what: string,
  value: unknown,
  fixed: string | undefined,
  path: string | undefined,
): string | BadLine | undefined {
  if (path === undefined) return fixed;
  const id = textAt(value, path);
  if (id === undefined) return { problem: `has no text or number at ${path} for its ${what}` };
  const found = valueAt(value, path);
  if (typeof found === 'number' && Math.abs(found) > Number.MAX_SAFE_INTEGER) {
    // Its last digits are lost: SQS would drop one of two different messages as a duplicate.
    return { problem: `has a number beyond 2^53 at ${path} for its ${what}; make it a string` };
  }
  if (!ID.test(id)) {
    return { problem: `has no valid ${what} at ${path}: 1 to 128 letters, digits and punctuation` };
  }
  return id;
}
