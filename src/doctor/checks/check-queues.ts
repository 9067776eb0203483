import type { LambdaFunction, Mapping, Queue } from '../../template/model.ts';
import type { Examination } from './examination.ts';
import { claimsTableOf } from './claims-tables.ts';
import { daysOf } from './days-of.ts';
import { mayBeNode } from './runtimes.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const LONGEST_VISIBILITY_SECONDS = 43_200;
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html: "at least six times the function timeout". */
const TIMES_THE_TIMEOUT = 6;
/** What a lease is longer than the invocation can last (attempts/default-lease.ts). */
const LEASE_BEYOND_TIMEOUT_SECONDS = 1;
/** `retentionMs` where nobody says another. */
const DEFAULT_CLAIM_RETENTION_SECONDS = 345_600;
/** AWS's advice, in the same place: 5. Fewer than 3 and one record that kills its process takes its neighbours along. */
const ADVISED_RECEIVES = 5;
const FEWEST_RECEIVES = 3;
const LONGEST_RETENTION_SECONDS = 1_209_600;

/** What a queue must be so that its function can hand messages back. */
export function checkQueues(examination: Examination): void {
  const sources = new Set<Queue>();
  for (const mapping of examination.model.mappings) {
    if (mapping.kind !== 'sqs') continue;
    const queue = examination.queue(mapping.source.value);
    if (queue === undefined) {
      examination.known(mapping, 'its queue', mapping.source);
      continue;
    }
    sources.add(queue);
    const lambda = examination.functionOf(mapping);
    if (lambda !== undefined) checkTimes(examination, { queue, mapping, lambda });
  }
  for (const queue of sources) {
    examination.checked('queue', queue);
    checkVisibilityLimit(examination, queue);
    checkRedrive(examination, queue);
    checkSecurity(examination, queue);
  }
  for (const queue of examination.model.queues) {
    if (!sources.has(queue) && isDeadLetterQueueOf(queue, sources)) {
      examination.checked('dead-letter queue', queue);
      checkSecurity(examination, queue);
    }
  }
}

function isDeadLetterQueueOf({ id }: Queue, sources: ReadonlySet<Queue>): boolean {
  return [...sources].some(({ redrive }) => redrive.value?.target === id);
}

interface Wired {
  readonly queue: Queue;
  readonly mapping: Mapping;
  readonly lambda: LambdaFunction;
}

function checkTimes(examination: Examination, { queue, mapping, lambda }: Wired): void {
  const visibility = examination.known(queue, 'VisibilityTimeout', queue.visibilitySeconds);
  const timeout = examination.known(lambda, 'Timeout', lambda.timeoutSeconds);
  const window = examination.known(mapping, 'MaximumBatchingWindowInSeconds', mapping.windowSeconds);
  checkRetention(examination, { queue, mapping, lambda });
  if (timeout === undefined) return;
  if (timeout * TIMES_THE_TIMEOUT > LONGEST_VISIBILITY_SECONDS) {
    examination.report('function-too-long-for-sqs', lambda, {
      message: `${lambda.name} may run for ${timeout} s; six times that is more than the 12 hours that SQS keeps a message of ${queue.name} invisible.`,
      fix: 'Timeout: 900',
      line: lambda.timeoutSeconds.line,
    });
    return;
  }
  if (visibility === undefined || window === undefined) return;
  checkVisibility(examination, { queue, lambda, visibility, timeout, window });
  // batchlatch, and so a lease, is in functions of Node only.
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
    message: `${queue.name} hides a message for ${visibility} s; with ${lambda.name} it should be ${needed} s or more (${sum}).${refused}`,
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
    message: `The lease of ${lambda.name} is ${whose}${window > 0 ? `, after ${window} s of batching window` : ''}; ${queue.name} delivers again after ${visibility} s.`,
    fix: `VisibilityTimeout: ${Math.min(Math.ceil(Math.max(timeout * TIMES_THE_TIMEOUT, lease) + window), LONGEST_VISIBILITY_SECONDS)}`,
    line: queue.visibilitySeconds.line,
  });
}

