import type { LambdaFunction, Queue, Role } from '../../template/model.ts';
import { allows } from './allows.ts';
import type { Examination } from './examination.ts';

/** What Lambda needs to poll: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** Whether a role may poll its queues, and do with queues what the environment shows that it wants to. */
export function checkQueuePermissions(examination: Examination, lambda: LambdaFunction, role: Role): void {
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

/** A `Ref` of a queue is its URL. */
function knowsUrl({ environment }: LambdaFunction, { id, arnTails }: Queue): boolean {
  const names = new Set([`<${id}>`, `<${id}.QueueUrl>`]);
  return [...(environment.value?.values() ?? [])].some(
    (value) =>
      names.has(value) || (/^https?:/.test(value) && arnTails.includes(value.split('/').at(-1) ?? '')),
  );
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
