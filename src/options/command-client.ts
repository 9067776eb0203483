import { type Check, either, objectWith } from './check-options.ts';

/**
 * A client of the AWS SDK with `send()`, such as `new SQSClient()`. The commands are imported from the
 * client's package with the first request, so a bundle must leave that package external.
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

/** Accepts a client with these methods, such as `new SQS()`, or one with `send()`. */
export function aClientWith(...methods: string[]): Check {
  const withMethods = objectWith(...methods);
  return { ...either(withMethods, objectWith('send')), expected: `${withMethods.expected}, or send()` };
}
