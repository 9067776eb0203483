import { platformSignal } from '../../../claims/stop.ts';
import type { Operation, Operations, Transport } from '../transport.ts';
import { type ClientOfDynamoDB, isDocumentClient } from './given-client.ts';
import { loadSdk, type Sdk } from './load-sdk.ts';

/** What is called of a client of the SDK. */
interface SdkClient {
  send(command: unknown, options?: SendOptions): Promise<unknown>;
}

interface SendOptions {
  readonly abortSignal: AbortSignal;
}

type Method = (input: unknown, options?: SendOptions) => Promise<never>;

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

export function commandOf<Name extends Operation>(
  sdk: Sdk,
  operation: Name,
  input: Operations[Name]['input'],
): unknown {
  const Command = sdk[`${operation}Command`] as new (given: Operations[Name]['input']) => unknown;
  return new Command(input);
}

/** `new DynamoDB({}).putItem`, and so on. */
function methodOf(client: object, operation: Operation): Method | undefined {
  const method: unknown = Reflect.get(client, operation[0]?.toLowerCase() + operation.slice(1));
  return typeof method === 'function' ? (method as Method) : undefined;
}
