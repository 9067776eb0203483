import { sqsWithMethods } from '../../aws/sdk/command-client.ts';
import { bounded, type Limit } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { DEAD_LETTER_CALL_MS } from '../../base/limits.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { unansweredBySqs } from '../../queues/sqs-client.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

const CALL: Limit = { ms: DEAD_LETTER_CALL_MS, signalAt: 1, signalIn: 'abortSignal' };
const LIMITS: Readonly<Record<keyof DeadLetterSqs, Limit>> = {
  getQueueAttributes: CALL,
  receiveMessage: CALL,
  changeMessageVisibilityBatch: CALL,
  sendMessageBatch: CALL,
  deleteMessageBatch: CALL,
  listDeadLetterSourceQueues: CALL,
  listQueues: CALL,
  startMessageMoveTask: CALL,
  listMessageMoveTasks: CALL,
  cancelMessageMoveTask: CALL,
};
const OPERATIONS = Object.keys(LIMITS) as (keyof DeadLetterSqs)[];

/** The client, none of whose calls takes longer than 20 seconds: the SDK's own waits without a limit by default. */
export function boundedDeadLetterSqs(given: DeadLetterSqs | CommandClient, clock: Clock): DeadLetterSqs {
  return bounded(sqsWithMethods<DeadLetterSqs>(given, OPERATIONS), LIMITS, unansweredBySqs, clock);
}
