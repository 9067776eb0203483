import { ConfigurationError } from '../base/errors.ts';
import type { LargeBodies } from '../messages/large-bodies.ts';
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

interface ForTarget {
  readonly messages: Messages;
  readonly to?: OutboxTarget;
  readonly large?: LargeBodies;
}

/** Throws a `ConfigurationError` if the target would refuse messages, so that their rows would be parked. */
export function assertTarget(factory: string, { messages: { types }, to, large }: ForTarget): void {
  if (to === undefined) return;
  if ('eventBusName' in to && large !== undefined) {
    throw new ConfigurationError(
      `${factory}: \`large\` is for queues and topics; an event cannot point to a body in S3`,
    );
  }
  // The target of a sender may have a client too.
  const { queueUrl, topicArn } = to as { readonly queueUrl?: string; readonly topicArn?: string };
  if ((queueUrl ?? topicArn)?.endsWith('.fifo') !== true) return;
  const without = Object.keys(types).find((type) => types[type]?.options.group === undefined);
  if (without === undefined) return;
  throw new ConfigurationError(
    `${factory}: \`${without}\` has no \`group\`, which a FIFO target needs: message(schema, { group: … })`,
  );
}
