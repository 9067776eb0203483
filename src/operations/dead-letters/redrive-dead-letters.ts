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
 * Moves messages of a dead-letter queue back to where they came from, after it has released the claims that would drop them:
 * those that are parked, overdue or failed. A claim that is completed or in progress is left alone, and so is its message,
 * which the result says. Nothing is lost: a message is deleted after SQS has taken it at its destination, or SQS moves it
 * itself. Whoever is stopped in between starts again.
 *
 * Rejects with a `ConfigurationError` for options that cannot work, and where the queue cannot be asked what it is. What
 * fails after that is in the result.
 *
 * @param sqs `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`.
 * @param options Which queue, which of its messages, and who does it and why.
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
  checkOptionsOf('redriveDeadLetters', options, REDRIVE_CHECKS);
  const queue = await openDeadLetterQueue(sqs, options);
  const destinations = await findDestinations(queue, options.destinationUrl);
  const claims = new ClaimsOfMessages(options);
  return new Redrive(queue, destinations, claims, options).run();
}
