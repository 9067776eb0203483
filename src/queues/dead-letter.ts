import { builtIn } from '../base/built-in.ts';
import type { StoredError } from '../claims/claim.ts';
import type { SqsClient } from './sqs-client.ts';

const { hash } = builtIn('node:crypto');

/** The message that a dead-letter queue gets for a record that failed for good. */
export interface DeadLetter {
  /** The body as delivered. */
  readonly body: string;
  readonly error: StoredError;
  /** The ARN of the source if known, else the service's name. */
  readonly source: string;
  readonly recordId: string;
  /** Undefined if no key could be derived. */
  readonly key: string | undefined;
  /** The attempt that failed; undefined if the key was found parked, or nothing ran. */
  readonly attempt: number | undefined;
  readonly messageGroupId: string | undefined;
  /** The record's own string attributes. SQS allows ten in all; others are dropped. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The attributes that are added to the record's own. */
export const DEAD_LETTER_ATTRIBUTES = [
  'ErrorCode',
  'RecordId',
  'IdempotencyKey',
  'ErrorName',
  'Attempt',
  'Source',
  'ErrorMessage',
] as const;

/** Own attributes, as `s3Pointer` and routes read them, without which a record cannot be processed again. */
const NEEDED = /^(ExtendedPayloadSize|SQSLargePayloadSize|type|version|outboxId|ce[_-]type)$/;
/** No message needs more. They leave room for `Source`, without which a redrive takes it for another's. */
const MOST_NEEDED = 4;

/** SQS's limits for message attributes. */
const MOST_ATTRIBUTES = 10;
const ATTRIBUTE_NAME = /^(?!aws\.|amazon\.)(?!.*\.\.)(?!\.)[\w.-]{1,256}(?<!\.)$/i;
export const LONGEST_VALUE = 512;

/** SQS's limit for a message: body, and names, types and values of attributes, in UTF-8. */
const LARGEST_MESSAGE_BYTES = 1_048_576;

/** Sends a dead letter. Rejects if SQS does not take it. */
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
      // Standard queues take a group too (fair queues), and a redrive to the source queue needs it.
      ...(groupId !== undefined && { MessageGroupId: groupId }),
      ...(isFifo && {
        // If the answer is lost and the failure is sent again, the queue keeps one message.
        MessageDeduplicationId: hash('sha256', `${letter.recordId} ${letter.key ?? ''}`),
      }),
    },
    signal && { abortSignal: signal },
  );
}

type Attribute = { readonly DataType: string; readonly StringValue: string };

/**
 * Returns the attributes: the needed ones, those added here, most useful first, then the record's others, as
 * far as SQS's limits allow. Own attributes with a reserved name, in any letter case, are dropped: a sender
 * could forge an error or a key.
 */
function attributesOf(
  { error, source, recordId, key, attempt, attributes }: DeadLetter,
  roomBytes: number,
): Record<string, Attribute> {
  const own: Record<(typeof DEAD_LETTER_ATTRIBUTES)[number], Attribute | undefined> = {
    ErrorCode: text(error.code),
    RecordId: text(recordId),
    // A truncated key would be another key.
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
  const needed = theirs.filter(([name]) => NEEDED.test(name)).slice(0, MOST_NEEDED);

  const kept: [string, Attribute][] = [];
  let bytes = 0;
  for (const [name, attribute] of new Map([...needed, ...Object.entries(own), ...theirs])) {
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

/** Replaces characters that SQS refuses: those outside XML 1.0, and lone surrogates. Undefined if empty. */
function whole(value: string | undefined): Attribute | undefined {
  if (value === undefined || value === '') return undefined;
  return { DataType: 'String', StringValue: value.replace(REFUSED_BY_SQS, '\uFFFD') };
}

// oxlint-disable-next-line no-control-regex -- the characters to replace
const REFUSED_BY_SQS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

/** Escapes the characters that SQS refuses. Only bodies of other services have them, and those are JSON. */
function acceptableBody(body: string): string {
  return body.replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}
