import type { Figures } from '../figures.ts';
import type { ConsumerFigures, QueueCell } from '../sections/queue-worker.ts';
import { times } from './format.ts';
import { workTitle } from './tables/queue-worker.ts';
import { type Target, withReason } from './target.ts';

const MORE_THAN_ONE = 15;

/** The targets of the worker, beside `sqs-consumer` on the same queue server. */
export function queueWorkerTargetsOf({ queueWorker }: Figures): Target[] {
  return queueWorker.flatMap((cell) => {
    const own = cell.consumers['batchlatch-worker'];
    if (own === undefined) return [];
    const { handlerMs, hasSlow } = cell.work;
    return [
      handlerMs > 0 && beside(cell, 'one sqs-consumer', own.timesMore, MORE_THAN_ONE),
      handlerMs > 0 && beside(cell, 'four sqs-consumers', own.timesMoreThanFour, 1),
      handlerMs === 0 && !hasSlow && lessCpu(cell, own),
    ].filter((target) => target !== false);
  });
}

function beside(
  { work }: QueueCell,
  whom: string,
  { median }: ConsumerFigures['timesMore'],
  wanted: number,
): Target {
  return withReason(
    {
      figure: `worker: messages per second beside ${whom}, handlers of ${workTitle(work)}`,
      wanted: `at least ${times(wanted)}`,
      measured: times(median),
      isReached: median >= wanted,
    },
    () =>
      'One worker has at most 100 handlers at once (`maxInFlight`), which bounds what it does in a second.',
  );
}

/** Beside whichever of the two settings takes less. */
function lessCpu({ work, consumers }: QueueCell, own: ConsumerFigures): Target {
  const micros = [consumers['sqs-consumer'], consumers['sqs-consumer-four']].flatMap((one) =>
    one === undefined ? [] : [one.cpuMicros.median],
  );
  const share = own.cpuMicros.median / Math.min(...micros);
  return withReason(
    {
      figure: `worker: CPU per message without claims, handlers of ${workTitle(work)}`,
      wanted: "not above sqs-consumer's",
      measured: times(share),
      isReached: share <= 1,
    },
    () => 'Each message is a call of the handler by itself, with an event and a context of its own.',
  );
}
