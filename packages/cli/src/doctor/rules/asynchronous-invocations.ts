import type { LambdaFunction, Trigger } from '../../template/model.ts';
import { functionsOfRecords } from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/** Rules for functions that are invoked asynchronously. */
export const ASYNCHRONOUS_RULES: Rules = {
  'function-dead-letter-queue-ignored': {
    severity: 'warning',
    what: 'a function with a dead-letter queue of its own whose only sources are queues or streams',
    why:
      'Lambda sends only failed asynchronous invocations there. Failed messages go to their ' +
      "queue's dead-letter queue, or nowhere.",
    fix: '`RedrivePolicy` on the queue, `DestinationConfig` on the mapping of a stream',
    docs: 'sources/sqs.md#the-queue-and-the-event-source-mapping',
  },
  'async-without-failure-destination': {
    severity: 'error',
    what:
      'a function that EventBridge, SNS or S3 invokes, without an ' +
      'on-failure destination or a dead-letter queue',
    why: 'After its retries Lambda drops the event silently.',
    fix: '`EventInvokeConfig` with `DestinationConfig`, `OnFailure`',
    docs: 'sources/asynchronous.md',
  },
  'async-without-retries': {
    severity: 'warning',
    what: '`MaximumRetryAttempts: 0` for asynchronous invocations',
    why: 'Records that failed or met another attempt are never tried again.',
    fix: '`MaximumRetryAttempts: 2`',
    docs: 'sources/asynchronous.md',
  },
  'rule-without-dead-letter-queue': {
    severity: 'info',
    what: 'a rule of EventBridge, or a subscription of SNS, without a dead-letter queue of its own',
    why: "Undeliverable events never reach the function's failure destination.",
    fix: '`DeadLetterConfig: { Arn: … }` on the rule, `RedrivePolicy` on the subscription',
  },
};

export function checkAsynchronousInvocations(examination: Examination): void {
  const { functions, triggers } = examination.model;
  for (const trigger of triggers) {
    if (trigger.functionId !== undefined) checkUndelivered(examination, trigger);
  }
  for (const lambda of functions) {
    // Not schedules: a missed event of a schedule comes again.
    const own = triggers.filter(({ functionId, kind }) => functionId === lambda.id && kind !== 'Schedule');
    if (own.length > 0) checkAsync(examination, lambda, own);
  }
  for (const lambda of functionsOfRecords(examination)) checkOwnDeadLetterQueue(examination, lambda);
}

function checkUndelivered(examination: Examination, trigger: Trigger): void {
  examination.checked(trigger.kind, trigger);
  if (trigger.kind !== 'EventBridge' && trigger.kind !== 'SNS') return;
  if (examination.known(trigger, 'DeadLetterConfig', trigger.keepsUndelivered) !== false) return;
  examination.report('rule-without-dead-letter-queue', trigger, {
    message: `${trigger.name} has no dead-letter queue for events that cannot be delivered to Lambda.`,
    fix:
      trigger.kind === 'SNS'
        ? 'RedrivePolicy: { deadLetterTargetArn: !GetAtt DeadLetters.Arn }'
        : 'DeadLetterConfig: { Arn: !GetAtt DeadLetters.Arn } # in a rule: in its target',
  });
}

function checkAsync(examination: Examination, lambda: LambdaFunction, triggers: readonly Trigger[]): void {
  const kinds = [...new Set(triggers.map(({ kind }) => kind))].join(' and ');
  const { retries, onFailure, deadLetterQueue, isOneOfSeveral = false } = lambda.asynchronous;
  if (isOneOfSeveral) {
    examination.cannotJudge(`${lambda.name}, EventInvokeConfig: it has several, for its aliases or versions`);
    return;
  }
  const hasDeadLetterQueue = deadLetterQueue.value !== undefined || deadLetterQueue.unknown !== undefined;
  if (!hasDeadLetterQueue && examination.lacks(lambda, 'EventInvokeConfig', onFailure)) {
    examination.report('async-without-failure-destination', lambda, {
      message: `${lambda.name} is invoked by ${kinds} and has no destination for failed events.`,
      fix: [
        'EventInvokeConfig:',
        '  MaximumRetryAttempts: 2',
        '  DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt DeadLetters.Arn } }',
      ],
      line: onFailure.line,
    });
  }
  if (examination.known(lambda, 'MaximumRetryAttempts', retries) === 0) {
    examination.report('async-without-retries', lambda, {
      message: `${lambda.name} is invoked by ${kinds} and is never tried again.`,
      fix: ['EventInvokeConfig:', '  MaximumRetryAttempts: 2'],
      line: retries.line,
    });
  }
}

/** Checks for a dead-letter queue of the function, which Lambda uses for asynchronous invocations only. */
function checkOwnDeadLetterQueue(examination: Examination, lambda: LambdaFunction): void {
  const { mappings, triggers } = examination.model;
  const isOfFunction = ({ functionId }: { readonly functionId: string | undefined }): boolean =>
    functionId === lambda.id;
  // Only the mappings of a deployed function are read, not its other invokers.
  if (examination.model.origin === 'live' || triggers.some(isOfFunction)) return;
  const mapping = mappings.find(isOfFunction);
  const { deadLetterQueue } = lambda.asynchronous;
  if (mapping === undefined) return;
  if (examination.known(lambda, 'DeadLetterConfig', deadLetterQueue) === undefined) return;
  examination.report('function-dead-letter-queue-ignored', lambda, {
    message: `${lambda.name} has a dead-letter queue that ${mapping.name} does not use.`,
    fix: '# no DeadLetterQueue or DeadLetterConfig; RedrivePolicy on the queue in its place',
    line: deadLetterQueue.line,
  });
}