function checkRetention(examination: Examination, { queue, lambda }: Wired): void {
  if (claimsTableOf(examination, lambda) === undefined) return;
  const kept = examination.known(queue, 'MessageRetentionPeriod', queue.retentionSeconds);
  const { value: retentionMs } = lambda.options.retentionMs;
  const remembered = retentionMs === undefined ? DEFAULT_CLAIM_RETENTION_SECONDS : retentionMs / 1_000;
  if (kept === undefined || remembered >= kept) return;
  const whose = retentionMs === undefined ? ' by default, unless `retentionMs` says otherwise' : '';
  examination.report('retention-shorter-than-queue', queue, {
    message: `${lambda.name} remembers claims for ${daysOf(remembered)}${whose}; ${queue.name} keeps messages for ${daysOf(kept)}.`,
    fix: [
      `# in the code of ${lambda.id}: createBatchProcessor(handler, { retentionMs: ${kept * 1_000} })`,
      `# and so that doctor knows it, in the template: ${lambda.id}: Metadata: { batchlatch: { retentionMs: ${kept * 1_000} } }`,
      `# or in ${queue.id}: MessageRetentionPeriod: ${Math.floor(remembered)}`,
    ],
    fixBelongsTo: 'none',
    line: queue.retentionSeconds.line,
    ...(retentionMs === undefined && { severity: 'warning' as const }),
  });
}

function checkVisibilityLimit(examination: Examination, queue: Queue): void {
  const visibility = queue.visibilitySeconds.value;
  if (visibility === undefined || visibility <= LONGEST_VISIBILITY_SECONDS) return;
  examination.report('visibility-timeout-over-12-hours', queue, {
    message: `${queue.name} has a visibility timeout of ${visibility} s; SQS allows ${LONGEST_VISIBILITY_SECONDS} s (12 hours) at most.`,
    fix: `VisibilityTimeout: ${LONGEST_VISIBILITY_SECONDS}`,
    line: queue.visibilitySeconds.line,
  });
}

function checkRedrive(examination: Examination, queue: Queue): void {
  const redrive = examination.known(queue, 'RedrivePolicy', queue.redrive);
  if (redrive === undefined) {
    if (queue.redrive.unknown === undefined) reportNoDeadLetterQueue(examination, queue);
    return;
  }
  const receives = examination.known(queue, 'maxReceiveCount', redrive.maxReceiveCount);
  if (receives !== undefined && receives < ADVISED_RECEIVES) {
    examination.report('max-receive-count-too-low', queue, {
      message: `${queue.name} gives a message up after ${receives} receive${receives === 1 ? '' : 's'}.`,
      fix: ['RedrivePolicy:', `  maxReceiveCount: ${ADVISED_RECEIVES}`],
      line: redrive.maxReceiveCount.line,
      ...(receives >= FEWEST_RECEIVES && { severity: 'warning' as const }),
    });
  }
  const deadLetters = examination.queue(redrive.target);
  if (deadLetters === undefined) {
    examination.cannotJudge(
      `${queue.name}, RedrivePolicy: its dead-letter queue is not here, so it is not judged`,
    );
    return;
  }
  checkDeadLetterQueue(examination, queue, deadLetters);
}

function reportNoDeadLetterQueue(examination: Examination, queue: Queue): void {
  examination.report('no-dead-letter-queue', queue, {
    message: `${queue.name} has no dead-letter queue.`,
    fix: [
      'RedrivePolicy:',
      `  deadLetterTargetArn: !GetAtt DeadLetters.Arn # another AWS::SQS::Queue, with ${queue.isFifo ? 'FifoQueue: true and ' : ''}MessageRetentionPeriod: 1209600`,
      `  maxReceiveCount: ${ADVISED_RECEIVES}`,
    ],
    line: queue.redrive.line,
  });
}

