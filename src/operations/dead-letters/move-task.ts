import { wait } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { asError } from '../../claims/store-errors.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { MoveTask } from './dead-letter-sqs.ts';

/**
 * How a task of SQS ended. `refused`: it did not start, because the service lacks the call, access is denied,
 * or a task is already running. `unknown`: SQS stopped reporting its progress; it goes on.
 */
export type MoveTaskEnd =
  | { readonly end: 'refused' | 'completed' | 'cancelled' | 'failed' }
  | { readonly end: 'unknown'; readonly error: Error };

interface MoveTaskOptions {
  /** Default: the queues the messages came from. */
  readonly destinationArn: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onMoved: (moved: number) => void;
}

const ASK_EVERY_MS = 1_000;
const SILENT_ANSWERS = 10;

/** The ends by task status. Any other status means the task is running. */
const ENDS: Readonly<Record<string, MoveTaskEnd>> = {
  COMPLETED: { end: 'completed' },
  CANCELLED: { end: 'cancelled' },
  FAILED: { end: 'failed' },
};

/** Starts a task in which SQS moves all messages, and follows it to its end. The signal cancels the task. */
export async function runMoveTask(queue: DeadLetterQueue, options: MoveTaskOptions): Promise<MoveTaskEnd> {
  // The list shows the previous task until the new one appears; its start time tells them apart. Without it,
  // the end of the previous task would be taken for that of the new one.
  const before = await latestTask(queue).catch(() => null);
  if (before === null) return { end: 'refused' };
  const handle = await queue.sqs
    .startMessageMoveTask({
      SourceArn: queue.queueArn,
      ...defined({ DestinationArn: options.destinationArn }),
    })
    .then(
      ({ TaskHandle = '' }) => TaskHandle,
      () => undefined,
    );
  if (handle === undefined) return { end: 'refused' };
  return follow(handle, before?.StartedTimestamp, queue, options);
}

async function latestTask({ sqs, queueArn }: DeadLetterQueue): Promise<MoveTask | undefined> {
  const { Results = [] } = await sqs.listMessageMoveTasks({ SourceArn: queueArn, MaxResults: 1 });
  return Results[0];
}

async function follow(
  TaskHandle: string,
  before: number | undefined,
  queue: DeadLetterQueue,
  { signal, onMoved }: MoveTaskOptions,
): Promise<MoveTaskEnd> {
  let moved = 0;
  let silent = 0;
  let isCancelled = false;
  for (;;) {
    if (signal?.aborted === true && !isCancelled) {
      isCancelled = true;
      // If it has already ended or cannot be cancelled, the next status says so.
      await queue.sqs.cancelMessageMoveTask({ TaskHandle }).catch(() => undefined);
    }
    try {
      const task = await latestTask(queue);
      const isNew = task?.StartedTimestamp === undefined || task.StartedTimestamp !== before;
      if (isNew) moved = task?.ApproximateNumberOfMessagesMoved ?? moved;
      onMoved(moved);
      if (task === undefined || !isNew) throw new Error('SQS does not list the task that it started');
      silent = 0;
      const end = ENDS[task.Status ?? ''];
      if (end !== undefined) return end;
    } catch (thrown) {
      silent += 1;
      if (silent === SILENT_ANSWERS) return { end: 'unknown', error: asError(thrown) };
    }
    await wait(queue.clock, ASK_EVERY_MS, isCancelled ? undefined : signal);
  }
}
