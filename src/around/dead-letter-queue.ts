import { MismatchError } from '../attempts/errors.ts';
import type { DeadLetterPolicy } from '../batch/context.ts';
import type { Ledger } from '../batch/ledger.ts';
import { isPermanentEnd } from '../batch/outcomes.ts';
import type { PlannedRecord } from '../batch/plan.ts';
import { toStoredError } from '../claims/claim.ts';
import { checkOptionsOf, required } from '../options/check-options.ts';
import { aUrl } from '../options/domain-checks.ts';
import { boundedSqs } from '../queues/sqs-client.ts';
import { type DeadLetter, sendDeadLetter } from '../queues/dead-letter.ts';

/** Options of `deadLetterQueue()`. */
export interface DeadLetterQueueOptions {
  /** The URL of the dead-letter queue. */
  readonly url: string;
}

/**
 * Returns the policy for `deadLetter` that sends a record that failed for good to a queue, with its error and
 * key. The record is acknowledged once the queue has it. If the process dies in between, the next delivery
 * finds the record parked and sends it again, so the queue may get it twice. Needs `sqs`.
 *
 * @param options The queue.
 * @throws `ConfigurationError` for missing or invalid options.
 *
 * @example
 * createBatchProcessor(handler, { sqs: new SQS(), deadLetter: deadLetterQueue({ url }) });
 */
export function deadLetterQueue(options: DeadLetterQueueOptions): DeadLetterPolicy {
  checkOptionsOf('deadLetterQueue', options, { url: required(aUrl()) });
  const { url } = options;
  return {
    option: 'deadLetter',
    async send(planned, { sqs, time, watch, ledger }) {
      const { recordId, key } = planned;
      try {
        // A record that cannot be read is left to the queue's redrive policy.
        const letter = letterOf(planned, ledger);
        if (sqs === undefined || letter === undefined) return;
        await sendDeadLetter(boundedSqs(sqs, time.clock), url, letter, time.deadline.answerNow.signal);
      } catch (error) {
        watch.notify({ type: 'deadLetterFailed', recordId, key, error });
        // rule: dead-letter-first
        return;
      }
      ledger.noteDeadLettered(planned);
      watch.notify({ type: 'deadLettered', recordId, key });
    },
  };
}

/** Returns undefined unless the record failed for good and can be read. */
function letterOf(planned: PlannedRecord, ledger: Ledger): DeadLetter | undefined {
  const { record, key } = planned;
  const outcome = ledger.outcomeOf(planned);
  if (record === undefined || !isPermanentEnd(outcome)) return undefined;
  const { raw, source, messageGroupId, attributes } = record;
  const attempt = ledger.attemptOf(planned);
  return {
    // An SQS message is sent as delivered; a record of another source is sent whole, as JSON.
    body: source === 'sqs' ? record.raw.body : JSON.stringify(raw),
    error: toStoredError('error' in outcome ? outcome.error : new MismatchError()),
    source: source === 'sqs' ? record.raw.eventSourceARN : source,
    recordId: record.id,
    key: key === '' ? undefined : key,
    attempt: attempt?.hasClaim === true ? attempt.attempt : undefined,
    messageGroupId,
    attributes,
  };
}
