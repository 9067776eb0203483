import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

/** Throws a `ConfigurationError` if the argument of the function `name` is no sender. */
export function assertSender(name: string, sender: unknown): void {
  if (isObject(sender) && 'sendEncoded' in sender && typeof sender.sendEncoded === 'function') return;
  throw new ConfigurationError(
    `${name}: Expected a sender, which createSender(…) of batchlatch/sender makes`,
  );
}
