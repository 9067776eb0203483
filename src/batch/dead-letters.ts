import { toStoredError } from '../claims/claim.ts';
import { type DeadLetter, sendDeadLetter } from '../queues/dead-letter.ts';
import type { InvocationScope } from './attempt.ts';
import type { Entry } from './entry.ts';
import { MismatchError } from './errors.ts';
import { isPermanentEnd } from './outcomes.ts';

/**
 * Gives what failed for good to the dead-letter queue. It is acknowledged only once the queue has it; when the
 * process dies in between, the record comes again, is found parked, and is sent again: twice rather than never.
 */
export async function sendToDeadLetters(
  entry: Entry,
  { settings, ports, deadline }: InvocationScope,
): Promise<void> {
  const { deadLetterUrl } = settings;
  const { outcome, record, recordId, key } = entry;
  // Without a record there is nothing that could be sent: such a message is left to the queue's redrive policy.
  if (
    deadLetterUrl === undefined ||
    ports.sqs === undefined ||
    record === undefined ||
    !isPermanentEnd(outcome)
  )
    return;
  try {
    await sendDeadLetter(ports.sqs, deadLetterUrl, letterOf(entry, record, outcome), deadline.answerNow);
  } catch (error) {
    ports.observer.onEvent({ type: 'deadLetterFailed', recordId, key, error });
    return;
  }
  entry.noteDeadLettered();
  ports.observer.onEvent({ type: 'deadLettered', recordId, key });
}

function letterOf(
  entry: Entry,
  record: NonNullable<Entry['record']>,
  outcome: NonNullable<Entry['outcome']>,
): DeadLetter {
  const { raw, source, messageGroupId, attributes } = record;
  return {
    // A message can be sent back as it came; what no queue delivered goes whole, as its event.
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
