import { ConfigurationError } from '../base/errors.ts';
import {
  aBoolean,
  aFunction,
  anInteger,
  type Check,
  checkOptionsOf,
  objectWith,
  required,
} from '../options/check-options.ts';
import { aClientWith } from '../options/command-client.ts';
import type { SenderOptions } from './create-sender.ts';
import type { SendTarget } from './sender.ts';

const aText: Check = required({
  expected: 'a string',
  accepts: (value) => typeof value === 'string' && value !== '',
});

const TARGETS: readonly Readonly<Record<string, Check>>[] = [
  {
    queueUrl: required({
      expected: "a queue's URL",
      accepts: (value) => typeof value === 'string' && URL.canParse(value),
    }),
    client: aClientWith('sendMessageBatch'),
  },
  {
    topicArn: required({
      expected: "a topic's ARN",
      accepts: (value) => typeof value === 'string' && /^arn:[\w-]+:sns:[\w-]+:\d*:[\w.-]+$/.test(value),
    }),
    client: aClientWith('publishBatch'),
  },
  { eventBusName: aText, source: aText, client: aClientWith('putEvents') },
];

const OPTIONS: Readonly<Record<keyof SenderOptions, Check>> = {
  maxMessageBytes: anInteger(1_024),
  large: objectWith('put'),
  trace: aFunction(),
  unordered: aBoolean(),
  clock: objectWith('now', 'setTimer'),
};

/** Throws a `ConfigurationError` for a target or options that cannot work. */
export function checkSenderOptions(to: SendTarget, options: SenderOptions): void {
  const checks = TARGETS.find((names) =>
    Object.keys(to ?? {}).some((name) => name !== 'client' && name in names),
  );
  if (checks === undefined) {
    throw new ConfigurationError(
      'createSender: Expected a target: { queueUrl }, { topicArn } or { eventBusName, source }',
    );
  }
  checkOptionsOf('createSender', to, checks);
  checkOptionsOf('createSender', options, OPTIONS);
  if ('eventBusName' in to && options.large !== undefined) {
    throw new ConfigurationError(
      'createSender: `large` is for queues and topics; an event cannot point to a body in S3',
    );
  }
}
