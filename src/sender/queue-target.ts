import { endpointOfQueue } from '../aws/queue-endpoint.ts';
import { batchTarget } from './batch-target.ts';
import type { QueueTarget } from './sender.ts';
import type { Target } from './target.ts';
import {
  fromEnvironment,
  type Operation,
  sendingService,
  throughClient,
  type TransportSetup,
} from './transport.ts';

/** SQS's limit for a message, and for all messages of a request. */
const LARGEST_BYTES = 1_048_576;

const SEND_MESSAGES: Operation = {
  service: sendingService('SQS', 'sqs', 'AmazonSQS'),
  name: 'SendMessageBatch',
  sdk: { package: '@aws-sdk/client-sqs', name: 'SQS' },
};

export function queueTarget(
  { queueUrl, client }: QueueTarget,
  maxBytes: number | undefined,
  setup: TransportSetup,
): Target {
  const isFifo = queueUrl.endsWith('.fifo');
  return batchTarget({
    title: 'SQS',
    isFifo,
    maxBytes: Math.min(maxBytes ?? LARGEST_BYTES, LARGEST_BYTES),
    takesDelay: !isFifo,
    send:
      client === undefined
        ? fromEnvironment(SEND_MESSAGES, setup, endpointOfQueue(queueUrl, 'createSender'))
        : throughClient(client, SEND_MESSAGES, setup.clock),
    bodyName: 'MessageBody',
    inputOf: (Entries) => ({ QueueUrl: queueUrl, Entries }),
  });
}
