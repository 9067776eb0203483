import { type Clock, wait } from '../../base/clock.ts';
import { asError } from '../../claims/store-errors.ts';
import type { DeadLetterSqs, MoveTask } from './dead-letter-sqs.ts';

export interface MoveTaskPorts {
  readonly sqs: DeadLetterSqs;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onMoved: (moved: number) => void;
}

/**
 * How a move by SQS itself ended. `refused`: it did not start, because the service has no such call, may not be asked, or has
 * one running. `unknown`: SQS does not say any more how far it is; it goes on.
 */
export type MoveTaskEnd =
  | { readonly end: 'refused'; readonly error: Error }
  | { readonly end: 'completed' | 'cancelled'; readonly moved: number }
  | { readonly end: 'failed' | 'unknown'; readonly moved: number; readonly error: Error };

const ASK_EVERY_MS = 1_000;
const SILENT_ANSWERS = 10;

/** Has SQS move all messages of a dead-letter queue, and follows it until it has ended. Stopped by the signal. */
export async function runMoveTask(
  { sourceArn, destinationArn }: { readonly sourceArn: string; readonly destinationArn: string | undefined },
  ports: MoveTaskPorts,
): Promise<MoveTaskEnd> {
  const before = await lastStart(sourceArn, ports);
  let handle: string;
  try {
    const { TaskHandle = '' } = await ports.sqs.startMessageMoveTask({
      SourceArn: sourceArn,
      ...(destinationArn !== undefined && { DestinationArn: destinationArn }),
    });
    handle = TaskHandle;
  } catch (thrown) {
    return { end: 'refused', error: asError(thrown) };
  }
  return follow({ sourceArn, handle, before }, ports);
}

/** When the task before began: it is in the list until the new one is. Undefined: there is none, or it is not known. */
async function lastStart(SourceArn: string, { sqs }: MoveTaskPorts): Promise<number | undefined> {
  try {
    const { Results = [] } = await sqs.listMessageMoveTasks({ SourceArn, MaxResults: 1 });
    return Results[0]?.StartedTimestamp;
  } catch {
    return undefined; // it is asked for again later
  }
}

interface Started {
  readonly sourceArn: string;
  readonly handle: string;
  readonly before: number | undefined;
}

async function follow({ sourceArn, handle, before }: Started, ports: MoveTaskPorts): Promise<MoveTaskEnd> {
  const { sqs, clock, signal, onMoved } = ports;
  let moved = 0;
  let silent = 0;
  let isCancelled = false;
  for (;;) {
    if (signal?.aborted === true && !isCancelled) {
      isCancelled = true;
      // Ended already, or not to be cancelled: the next answer says so.
      await sqs.cancelMessageMoveTask({ TaskHandle: handle }).catch(() => undefined);
    }
    try {
      const { Results = [] } = await sqs.listMessageMoveTasks({ SourceArn: sourceArn, MaxResults: 1 });
      const task = Results.find(
        ({ StartedTimestamp }) => StartedTimestamp === undefined || StartedTimestamp !== before,
      );
      moved = task?.ApproximateNumberOfMessagesMoved ?? moved;
      onMoved(moved);
      if (task === undefined) throw new Error('SQS does not list the task that it started');
      silent = 0;
      const end = endOf(task, moved);
      if (end !== undefined) return end;
    } catch (thrown) {
      silent += 1;
      if (silent === SILENT_ANSWERS) return { end: 'unknown', moved, error: asError(thrown) };
    }
    await wait(clock, ASK_EVERY_MS, isCancelled ? undefined : signal);
  }
}

function endOf(
  { Status: status = '', FailureReason: reason = '' }: MoveTask,
  moved: number,
): MoveTaskEnd | undefined {
  switch (status) {
    case 'COMPLETED':
      return { end: 'completed', moved };
    case 'CANCELLED':
      return { end: 'cancelled', moved };
    case 'FAILED':
      return {
        end: 'failed',
        moved,
        error: new Error(`SQS could not move the messages: ${reason}`),
      };
    default:
      return undefined; // it is running
  }
}
