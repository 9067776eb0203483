import { loadPackage } from '../aws/sdk/load-package.ts';
import { ConfigurationError } from '../base/errors.ts';
import { batchTarget } from './batch-target.ts';
import type { TopicTarget } from './sender.ts';
import type { Target } from './target.ts';
import {
  type Operation,
  type SendInput,
  sendingService,
  throughClient,
  type TransportSetup,
} from './transport.ts';

/** The limit of a topic, unless its `MaximumMessageSize` allows more, for a message and for a request. */
const USUAL_BYTES = 262_144;
const LARGEST_BYTES = 1_048_576;

const PUBLISH: Operation = {
  // Requests go through AWS's SDK: SNS speaks XML. The name is never used.
  service: sendingService('SNS', 'sqs', 'AmazonSNS'),
  name: 'PublishBatch',
  sdk: { package: '@aws-sdk/client-sns', name: 'SNS' },
};

export function topicTarget(
  { topicArn, client }: TopicTarget,
  maxBytes: number | undefined,
  setup: TransportSetup,
): Target {
  return batchTarget({
    title: 'SNS',
    isFifo: topicArn.endsWith('.fifo'),
    maxBytes: Math.min(maxBytes ?? USUAL_BYTES, LARGEST_BYTES),
    takesDelay: false,
    send: client === undefined ? ownClient(topicArn, setup) : throughClient(client, PUBLISH, setup.clock),
    bodyName: 'Message',
    inputOf: (entries) => ({ TopicArn: topicArn, PublishBatchRequestEntries: entries }),
  });
}

/** Sends through a client for the topic's Region, created with the first message. */
function ownClient(topicArn: string, { clock }: TransportSetup): SendInput {
  let making: Promise<SendInput> | undefined;
  const make = async (): Promise<SendInput> => {
    const { SNS } = await loadPackage<{ readonly SNS: new (config: object) => object }>(PUBLISH.sdk.package);
    const region = topicArn.split(':')[3];
    return throughClient(new SNS({ maxAttempts: 1, ...(region && { region }) }), PUBLISH, clock);
  };
  return async (input) => {
    making ??= make().catch((cause: unknown) => {
      making = undefined;
      const message =
        'createSender: topics need a `client`, or @aws-sdk/client-sns: `npm install @aws-sdk/client-sns`';
      throw new ConfigurationError(message, { cause });
    });
    return (await making)(input);
  };
}
