import { checkOptionsOf } from '../../options/check-options.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { ClaimsOfMessages } from './claims-of-messages.ts';
import { openDeadLetterQueue } from './dead-letter-queue.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';
import { findDestinations } from './destinations.ts';
import { Redrive } from './redrive.ts';
import { REDRIVE_CHECKS, type RedriveOptions } from './redrive-options.ts';
import type { RedriveResult } from './redrive-result.ts';

/**
 * Moves messages of a dead-letter queue back to their source, after releasing the claims that would drop
 * them: those that are parked, overdue or failed. A message whose claim is in progress is left; one whose
 * claim is completed is left unless `completed` says otherwise. The result lists both. No message is lost:
 * each is deleted only after SQS has taken it at its destination, or SQS moves it itself. A redrive that was
 * stopped can be started again.
 *
 * Rejects with a `ConfigurationError` for invalid options, and with the error of SQS if the queue's
 * attributes cannot be read. Later failures are reported in the result.
 *
 * @param sqs `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`.
 * @param options The queue, the messages, who redrives them, and why.
 *
 * @example
 * const { moved, left } = await redriveDeadLetters(new SQS(), {
 *   queueUrl, admin, which: 'all', operator: 'ann', reason: 'fixed in 1.4',
 * });
 */
export async function redriveDeadLetters(
  sqs: DeadLetterSqs | CommandClient,
  options: RedriveOptions,
): Promise<RedriveResult> {
  checkOptionsOf('redriveDeadLetters', options, REDRIVE_CHECKS);
  const queue = await openDeadLetterQueue(sqs, options);
  const destinations = await findDestinations(queue, options.destinationUrl);
  const claims = new ClaimsOfMessages(options);
  return new Redrive(queue, destinations, claims, options).run();
}
