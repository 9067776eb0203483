import type { Rule } from './rule.ts';

/** What can be wrong with a function, its role, or what invokes it without waiting. */
export const FUNCTION_RULES: Readonly<Record<string, Rule>> = {
  'claims-table-name-missing': {
    severity: 'error',
    what: 'a function that may write claims and has no `CLAIMS_TABLE_NAME`',
    why: 'Unless the code names the table, the function fails at start.',
    fix: 'the variable in the environment',
    docs: 'deploying.md#what-a-function-needs',
  },
  'missing-claims-permissions': {
    severity: 'error',
    what: "a role that does not allow what claims need on the claims table (a warning if it allows only what `writes: 'single'` needs)",
    why: 'DynamoDB refuses the claims, and no record runs.',
    fix: '`dynamodb:PartiQLInsert`, `dynamodb:PartiQLUpdate` and `dynamodb:BatchGetItem` on the table',
    docs: 'deploying.md#what-a-function-needs',
  },
  'missing-queue-permissions': {
    severity: 'error',
    what: 'a role of its own that does not allow Lambda to poll the queue',
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
  'wide-permissions': {
    severity: 'info',
    what: 'a statement that allows actions of DynamoDB or SQS on every resource, or every action of them',
    why: 'Who takes over the function can read and change all tables or queues of the account.',
    fix: 'the ARN of the table or queue, and the actions that are used',
  },
  'runtime-too-old': {
    severity: 'error',
    what: 'a runtime older than `nodejs20.x`',
    why: 'batchlatch needs Node 20.19.',
    fix: '`Runtime: nodejs22.x`',
    docs: 'deploying.md#what-a-function-needs',
  },
  'async-without-failure-destination': {
    severity: 'error',
    what: 'a function that EventBridge, SNS or S3 invokes, without an on-failure destination or a dead-letter queue',
    why: 'After its retries Lambda drops the event, and nobody is told.',
    fix: '`EventInvokeConfig` with `DestinationConfig`, `OnFailure`',
    docs: 'sources/asynchronous.md',
  },
  'async-without-retries': {
    severity: 'warning',
    what: '`MaximumRetryAttempts: 0` for asynchronous invocations',
    why: 'Claims hand back what failed or met another attempt so that it is tried again; here it never is.',
    fix: '`MaximumRetryAttempts: 2`',
    docs: 'sources/asynchronous.md',
  },
  'rule-without-dead-letter-queue': {
    severity: 'info',
    what: 'a rule of EventBridge, or a subscription of SNS, without a dead-letter queue of its own',
    why: "What cannot be handed to Lambda at all never reaches the function's own failure destination.",
    fix: '`DeadLetterConfig: { Arn: … }` on the rule, `RedrivePolicy` on the subscription',
  },
  'bus-subscriber-timeout': {
    severity: 'error',
    what: "a subscriber of a custom event bus that waits for less time (30 seconds at most) than the function's timeout",
    why: 'EventBridge gives up and delivers the whole batch again while the function is still running.',
    fix: 'a `Timeout` of the function of at most `InvocationTimeoutSeconds`',
    docs: 'sources/eventbridge-bus.md',
  },
  'bus-subscriber-asynchronous': {
    severity: 'warning',
    what: 'a subscriber of a custom event bus that invokes its function asynchronously (`EVENT`)',
    why: "The order of events, and the bus's own retries, end at Lambda's queue.",
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
