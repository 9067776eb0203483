import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { DynamoDBStoreOptions } from 'batchlatch/dynamodb';
import { inDynamoDB, type StoreAndAdmin } from './store-and-admin.ts';

/** How a store reaches DynamoDB where it is given no client: by the environment it is one or the other. */
export const transports = ['direct', 'sdk'] as const;
export type TransportName = (typeof transports)[number];

/** For a process: `direct` where nothing unusual is in its environment, `sdk` where something is that only AWS's SDK reads. */
export function transportEnvironment(transport: TransportName): Record<string, string> {
  const isSdk = transport === 'sdk';
  return {
    AWS_DISABLE_CLOCK_SKEW_CORRECTION: isSdk ? 'true' : '', // left to the SDK, and changes nothing here
    AWS_SDK_UA_APP_ID: isSdk ? APPLICATION : '',
  };
}

/** A store without a client that goes to this endpoint. Its first request has to be sent before another store is made. */
export function storeBy(
  transport: TransportName,
  endpoint: string,
  options: Omit<DynamoDBStoreOptions, 'client'>,
): StoreAndAdmin {
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: endpoint }, transportEnvironment(transport));
  return inDynamoDB(options);
}

/** What the SDK says in its requests, and the store's own client alone. */
const APPLICATION = 'store-without-client';

export interface Traffic {
  /** Requests, as often as they were sent, of stores that were given no client. */
  readonly sent: Readonly<Record<TransportName, number>>;
  /** Those of them whose answer did not come, or not whole. */
  readonly unanswered: Readonly<Record<TransportName, number>>;
  stop(): void;
}

/** Watches what this process sends from now on. The direct transport is the only one here that uses Node's client without the SDK. */
export function watchTraffic(): Traffic {
  const sent = { direct: 0, sdk: 0 };
  const unanswered = { direct: 0, sdk: 0 };
  const watch = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    const transport = transportOf(request);
    if (transport === undefined) return;
    sent[transport] += 1;
    let isAnswered = false;
    request.once('response', (response) => response.once('end', () => (isAnswered = true)));
    request.once('close', () => {
      if (!isAnswered) unanswered[transport] += 1;
    });
  };
  subscribe('http.client.request.start', watch);
  return { sent, unanswered, stop: () => void unsubscribe('http.client.request.start', watch) };
}

function transportOf(request: ClientRequest): TransportName | undefined {
  const agent = String(request.getHeader('user-agent') ?? '');
  if (!agent.includes('aws-sdk-js')) return 'direct';
  return agent.includes(`app/${APPLICATION}`) ? 'sdk' : undefined;
}
