import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** Shared requests, time limits and default durations: hardly any scenario touches them that is not made for them. */
export const mutantsOfQueuesAndLimits: readonly Mutant[] = [
  one(
    'no time left',
    'remaining time 0 is a time',
    'remaining-time',
    (_, [isKnown]) => `${isKnown} && remainingMs > 0 ? remainingMs : undefined`,
  ),
  one(
    'bound of requests to DynamoDB',
    'a request that is not answered gives its place to another',
    'dynamodb-bound',
    'true',
  ),
  one(
    'bound of store calls',
    'a call to the store that is not answered ends all the same',
    'bounded-calls',
    (ms) => `${ms} * 1_000`,
  ),
  one(
    'bound of SQS calls',
    'a call to SQS that is not answered ends all the same',
    'bounded-sqs-calls',
    (ms) => `${ms} * 1_000_000`,
  ),
  one(
    'short leases',
    'the lease of an event that is delivered directly is over before its retries are',
    'short-default-lease',
    (ms) => `${ms} * 1_000`,
  ),
  one(
    'results that are too large',
    'a completion is stored without the result that its row has no room for',
    'dropped-results',
    'true',
  ),
  one(
    'shared requests: keys',
    'invocations that overlap never bring one key into one request',
    'one-key-a-request',
    (_, [isFull]) => `${isFull}`,
  ),
  one(
    'shared requests: deadlines',
    'an invocation whose time is over takes nothing of others along',
    'others-stay-queued',
    (waiting) => `${waiting}.filter((one) => one.member === member)`,
  ),
];
