import type { LambdaFunction, Queue, Role } from '../../template/model.ts';
import { allows } from '../allows.ts';
import { functionsOfRecords } from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import { knowsUrl } from '../queues-with-functions.ts';
import type { Rules } from './rule.ts';

/** Lambda's permissions to poll: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** Rules for a function's role and its queues. */
export const QUEUE_PERMISSION_RULES: Rules = {
  'missing-queue-permissions': {
    severity: 'error',
    what: 'a role that does not allow Lambda to poll the queue',
    why: 'Lambda refuses to create the mapping, or polls nothing.',
    fix: '`sqs:ReceiveMessage`, `sqs:DeleteMessage` and `sqs:GetQueueAttributes` on the queue',
  },
  'missing-visibility-permission': {
    severity: 'info',
    what: 'a function that knows the URL of its queue and may not change the visibility of messages',
    why: '`visibility` and `heartbeat` need it; without it, the visibility timeout of the queue applies.',
    fix: '`sqs:ChangeMessageVisibility` on the queue',
    docs: 'policies/visibility.md',
  },
  'missing-send-permission': {
    severity: 'info',
    what: 'a function that knows the URL of a dead-letter queue and may not send to it',
    why: '`deadLetter` needs it; without it, records that failed for good are handed back.',
    fix: '`sqs:SendMessage` on the dead-letter queue',
    docs: 'policies/dead-letter.md',
  },
};

export function checkQueuePermissions(examination: Examination): void {
  for (const lambda of functionsOfRecords(examination)) {
    const role = examination.known(lambda, 'Role', lambda.role);
    if (role !== undefined) checkPermissions(examination, lambda, role);
  }
}

/** Checks that a role may poll its queues, and may use the queues whose URLs are in the environment. */
function checkPermissions(examination: Examination, lambda: LambdaFunction, role: Role): void {
  const sources = sourcesOf(examination, lambda);
  for (const queue of sources) {
    const missing = POLLING.filter((action) => allows(role, action, queue, 'sqs') === false);
    if (missing.length === 0) continue;
    examination.report('missing-queue-permissions', lambda, {
      message: `The role of ${lambda.name} does not allow ${missing.join(', ')} on ${queue.name}.`,
      fix: statement(POLLING, examination.arnOf(queue)),
      fixBelongsTo: 'none',
    });
  }
  for (const queue of examination.model.queues) {
    if (!knowsUrl(lambda, queue)) continue;
    const isSource = sources.includes(queue);
    const action = isSource ? 'sqs:ChangeMessageVisibility' : 'sqs:SendMessage';
    if (!isSource && !isDeadLetterQueue(examination, queue)) continue;
    if (allows(role, action, queue, 'sqs') !== false) continue;
    examination.report(isSource ? 'missing-visibility-permission' : 'missing-send-permission', lambda, {
      message: `${lambda.name} knows the URL of ${queue.name} and may not use ${action} on it.`,
      fix: statement([action], examination.arnOf(queue)),
      fixBelongsTo: 'none',
    });
  }
}

function sourcesOf(examination: Examination, { id }: LambdaFunction): readonly Queue[] {
  const mappings = examination.model.mappings.filter(
    ({ functionId, kind }) => functionId === id && kind === 'sqs',
  );
  return mappings.map(({ source }) => examination.queue(source.value)).filter((queue) => queue !== undefined);
}

function isDeadLetterQueue({ model }: Examination, { id }: Queue): boolean {
  const isTarget = model.queues.some(({ redrive }) => redrive.value?.target === id);
  return isTarget || /dead|dlq|failed/i.test(id);
}

function statement(actions: readonly string[], arn: string): readonly string[] {
  return [
    '# in a policy of its role',
    '- Effect: Allow',
    `  Action: [${actions.join(', ')}]`,
    `  Resource: ${arn}`,
  ];
}
