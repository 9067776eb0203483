import type * as client from '@aws-sdk/client-dynamodb';
import { commandOf, methodOf } from '../../../aws/sdk/command-client.ts';
import { loadPackage } from '../../../aws/sdk/load-package.ts';
import { StoreError } from '../../../base/errors.ts';
import { platformSignal } from '../../../base/stop.ts';
import type { Transport } from '../transport.ts';

/** A `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`, by what only its configuration has. */
interface DocumentClient {
  readonly config: { readonly translateConfig?: unknown };
  send(command: never, options?: never): Promise<unknown>;
}

/** What the store takes for a client. */
export type ClientOfDynamoDB = Pick<client.DynamoDBClient, 'send'> | DocumentClient;

/** Calls the methods of `new DynamoDB({})`; any other client is sent commands, which are loaded with the first request. */
export function sdkTransport(given: ClientOfDynamoDB): Transport {
  const client: { send(command: unknown, options?: object): Promise<unknown> } = given;
  // The methods of a document client take plain values; its `send` takes the commands of `@aws-sdk/client-dynamodb` all the same.
  const isDocumentClient = (given as Partial<DocumentClient>).config?.translateConfig !== undefined;
  const hasMethods = !isDocumentClient && methodOf(client, 'BatchExecuteStatement') !== undefined;
  let sdk: Sdk | undefined;
  return {
    async send(operation, input, signal) {
      const options = signal && { abortSignal: platformSignal(signal) };
      const method = hasMethods ? methodOf(client, operation) : undefined;
      if (method !== undefined) return method.call(client, input, options);
      sdk ??= await loadSdk("A client of AWS's SDK is sent commands, which it does not bring along");
      return client.send(commandOf(sdk, operation, input), options) as Promise<never>;
    },
  };
}

export type Sdk = typeof client;

const NAME = '@aws-sdk/client-dynamodb';

/** Loads AWS's SDK once. `why` is what it is needed for, for the error if there is none. */
export function loadSdk(why: string): Promise<Sdk> {
  return loadPackage<Sdk>(NAME).catch((cause: unknown) => {
    throw new StoreError(
      `${why}, and ${NAME} was not found. Install it beside the function (\`npm install ${NAME}\`), or leave it out of the bundle as external; ` +
        'where the bundle holds it, pass `client: new DynamoDB({})`, which brings its commands along',
      { cause, isRetryable: false, code: 'BATCHLATCH_SDK_NOT_FOUND' },
    );
  });
}
