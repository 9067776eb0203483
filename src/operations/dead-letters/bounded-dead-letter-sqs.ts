import { sqsWithMethods } from '../../aws/sdk/command-client.ts';
import { boundedCall } from '../../base/bounded-call.ts';
import type { Clock } from '../../base/clock.ts';
import type { CommandClient } from '../../options/command-client.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** SQS answers in milliseconds, and a receive waits for a second; ten messages of 100 KB each may take a slow line some seconds. */
const LONGEST_CALL_MS = 20_000;

const OPERATIONS = [
  'getQueueAttributes',
  'receiveMessage',
  'changeMessageVisibilityBatch',
  'sendMessageBatch',
  'deleteMessageBatch',
  'listDeadLetterSourceQueues',
  'listQueues',
  'startMessageMoveTask',
  'listMessageMoveTasks',
  'cancelMessageMoveTask',
] as const satisfies readonly (keyof DeadLetterSqs)[];

/** The client, none of whose calls takes longer than 20 seconds: the SDK's own waits without a limit by default. */
export function boundedDeadLetterSqs(given: DeadLetterSqs | CommandClient, clock: Clock): DeadLetterSqs {
  const client = sqsWithMethods<DeadLetterSqs>(given, OPERATIONS);
  const bound = <Answer>(call: (options: { abortSignal: AbortSignal }) => Promise<Answer>): Promise<Answer> =>
    boundedCall((abortSignal) => call({ abortSignal }), {
      clock,
      limitMs: LONGEST_CALL_MS,
      errorOf: () => new Error(`SQS did not answer within ${LONGEST_CALL_MS / 1_000} seconds`),
    });
  return {
    getQueueAttributes: (input) => bound((own) => client.getQueueAttributes(input, own)),
    receiveMessage: (input) => bound((own) => client.receiveMessage(input, own)),
    changeMessageVisibilityBatch: (input) => bound((own) => client.changeMessageVisibilityBatch(input, own)),
    sendMessageBatch: (input) => bound((own) => client.sendMessageBatch(input, own)),
    deleteMessageBatch: (input) => bound((own) => client.deleteMessageBatch(input, own)),
    listDeadLetterSourceQueues: (input) => bound((own) => client.listDeadLetterSourceQueues(input, own)),
    listQueues: (input) => bound((own) => client.listQueues(input, own)),
    startMessageMoveTask: (input) => bound((own) => client.startMessageMoveTask(input, own)),
    listMessageMoveTasks: (input) => bound((own) => client.listMessageMoveTasks(input, own)),
    cancelMessageMoveTask: (input) => bound((own) => client.cancelMessageMoveTask(input, own)),
  };
}
