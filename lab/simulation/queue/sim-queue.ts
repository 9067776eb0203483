import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { Delivery } from './invocation.ts';
import type { Message } from './message.ts';

/** What messages are sent to and come from: a queue, or a stream. */
export interface SimQueue {
  readonly messages: readonly Message[];
  /** The `id` that the record of the message with this id and group will have. */
  recordIdOf(id: string, group: string | undefined): string;
  send(message: Message): void;
  receive(most: number): Delivery[];
  /** When the next message can be received, in true time; undefined: nothing is waiting. */
  nextVisibleAt(): number | undefined;
  /** A batch as Lambda gives it to the function. */
  eventOf(deliveries: readonly Delivery[]): unknown;
  /** The batch was answered; `failed` are the ids that the response names. */
  answered(deliveries: readonly Delivery[], failed: ReadonlySet<string>, random: Random): void;
  /** The invocation failed, or nobody is left who could answer. */
  unanswered(deliveries: readonly Delivery[]): void;
  /** SQS as a process calls it. */
  clientOf(process: SimProcess): SqsClient;
}
