import { BatchlatchError } from '../../base/errors.ts';
import { loadPackage } from './load-package.ts';

/** A package of the SDK, such as `@aws-sdk/client-sqs`, and its client with methods, such as `SQS`. */
interface ClientPackage {
  readonly package: string;
  readonly name: string;
}

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
  return withMethods(given, operations, { package: '@aws-sdk/client-sqs', name: 'SQS' });
}

/** Returns a client with a method per operation; wraps clients that take commands of `sdk.package`. */
export function withMethods<Client extends object>(
  given: object,
  operations: readonly (keyof Client & string)[],
  sdk: ClientPackage,
): Client {
  if (operations.every((name) => methodOf(given, name) !== undefined)) return given as Client;
  const { send } = given as { send?: Method };
  if (send === undefined) return given as Client; // the user's own object
  const call =
    (name: string): Method =>
    async (input, options) => {
      const commands = await loadPackage<object>(sdk.package).catch((cause: unknown) => {
        throw new BatchlatchError('BATCHLATCH_SDK_NOT_FOUND', sdkNotFound(GIVEN_CLIENT, sdk), { cause });
      });
      const operation = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      return send.call(given, commandOf(commands, operation, input), options);
    };
  return Object.fromEntries(operations.map((name) => [name, call(name)])) as Client;
}

/** Why a client without methods needs its package. */
export const GIVEN_CLIENT = 'The given client needs its commands';

/** Returns the message of the error if a package of the SDK was not found. `why`: why it is needed. */
export function sdkNotFound(why: string, sdk: ClientPackage): string {
  return (
    `${why}, and ${sdk.package} was not found. Install it (\`npm install ${sdk.package}\`), mark it as ` +
    `external in the bundler, or pass \`new ${sdk.name}({})\` as the client, which has them`
  );
}
