import type { LambdaFunction, Subscriber, Trigger } from '../../template/model.ts';
import type { Examination } from './examination.ts';

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-target-lambda.html */
const LONGEST_BUS_INVOCATION_SECONDS = 30;

/** What functions must be that nobody waits for, and subscribers of custom event buses. */
export function checkTriggers(examination: Examination): void {
  const { functions, triggers, subscribers } = examination.model;
  for (const trigger of triggers) {
    if (trigger.functionId !== undefined) checkUndelivered(examination, trigger);
  }
  for (const lambda of functions) {
    // A schedule that was missed comes again.
    const own = triggers.filter(({ functionId, kind }) => functionId === lambda.id && kind !== 'Schedule');
    if (own.length > 0) checkAsync(examination, lambda, own);
  }
  for (const subscriber of subscribers) checkSubscriber(examination, subscriber);
}

function checkUndelivered(examination: Examination, trigger: Trigger): void {
  examination.checked(trigger.kind, trigger);
  if (trigger.kind !== 'EventBridge' && trigger.kind !== 'SNS') return;
  if (examination.known(trigger, 'DeadLetterConfig', trigger.keepsUndelivered) !== false) return;
  examination.report('rule-without-dead-letter-queue', trigger, {
    message: `${trigger.name} has no dead-letter queue for what cannot be handed to Lambda.`,
    fix:
      trigger.kind === 'SNS'
        ? 'RedrivePolicy: { deadLetterTargetArn: !GetAtt DeadLetters.Arn }'
        : 'DeadLetterConfig: { Arn: !GetAtt DeadLetters.Arn } # in a rule: in its target',
  });
}

function checkAsync(examination: Examination, lambda: LambdaFunction, triggers: readonly Trigger[]): void {
  const kinds = [...new Set(triggers.map(({ kind }) => kind))].join(' and ');
  const { retries, onFailure, deadLetterQueue } = lambda.asynchronous;
  const hasDeadLetterQueue = deadLetterQueue.value !== undefined || deadLetterQueue.unknown !== undefined;
  if (!hasDeadLetterQueue && examination.lacks(lambda, 'EventInvokeConfig', onFailure)) {
    examination.report('async-without-failure-destination', lambda, {
      message: `${lambda.name} is invoked by ${kinds} and has no destination for what it fails to do.`,
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

function checkSubscriber(examination: Examination, subscriber: Subscriber): void {
  examination.checked('subscriber', subscriber);
  const lambda = examination.functionOf(subscriber);
  const type = examination.known(subscriber, 'InvocationType', subscriber.invocationType);
  if (type === 'EVENT') {
    examination.report('bus-subscriber-asynchronous', subscriber, {
      message: `${subscriber.name} invokes ${lambda?.name ?? 'its function'} asynchronously.`,
      fix: ['InvokeConfiguration:', '  LambdaParameters: { InvocationType: REQUEST_RESPONSE }'],
      line: subscriber.invocationType.line,
    });
  } else if (lambda !== undefined) checkBusTimeout(examination, subscriber, lambda);
  if (examination.known(subscriber, 'OnFailureConfiguration', subscriber.keepsFailures) === false) {
    examination.report('bus-subscriber-without-failure-destination', subscriber, {
      message: `${subscriber.name} has no destination for what it gives up on.`,
      fix: 'OnFailureConfiguration: { Arn: !GetAtt DeadLetters.Arn }',
    });
  }
}

function checkBusTimeout(examination: Examination, subscriber: Subscriber, lambda: LambdaFunction): void {
  const waits = examination.known(subscriber, 'InvocationTimeoutSeconds', subscriber.timeoutSeconds);
  const timeout = examination.known(lambda, 'Timeout', lambda.timeoutSeconds);
  if (waits === undefined || timeout === undefined) return;
  const longest = Math.min(waits, LONGEST_BUS_INVOCATION_SECONDS);
  if (timeout <= longest) return;
  examination.report('bus-subscriber-timeout', lambda, {
    message: `${lambda.name} may run for ${timeout} s; ${subscriber.name} waits for ${longest} s.`,
    fix: `Timeout: ${longest}`,
    line: lambda.timeoutSeconds.line,
  });
}
