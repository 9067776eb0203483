import { commandOf, methodOf } from '../../../aws/sdk/command-client.ts';
import { platformSignal } from '../../../base/stop.ts';
import type { Transport } from '../transport.ts';
import { loadSdk, type Sdk } from './load-sdk.ts';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`, by what only its configuration has. */
interface DocumentClient {
  readonly config: { readonly translateConfig?: unknown };
  send(command: never, options?: never): Promise<unknown>;
}

/** What the store takes for a client. */
export type ClientOfDynamoDB = Pick<DynamoDBClient, 'send'> | DocumentClient;

/**
 * Whether plain values come from and go to its own methods. Its `send` takes the commands of `@aws-sdk/client-dynamodb` all the
 * same, which speak DynamoDB's own JSON (`{ S: … }`): what turns values into that JSON are the commands of `lib-dynamodb`.
 */
function isDocumentClient(client: ClientOfDynamoDB): boolean {
  return (client as Partial<DocumentClient>).config?.translateConfig !== undefined;
}

/** What is called of a client of the SDK. */
interface SdkClient {
  send(command: unknown, options?: SendOptions): Promise<unknown>;
}

interface SendOptions {
  readonly abortSignal: AbortSignal;
}

/**
 * Requests through a client of AWS's SDK. `new DynamoDB({})` has a method for each operation; for any other client the SDK's
 * commands are loaded with the first request.
 */
export function sdkTransport(given: ClientOfDynamoDB): Transport {
  const client: SdkClient = given;
  const hasMethods = !isDocumentClient(given) && methodOf(client, 'BatchExecuteStatement') !== undefined;
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