function checkDeadLetterQueue(examination: Examination, queue: Queue, deadLetters: Queue): void {
  if (queue.isFifo !== deadLetters.isFifo) {
    const type = (isFifo: boolean): string => (isFifo ? 'a FIFO queue' : 'a standard queue');
    examination.report('dead-letter-queue-type', deadLetters, {
      message: `${queue.name} is ${type(queue.isFifo)}, and its dead-letter queue ${deadLetters.name} is ${type(deadLetters.isFifo)}.`,
      fix: queue.isFifo ? 'FifoQueue: true' : '# remove FifoQueue, and .fifo from its name',
    });
  }
  const kept = examination.known(queue, 'MessageRetentionPeriod', queue.retentionSeconds);
  const there = examination.known(deadLetters, 'MessageRetentionPeriod', deadLetters.retentionSeconds);
  if (kept !== undefined && there !== undefined) checkKept(examination, { queue, deadLetters, kept, there });
  const allow = examination.known(deadLetters, 'RedriveAllowPolicy', deadLetters.redriveAllow);
  if (allow === undefined || allow.permission === 'allowAll') return;
  const isAllowed = allow.sources.includes(queue.id);
  if (allow.permission === 'byQueue' && !isAllowed && allow.sources.includes(undefined)) {
    examination.cannotJudge(`${deadLetters.name}, RedriveAllowPolicy: not all of its queues are here`);
  } else if (allow.permission !== 'byQueue' || !isAllowed) {
    examination.report('redrive-allow-policy-refuses', deadLetters, {
      message: `${deadLetters.name} does not let ${queue.name} move messages to it.`,
      fix: [
        'RedriveAllowPolicy:',
        '  redrivePermission: byQueue',
        `  sourceQueueArns: [${examination.arnOf(queue)}]`,
      ],
      line: deadLetters.redriveAllow.line,
    });
  }
}

/**
 * "The expiration of a message is always based on its original enqueue timestamp" on standard queues; on FIFO queues the
 * timestamp is new: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
function checkKept(
  examination: Examination,
  { queue, deadLetters, kept, there }: { queue: Queue; deadLetters: Queue; kept: number; there: number },
): void {
  if (queue.isFifo ? there >= kept : there > kept) return;
  const isLongest = kept >= LONGEST_RETENTION_SECONDS;
  examination.report('dead-letter-queue-retention', isLongest ? queue : deadLetters, {
    message: `${deadLetters.name} keeps messages for ${daysOf(there)}, and its queue ${queue.name} for ${daysOf(kept)}.`,
    fix: isLongest
      ? `MessageRetentionPeriod: 345600 # 4 days, with ${LONGEST_RETENTION_SECONDS} (14 days) on ${deadLetters.id}`
      : `MessageRetentionPeriod: ${LONGEST_RETENTION_SECONDS} # 14 days, the longest there is`,
    line: isLongest ? queue.retentionSeconds.line : deadLetters.retentionSeconds.line,
    ...(queue.isFifo && { severity: 'warning' as const }),
  });
}

function checkSecurity(examination: Examination, queue: Queue): void {
  if (examination.known(queue, 'its policy', queue.requiresTls) === false) {
    examination.report('queue-without-tls-policy', queue, {
      message: `${queue.name} has no policy that refuses requests without TLS.`,
      fix: [
        `${examination.model.origin === 'live' ? 'Queue' : queue.id}TlsPolicy:`,
        '  Type: AWS::SQS::QueuePolicy',
        '  Properties:',
        `    Queues: [${examination.model.origin === 'live' ? 'the URL of ' : '!Ref '}${examination.model.origin === 'live' ? queue.name : queue.id}]`,
        '    PolicyDocument:',
        "      Version: '2012-10-17'",
        '      Statement:',
        '        - Effect: Deny',
        "          Principal: '*'",
        "          Action: 'sqs:*'",
        `          Resource: ${examination.arnOf(queue)}`,
        "          Condition: { Bool: { 'aws:SecureTransport': false } }",
      ],
      fixBelongsTo: 'none',
    });
  }
  if (examination.known(queue, 'SqsManagedSseEnabled', queue.isEncrypted) === false) {
    examination.report('queue-not-encrypted', queue, {
      message: `${queue.name} is not encrypted.`,
      fix: 'SqsManagedSseEnabled: true',
      line: queue.isEncrypted.line,
    });
  }
}
