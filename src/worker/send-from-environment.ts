import type { Clock } from '../base/clock.ts';
import { endpointOfQueue } from '../aws/queue-endpoint.ts';
import { senderFromEnvironment } from '../aws/sdk/sender-from-environment.ts';
import { directSend, type SendToSqs, SQS } from './direct-send.ts';
import { sdkSend, type WorkerSqsClient } from './sdk-send.ts';

/**
 * Sends a worker's requests as the environment says, read at the first request. Throws a `ConfigurationError`
 * if the URL is not HTTP.
 */
export function sendFromEnvironment(
  queueUrl: string,
  setup: { readonly clock: Clock; readonly random: () => number },
): SendToSqs {
  return senderFromEnvironment<SendToSqs>(
    {
      caller: 'createWorker',
      service: SQS,
      endpoint: endpointOfQueue(queueUrl),
      // Deletions must not wait for the connections of receives, of which `receivers` is the limit.
      sdk: { package: '@aws-sdk/client-sqs', name: 'SQS', maxSockets: Infinity },
      direct: directSend,
      throughSdk: (client) => sdkSend(client as WorkerSqsClient, setup.clock),
    },
    setup,
  );
}
