import { ConfigurationError } from '../base/errors.ts';
import type { Messages } from '../messages/messages.ts';

/** The target of an outbox's messages, as `createSender` takes it. */
export type OutboxTarget =
  | {
      /** The URL of a queue. */
      readonly queueUrl: string;
    }
  | {
      /** The ARN of a topic. */
      readonly topicArn: string;
    }
  | {
      /** The name of an event bus. */
      readonly eventBusName: string;
      /** The `source` of its events. */
      readonly source: string;
    };

/** Throws a `ConfigurationError` if a FIFO target would refuse messages because their type has no group. */
export function assertGroups(factory: string, { types }: Messages, to: OutboxTarget | undefined): void {
  // The target of a sender may have a client too.
  const { queueUrl, topicArn } = (to ?? {}) as { readonly queueUrl?: string; readonly topicArn?: string };
  if ((queueUrl ?? topicArn)?.endsWith('.fifo') !== true) return;
  const without = Object.keys(types).find((type) => types[type]?.options.group === undefined);
  if (without === undefined) return;
  throw new ConfigurationError(
    `${factory}: \`${without}\` has no \`group\`, which a FIFO target needs: message(schema, { group: … })`,
  );
}
