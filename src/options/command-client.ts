import { type Check, either, objectWith } from './check-options.ts';

/**
 * A client of AWS's SDK that is sent commands, such as `new SQSClient()`. The commands come from the client's
 * package, which is loaded with the first request: a bundle has to leave it external.
 */
export interface CommandClient {
  /**
   * Sends a command.
   *
   * @param command A command of the client's package.
   * @param options The signal that ends the request.
   */
  send(command: never, options?: never): Promise<unknown>;
}

/** A client with these methods, such as `new SQS()`, or one that is sent commands. */
export function aClientWith(...methods: string[]): Check {
  const withMethods = objectWith(...methods);
  return { ...either(withMethods, objectWith('send')), expected: `${withMethods.expected}, or send()` };
}
