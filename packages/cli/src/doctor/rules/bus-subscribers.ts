import type { LambdaFunction, Subscriber } from '../../template/model.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-target-lambda.html */
const LONGEST_BUS_INVOCATION_SECONDS = 30;

/** Rules for subscribers of custom event buses. */
export const BUS_SUBSCRIBER_RULES: Rules = {
  'bus-subscriber-timeout': {
    severity: 'error',
    what:
      'a subscriber of a custom event bus that waits for less time ' +
      "(30 seconds at most) than the function's timeout",
    why: 'EventBridge delivers the whole batch again while the function still runs.',
    fix: 'a `Timeout` of the function of at most `InvocationTimeoutSeconds`',
    docs: 'sources/eventbridge-bus.md',
  },
  'bus-subscriber-asynchronous': {
    severity: 'warning',
    what: 'a subscriber of a custom event bus that invokes its function asynchronously (`EVENT`)',
    why: "Order and the bus's retries end at Lambda's queue.",
    fix: '`InvocationType: REQUEST_RESPONSE`',
    docs: 'sources/eventbridge-bus.md',
  },
  'bus-subscriber-without-failure-destination': {
    severity: 'error',
    what: 'a subscriber of a custom event bus without `OnFailureConfiguration`',
    why: 'A batch that EventBridge gives up on (by default after 5 attempts or 300 seconds) is lost.',
    fix: '`OnFailureConfiguration` with a queue',
    docs: 'sources/eventbridge-bus.md',
  },
};

export function checkBusSubscribers(examination: Examination): void {
  for (const subscriber of examination.model.subscribers) checkSubscriber(examination, subscriber);
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
      message: `${subscriber.name} has no destination for batches that it gives up on.`,
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
