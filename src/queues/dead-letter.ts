import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { StoredError } from '../claims/claim.ts';
import type { SqsClient } from './sqs-client.ts';

/** A record that failed for good, as a dead-letter queue gets it. */
export interface DeadLetter {
  /** The body as it was delivered. */
  readonly body: string;
  readonly error: StoredError;
  /** Where it came from: the ARN where the service gives one, else the service's name. */
  readonly source: string;
  readonly recordId: string;
  /** Undefined if no key could be derived. */
  readonly key: string | undefined;
  /** The attempt that failed; undefined where the key was found parked or nothing was attempted. */
  readonly attempt: number | undefined;
  readonly messageGroupId: string | undefined;
  /** The record's own string attributes; as many are sent as SQS's limit of ten allows. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The message attributes that a dead letter brings besides the record's own. */
export const DEAD_LETTER_ATTRIBUTES = [
  'ErrorCode',
  'RecordId',
  'IdempotencyKey',
  'ErrorName',
  'Attempt',
  'Source',
  'ErrorMessage',
] as const;

/** SQS's limits for message attributes. */
const MOST_ATTRIBUTES = 10;
const ATTRIBUTE_NAME = /^(?!aws\.|amazon\.)(?!.*\.\.)(?!\.)[\w.-]{1,256}(?<!\.)$/i;
const LONGEST_VALUE = 512;

/** SQS's limit for a message: its body and its attributes' names, types and values, in UTF-8. */
const LARGEST_MESSAGE_BYTES = 1_048_576;

/** Sends the record with what is known of its failure. Rejects when SQS did not take it. */
export async function sendDeadLetter(
  client: Pick<SqsClient, 'sendMessage'>,
  queueUrl: string,
  letter: DeadLetter,
  signal?: AbortSignal,
): Promise<void> {
  const isFifo = queueUrl.endsWith('.fifo');
  const groupId = letter.messageGroupId ?? (isFifo ? hash('sha256', letter.recordId) : undefined);
  const body = acceptableBody(letter.body);
  await client.sendMessage(
    {
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageAttributes: attributesOf(letter, LARGEST_MESSAGE_BYTES - Buffer.byteLength(body)),
      // Standard queues take a group too, for fair queues, and it is needed when the message is moved back.
      ...(groupId !== undefined && { MessageGroupId: groupId }),
      ...(isFifo && {
        // The same failure of the same message, sent again after a lost answer, arrives once.
        MessageDeduplicationId: hash('sha256', `${letter.recordId} ${letter.key ?? ''}`),
      }),
    },
    signal && { abortSignal: signal },
  );
}

type Attribute = { readonly DataType: string; readonly StringValue: string };

/**
 * What is ours first, from the most useful to the least, then the record's own: as many as SQS's count and the room that
 * the body leaves allow. Our names are ours in any case of their letters: what a sender calls so is left out, or a message
 * could bring an error, an attempt or a key of its own making.
 */
function attributesOf(
  { error, source, recordId, key, attempt, attributes }: DeadLetter,
  roomBytes: number,
): Record<string, Attribute> {
  const own: Record<(typeof DEAD_LETTER_ATTRIBUTES)[number], Attribute | undefined> = {
    ErrorCode: text(error.code),
    RecordId: text(recordId),
    // Cut, it would be another key.
    IdempotencyKey: key !== undefined && key.length <= LONGEST_VALUE ? text(key) : undefined,
    ErrorName: text(error.name),
    Attempt: attempt === undefined ? undefined : { DataType: 'Number', StringValue: String(attempt) },
    Source: text(source),
    ErrorMessage: text(error.message),
  };
  const reserved = new Set(DEAD_LETTER_ATTRIBUTES.map((name) => name.toLowerCase()));
  const theirs = Object.entries(attributes)
    .filter(([name]) => ATTRIBUTE_NAME.test(name) && !reserved.has(name.toLowerCase()))
    .map(([name, value]): [string, Attribute | undefined] => [name, whole(value)]);

  const kept: [string, Attribute][] = [];
  let bytes = 0;
  for (const [name, attribute] of [...Object.entries(own), ...theirs]) {
    if (attribute === undefined) continue;
    const size = Buffer.byteLength(name + attribute.DataType + attribute.StringValue);
    if (kept.length === MOST_ATTRIBUTES || bytes + size > roomBytes) break;
    bytes += size;
    kept.push([name, attribute]);
  }
  return Object.fromEntries(kept);
}

function text(value: string | undefined): Attribute | undefined {
  return whole(value?.slice(0, LONGEST_VALUE));
}

/** SQS refuses empty values, characters that XML 1.0 has no place for, and what is no Unicode. */
function whole(value: string | undefined): Attribute | undefined {
  if (value === undefined || value === '') return undefined;
  return { DataType: 'String', StringValue: value.replace(REFUSED_BY_SQS, '\uFFFD') };
}

// oxlint-disable-next-line no-control-regex -- these are what is to be replaced
const REFUSED_BY_SQS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

/** SQS delivered its own bodies, so it takes them; what other services deliver is JSON, where these can be escaped. */
function acceptableBody(body: string): string {
  return body.replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}
