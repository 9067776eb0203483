import type { Queue } from '../../template/model.ts';
import { daysOf } from '../days-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';
import { sourceQueues } from '../queues-with-functions.ts';

/** AWS advises 5. Below 3, a record that ends its process takes its neighbours to the dead-letter queue. */
const ADVISED_RECEIVES = 5;
const FEWEST_RECEIVES = 3;
const LONGEST_RETENTION_SECONDS = 1_209_600;

/** Rules for dead-letter queues. */
export const DEAD_LETTER_QUEUE_RULES: Rules = {
  'no-dead-letter-queue': {
    severity: 'error',
    what: 'a queue with a function and without a redrive policy',
    why: 'A message that always fails is delivered until its retention is over, and then lost.',
    fix: '`RedrivePolicy` with `maxReceiveCount: 5`',
    docs: 'sources/sqs.md#the-queue-and-the-event-source-mapping',
  },
  'max-receive-count-too-low': {
    severity: 'error',
    what: '`maxReceiveCount` below 3 (a warning below 5)',
    why:
      'Conflicts, throttling and crashes of neighbours use up receives too, so good messages ' +
      'end in the dead-letter queue.',
    fix: '`maxReceiveCount: 5`',
    docs: 'policies/reading.md',
  },
  'dead-letter-queue-retention': {
    severity: 'error',
    what:
      'a dead-letter queue that does not keep messages longer than its ' +
      'queue (FIFO: a warning, if it keeps them for less)',
    why:
      'A moved message keeps the time of its first sending, so it may be deleted before anyone ' +
      'has seen it.',
    fix: '`MessageRetentionPeriod: 1209600` on the dead-letter queue',
  },
  'dead-letter-queue-type': {
    severity: 'error',
    what: 'a FIFO queue with a standard dead-letter queue, or the reverse',
    why: 'SQS refuses the redrive policy: both must be of one type.',
    fix: '`FifoQueue: true` on both, or on neither',
  },
  'redrive-allow-policy-refuses': {
    severity: 'error',
    what: 'a `RedriveAllowPolicy` of the dead-letter queue that does not allow the queue',
    why: 'SQS refuses the redrive policy, or stops moving messages.',
    fix: '`RedriveAllowPolicy` with the queue in `sourceQueueArns`',
  },
};

export function checkDeadLetterQueues(examination: Examination): void {
  for (const queue of sourceQueues(examination)) checkRedrive(examination, queue);
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
      '  deadLetterTargetArn: !GetAtt DeadLetters.Arn # another AWS::SQS::Queue, with ' +
        `${queue.isFifo.value === true ? 'FifoQueue: true and ' : ''}MessageRetentionPeriod: 1209600`,
      `  maxReceiveCount: ${ADVISED_RECEIVES}`,
    ],
    line: queue.redrive.line,
  });
}

function checkDeadLetterQueue(examination: Examination, queue: Queue, deadLetters: Queue): void {
  const isFifo = examination.known(queue, 'FifoQueue', queue.isFifo);
  const isFifoThere = examination.known(deadLetters, 'FifoQueue', deadLetters.isFifo);
  if (isFifo !== undefined && isFifoThere !== undefined && isFifo !== isFifoThere) {
    const type = (one: boolean): string => (one ? 'a FIFO queue' : 'a standard queue');
    examination.report('dead-letter-queue-type', deadLetters, {
      message:
        `${queue.name} is ${type(isFifo)}, and its dead-letter queue ` +
        `${deadLetters.name} is ${type(isFifoThere)}.`,
      fix: isFifo ? 'FifoQueue: true' : '# remove FifoQueue, and .fifo from its name',
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
 * On standard queues, "the expiration of a message is always based on its original enqueue timestamp"; on
 * FIFO queues the timestamp is new:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
function checkKept(
  examination: Examination,
  { queue, deadLetters, kept, there }: { queue: Queue; deadLetters: Queue; kept: number; there: number },
): void {
  const mayBeFifo = queue.isFifo.value !== false;
  if (mayBeFifo ? there >= kept : there > kept) return;
  const isLongest = kept >= LONGEST_RETENTION_SECONDS;
  examination.report('dead-letter-queue-retention', isLongest ? queue : deadLetters, {
    message:
      `${deadLetters.name} keeps messages for ${daysOf(there)}, and ` +
      `its queue ${queue.name} for ${daysOf(kept)}.`,
    fix: isLongest
      ? 'MessageRetentionPeriod: 345600 # 4 days, with ' +
        `${LONGEST_RETENTION_SECONDS} (14 days) on ${deadLetters.id}`
      : `MessageRetentionPeriod: ${LONGEST_RETENTION_SECONDS} # 14 days, the longest there is`,
    line: isLongest ? queue.retentionSeconds.line : deadLetters.retentionSeconds.line,
    ...(mayBeFifo && { severity: 'warning' as const }),
  });
}
