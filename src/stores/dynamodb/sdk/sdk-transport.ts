import type * as client from '@aws-sdk/client-dynamodb';
import { commandOf, methodOf } from '../../../aws/sdk/command-client.ts';
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
      sdk ??= await loadSdk('The given client of the AWS SDK needs command classes');
      return client.send(commandOf(sdk, operation, input), options) as Promise<never>;
    },
  };
}

export type Sdk = typeof client;

const NAME = '@aws-sdk/client-dynamodb';

/** Loads the AWS SDK once. `why`: the reason why it is needed, for the error message. */
export function loadSdk(why: string): Promise<Sdk> {
  return loadPackage<Sdk>(NAME).catch((cause: unknown) => {
    throw new StoreError(
      `${why}, and ${NAME} was not found. Install it (\`npm install ${NAME}\`), mark it as external in ` +
        'the bundler, or pass `client: new DynamoDB({})`, which includes its commands',
      { cause, isRetryable: false, code: 'BATCHLATCH_SDK_NOT_FOUND' },
    );
  });
}
