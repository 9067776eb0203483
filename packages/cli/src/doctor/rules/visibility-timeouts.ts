import type { LambdaFunction, Queue } from '../../template/model.ts';
import type { Examination } from '../examination.ts';
import { mayBeNode } from './runtimes.ts';
import type { Rules } from './rule.ts';
import { sourceQueues, wiredQueues, type WiredQueue } from '../queues-with-functions.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const LONGEST_VISIBILITY_SECONDS = 43_200;
/**
 * "At least six times the function timeout":
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const TIMES_THE_TIMEOUT = 6;
/** How much longer a default lease is than the function's timeout (attempts/default-lease.ts). */
const LEASE_BEYOND_TIMEOUT_SECONDS = 1;

/** Rules for the timeouts of queues and their functions. */
export const VISIBILITY_RULES: Rules = {
  'visibility-timeout-too-short': {
    severity: 'error',
    what:
      "a queue's visibility timeout below the function's timeout (a warning " +
      'below six times the timeout and the batching window)',
    why:
      'Messages come again while they are processed or retried, and each time uses up a ' +
      'receive; good messages end in the dead-letter queue. Below the timeout, AWS refuses the ' +
      'mapping.',
    fix: '`VisibilityTimeout` of six times the timeout, plus the window',
    docs: 'deploying.md#what-a-function-needs',
  },
  'lease-longer-than-visibility': {
    severity: 'error',
    what:
      "a lease (`leaseMs`, otherwise the function's timeout and a " +
      'second) that ends after the visibility timeout',
    why:
      "After a crash the next delivery is a conflict with the dead process's lease, and uses up " +
      'a receive without running.',
    fix: 'a longer `VisibilityTimeout`, or a shorter `leaseMs`',
    docs: 'options.md#time',
  },
  'visibility-timeout-over-12-hours': {
    severity: 'error',
    what: 'a visibility timeout of more than 12 hours',
    why: 'SQS keeps a message invisible for at most 12 hours.',
    fix: '`VisibilityTimeout` of at most 43200; longer work in a workflow that the function starts',
  },
  'function-too-long-for-sqs': {
    severity: 'error',
    what: 'a function behind SQS with a timeout of more than 2 hours',
    why:
      'Six times its timeout is more than the 12 hours that SQS allows, so messages come again ' +
      'while they are processed.',
    fix: 'a `Timeout` of at most 900, with the long work in a workflow that the function starts',
  },
};

export function checkVisibilityTimeouts(examination: Examination): void {
  for (const wired of wiredQueues(examination)) checkTimes(examination, wired);
  for (const queue of sourceQueues(examination)) checkLimit(examination, queue);
}

function checkTimes(examination: Examination, { queue, mapping, lambda }: WiredQueue): void {
  const visibility = examination.known(queue, 'VisibilityTimeout', queue.visibilitySeconds);
  const timeout = examination.known(lambda, 'Timeout', lambda.timeoutSeconds);
  const window = examination.known(mapping, 'MaximumBatchingWindowInSeconds', mapping.windowSeconds);
  if (timeout === undefined) return;
  if (timeout * TIMES_THE_TIMEOUT > LONGEST_VISIBILITY_SECONDS) {
    examination.report('function-too-long-for-sqs', lambda, {
      message:
        `${lambda.name} may run for ${timeout} s; six times that is more than the ` +
        `12 hours that SQS keeps a message of ${queue.name} invisible.`,
      fix: 'Timeout: 900',
      line: lambda.timeoutSeconds.line,
    });
    return;
  }
  if (visibility === undefined || window === undefined) return;
  checkVisibility(examination, { queue, lambda, visibility, timeout, window });
  // Only functions on Node can use batchlatch, and so have leases.
  if (mayBeNode(lambda.runtime.value)) {
    checkLease(examination, { queue, lambda, visibility, timeout, window });
  }
}

interface Times {
  readonly queue: Queue;
  readonly lambda: LambdaFunction;
  readonly visibility: number;
  readonly timeout: number;
  readonly window: number;
}

function checkVisibility(
  examination: Examination,
  { queue, lambda, visibility, timeout, window }: Times,
): void {
  const sixTimes = timeout * TIMES_THE_TIMEOUT;
  const needed = sixTimes + window;
  if (visibility >= needed) return;
  const sum = `6 × ${timeout} s${window > 0 ? ` + ${window} s of batching window` : ''}`;
  const refused =
    visibility < timeout ? ` AWS refuses the mapping, because it is below the timeout itself.` : '';
  examination.report('visibility-timeout-too-short', queue, {
    message:
      `${queue.name} hides a message for ${visibility} s; with ` +
      `${lambda.name} it should be ${needed} s or more (${sum}).${refused}`,
    fix: `VisibilityTimeout: ${Math.min(needed, LONGEST_VISIBILITY_SECONDS)} # ${sum}`,
    line: queue.visibilitySeconds.line,
    ...(visibility >= timeout && { severity: 'warning' as const }),
  });
}

function checkLease(examination: Examination, { queue, lambda, visibility, timeout, window }: Times): void {
  const { value: leaseMs } = lambda.options.leaseMs;
  const lease = leaseMs === undefined ? timeout + LEASE_BEYOND_TIMEOUT_SECONDS : leaseMs / 1_000;
  if (lease + window <= visibility) return;
  const whose =
    leaseMs === undefined ? `by default ${lease} s (the function's timeout and a second)` : `${lease} s`;
  examination.report('lease-longer-than-visibility', queue, {
    message:
      `The lease of ${lambda.name} is ` +
      `${whose}${window > 0 ? `, after ${window} s of batching window` : ''}; ${queue.name} ` +
      `delivers again after ${visibility} s.`,
    fix:
      'VisibilityTimeout: ' +
      String(
        Math.min(
          Math.ceil(Math.max(timeout * TIMES_THE_TIMEOUT, lease) + window),
          LONGEST_VISIBILITY_SECONDS,
        ),
      ),
    line: queue.visibilitySeconds.line,
  });
}

function checkLimit(examination: Examination, queue: Queue): void {
  const visibility = queue.visibilitySeconds.value;
  if (visibility === undefined || visibility <= LONGEST_VISIBILITY_SECONDS) return;
  examination.report('visibility-timeout-over-12-hours', queue, {
    message:
      `${queue.name} has a visibility timeout of ${visibility} s; SQS ` +
      `allows ${LONGEST_VISIBILITY_SECONDS} s (12 hours) at most.`,
    fix: `VisibilityTimeout: ${LONGEST_VISIBILITY_SECONDS}`,
    line: queue.visibilitySeconds.line,
  });
}
