import { connectionsTo } from '../../aws/connect.ts';
import type { Connections } from '../../aws/connections.ts';
import { type DirectSetup, directSender, type Limits } from '../../aws/direct-sender.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';
import { DYNAMODB, type Transport } from './transport.ts';

/** The time limits equal those of the store's SDK client. */
export const LIMITS: Limits = {
  requestMs: DYNAMODB_REQUEST_MS,
  sockets: 50,
  connectMs: 2_500, // a lost SYN is sent again after one second
  silentMs: 3_000,
  answerBytes: 64 * 1_024 * 1_024, // a response holds at most 16 MB of items
};

/** Sends requests to DynamoDB without the AWS SDK, each limited to 10 seconds. */
export function directTransport(
  setup: DirectSetup,
  limits: Limits = LIMITS,
  connections?: Connections,
): Transport {
  return { isBounded: true, send: directSender(DYNAMODB, setup, limits, connections) };
}

/** Opens a connection before the first request. */
export function connectAhead(url: URL): Connections {
  const connections = connectionsTo(url, LIMITS);
  connections.openAhead();
  return connections;
}
