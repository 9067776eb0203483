import { MismatchError } from '../attempts/errors.ts';
import type { Entry } from '../batch/entry.ts';
import { isPermanentEnd } from '../batch/outcomes.ts';
import type { Policy } from '../batch/policy.ts';
import type { BatchScope } from '../batch/scope.ts';
import { toStoredError } from '../claims/claim.ts';
import { aUrl, required } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { boundedSqs } from '../queues/bounded-sqs.ts';
import { type DeadLetter, sendDeadLetter } from '../queues/dead-letter.ts';

/** Options of `deadLetterQueue`. */
export interface DeadLetterQueueOptions {
  /** The URL of the queue that takes what failed for good. */
  readonly url: string;
}

/**
 * For `deadLetter`: sends what failed for good to a queue, with its error and its key, as soon as that is known. The
 * record is acknowledged once the queue has it. When the process dies in between, the record comes again, is found
 * parked, and is sent again: twice is better than never. Needs `sqs`.
 *
 * @param options Where failed records are sent.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 *
 * @example
 * createBatchProcessor(handler, { sqs: new SQS(), deadLetter: deadLetterQueue({ url }) });
 */
export function deadLetterQueue(options: DeadLetterQueueOptions): Policy<'deadLetter'> {
  checkOptionsOf('deadLetterQueue', options, { url: required(aUrl()) });
  const { url } = options;
  return {
    option: 'deadLetter',
    needsSqs: true,
    afterRecord: (entry, scope) => sendToDeadLetters(entry, url, scope),
  };
}

async function sendToDeadLetters(entry: Entry, url: string, scope: BatchScope): Promise<void> {
  const { sqs, clock, deadline, notify } = scope;
  const { outcome, record, recordId, key } = entry;
  // Without a record there is nothing to send: such a message is left to the queue's redrive policy.
  if (sqs === undefined || record === undefined || !isPermanentEnd(outcome)) return;
  try {
    await sendDeadLetter(
      boundedSqs(sqs, clock),
      url,
      letterOf(entry, record, outcome),
      deadline.answerNow.signal,
    );
  } catch (error) {
    notify({ type: 'deadLetterFailed', recordId, key, error });
    return;
  }
  entry.noteDeadLettered();
  notify({ type: 'deadLettered', recordId, key });
}

function letterOf(
  entry: Entry,
  record: NonNullable<Entry['record']>,
  outcome: NonNullable<Entry['outcome']>,
): DeadLetter {
  const { raw, source, messageGroupId, attributes } = record;
  return {
    // A message is sent as it was delivered; a record of another source is sent as a whole, as JSON.
    body: source === 'sqs' ? record.raw.body : JSON.stringify(raw),
    error: toStoredError('error' in outcome ? outcome.error : new MismatchError()),
    source: source === 'sqs' ? record.raw.eventSourceARN : source,
    recordId: record.id,
    key: entry.key === '' ? undefined : entry.key,
    attempt: entry.claim?.attempt,
    messageGroupId,
    attributes,
  };
}
