import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CREDENTIALS, MAX_SOCKETS, REGION } from './connection.ts';

const AGENT = { keepAlive: true, noDelay: true, maxSockets: MAX_SOCKETS };

/**
 * The one configuration of everybody who is given an SDK client: the SDK's defaults with an agent for many small
 * requests. No timeouts: Powertools starts all records at once, and in a batch of 10,000 most requests wait
 * for a connection longer than a sensible timeout.
 */
export function sharedClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    requestHandler: {
      httpAgent: AGENT,
      httpsAgent: AGENT,
      // Queued requests are expected here; the SDK would warn about them.
      socketAcquisitionWarningTimeout: 60_000,
    },
  });
}
