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
  /** Undefined where no key could be had. */
  readonly key: string | undefined;
  /** The attempt that failed; undefined where the key was found parked or nothing was attempted. */
  readonly attempt: number | undefined;
  readonly messageGroupId: string | undefined;
  /** The record's own string attributes; as many go along as SQS's ten leave room for. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** SQS's limits for message attributes. */
const MOST_ATTRIBUTES = 10;
const ATTRIBUTE_NAME = /^(?!aws\.|amazon\.)(?!.*\.\.)(?!\.)[\w.-]{1,256}(?<!\.)$/i;
const LONGEST_VALUE = 512;

/** Sends the record with what is known of its failure. Rejects when SQS did not take it. */
export async function sendDeadLetter(
  client: Pick<SqsClient, 'sendMessage'>,
  queueUrl: string,
  letter: DeadLetter,
  signal?: AbortSignal,
): Promise<void> {
  const isFifo = queueUrl.endsWith('.fifo');
  await client.sendMessage(
    {
      QueueUrl: queueUrl,
      MessageBody: letter.body,
      MessageAttributes: attributesOf(letter),
      ...(isFifo && {
        MessageGroupId: letter.messageGroupId ?? hash('sha256', letter.recordId),
        // The same failure of the same message, sent again after a lost answer, arrives once.
        MessageDeduplicationId: hash('sha256', `${letter.recordId} ${letter.key ?? ''}`),
      }),
    },
    signal && { abortSignal: signal },
  );
}

function attributesOf({
  error,
  source,
  recordId,
  key,
  attempt,
  attributes,
}: DeadLetter): Record<string, { DataType: string; StringValue: string }> {
  const own: [string, string | undefined][] = [
    ['ErrorName', error.name],
    ['ErrorMessage', error.message],
    ['ErrorCode', error.code],
    ['Source', source],
    ['RecordId', recordId],
    // Cut, it would be another key.
    ['IdempotencyKey', key !== undefined && key.length <= LONGEST_VALUE ? key : undefined],
  ];
  const all: [string, { DataType: string; StringValue: string }][] = [];
  for (const [name, value] of own) if (value) all.push([name, text(value)]);
  if (attempt !== undefined) all.push(['Attempt', { DataType: 'Number', StringValue: String(attempt) }]);
  const taken = new Set(all.map(([name]) => name));
  for (const [name, value] of Object.entries(attributes)) {
    if (all.length === MOST_ATTRIBUTES) break;
    if (value !== '' && ATTRIBUTE_NAME.test(name) && !taken.has(name))
      all.push([name, { DataType: 'String', StringValue: value }]);
  }
  return Object.fromEntries(all);
}

/** SQS refuses characters that XML 1.0 has no place for. */
function text(value: string): { DataType: string; StringValue: string } {
  // oxlint-disable-next-line no-control-regex -- these are what is to be replaced
  const clean = value.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD');
  return { DataType: 'String', StringValue: clean.slice(0, LONGEST_VALUE) };
}
