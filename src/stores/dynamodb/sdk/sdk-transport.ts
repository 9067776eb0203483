import type * as client from '@aws-sdk/client-dynamodb';
import { commandOf, GIVEN_CLIENT, methodOf, sdkNotFound } from '../../../aws/sdk/command-client.ts';
import { loadPackage } from '../../../aws/sdk/load-package.ts';
import { StoreError } from '../../../base/errors.ts';
import { platformSignal } from '../../../base/stop.ts';
import type { Transport } from '../transport.ts';

/** A `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`, recognised by its configuration. */
interface DocumentClient {
  readonly config: { readonly translateConfig?: unknown };
  send(command: never, options?: never): Promise<unknown>;
}

/** A client that the store accepts. */
export type ClientOfDynamoDB = Pick<client.DynamoDBClient, 'send'> | DocumentClient;

/** Calls the methods of `new DynamoDB({})`; other clients get commands, loaded with the first request. */
export function sdkTransport(given: ClientOfDynamoDB): Transport {
  const client: { send(command: unknown, options?: object): Promise<unknown> } = given;
  // A document client's methods take plain values; its `send` takes `@aws-sdk/client-dynamodb` commands.
  const isDocumentClient = (given as Partial<DocumentClient>).config?.translateConfig !== undefined;
  const hasMethods = !isDocumentClient && methodOf(client, 'BatchExecuteStatement') !== undefined;
  let sdk: Sdk | undefined;
  return {
    async send(operation, input, signal) {
      const options = signal && { abortSignal: platformSignal(signal) };
      const method = hasMethods ? methodOf(client, operation) : undefined;
      if (method !== undefined) return method.call(client, input, options);
      sdk ??= await loadSdk(GIVEN_CLIENT);
      return client.send(commandOf(sdk, operation, input), options) as Promise<never>;
    },
  };
}

export type Sdk = typeof client;

const DYNAMODB = { package: '@aws-sdk/client-dynamodb', name: 'DynamoDB' };

/** Loads the AWS SDK once. `why`: the reason why it is needed, for the error message. */
export function loadSdk(why: string): Promise<Sdk> {
  return loadPackage<Sdk>(DYNAMODB.package).catch((cause: unknown) => {
    throw new StoreError(sdkNotFound(why, DYNAMODB), {
      cause,
      isRetryable: false,
      code: 'BATCHLATCH_SDK_NOT_FOUND',
    });
  });
}
