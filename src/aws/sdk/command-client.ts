import { BatchlatchError } from '../../base/errors.ts';
import { loadPackage } from './load-package.ts';

type Method = (input: unknown, options?: object) => Promise<never>;
type Commands = Readonly<Record<string, new (input: unknown) => unknown>>;

/** Returns the client's method for an operation; undefined if the client takes commands. */
export function methodOf(client: object, operation: string): Method | undefined {
  const method: unknown = Reflect.get(client, operation[0]?.toLowerCase() + operation.slice(1));
  return typeof method === 'function' ? (method as Method) : undefined;
}

export function commandOf(sdk: object, operation: string, input: unknown): unknown {
  const Command = (sdk as Commands)[`${operation}Command`] as Commands[string];
  return new Command(input);
}

/** Returns an SQS client with a method per operation, as `new SQS()` has; wraps other clients. */
export function sqsWithMethods<Client extends object>(
  given: object,
  operations: readonly (keyof Client & string)[],
): Client {
  if (operations.every((name) => methodOf(given, name) !== undefined)) return given as Client;
  const { send } = given as { send?: Method };
  if (send === undefined) return given as Client; // the user's own object
  const call =
    (name: string): Method =>
    async (input, options) => {
      const sdk = await loadPackage<object>(PACKAGE).catch((cause: unknown) => {
        throw new BatchlatchError('BATCHLATCH_SDK_NOT_FOUND', NOT_FOUND, { cause });
      });
      const operation = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      return send.call(given, commandOf(sdk, operation, input), options);
    };
  return Object.fromEntries(operations.map((name) => [name, call(name)])) as Client;
}

const PACKAGE = '@aws-sdk/client-sqs';
const NOT_FOUND =
  `The given client of AWS's SDK needs the commands of ${PACKAGE}, which was not found. Mark the package ` +
  'as external in the bundler, or pass `new SQS()`, which includes its commands';
