import { MOST_COUNTED, type OutboxCount } from 'batchlatch/outbox';
import { isoTime } from '../../tool-base/iso-time.ts';
import { type OutboxOptions, withOutbox } from '../connect/outbox.ts';
import type { Context } from '../context.ts';
import { formatNumber } from '../print/plural.ts';
import type { Run } from '../subcommand.ts';
import { watch } from '../watch.ts';
import { shownRowState } from './outbox-rows.ts';

interface CountRowsOptions extends OutboxOptions {
  readonly watch?: number;
}

/** `outbox count` */
export const countRowsCommand: Run<CountRowsOptions> = (context, options) =>
  withOutbox(context, options, async ({ admin, place }) => {
    const { signal, screen } = context;
    const read = (): Promise<OutboxCount> => admin.count({ signal });
    if (options.watch !== undefined) {
      return watch(context, options.watch, {
        title: `Rows of ${place}`,
        read,
        show: (count) => show(count, context),
        toJson: countJson,
        changes: (before, after) => {
          const text = `${countText(after.waiting)} waiting, ${countText(after.parked)} parked`;
          const isSame = before?.waiting === after.waiting && before.parked === after.parked;
          return isSame ? [] : [text];
        },
      });
    }
    const count = await read();
    if (screen.isJson) screen.json(countJson(count));
    else show(count, context);
    return 0;
  });

function countJson({ waiting, parked, oldestWaitingAt, oldestParkedAt }: OutboxCount): object {
  return {
    waiting,
    parked,
    oldestWaitingAt: isoTime(oldestWaitingAt) ?? null,
    oldestParkedAt: isoTime(oldestParkedAt) ?? null,
  };
}

function show({ waiting, parked, oldestWaitingAt, oldestParkedAt }: OutboxCount, context: Context): void {
  const { screen } = context;
  screen.table(
    [{ heading: 'STATE' }, { heading: 'ROWS', isRight: true }, { heading: 'OLDEST CREATED' }],
    [
      [shownRowState('waiting', context), countText(waiting), screen.time(oldestWaitingAt)],
      [shownRowState('parked', context), countText(parked), screen.time(oldestParkedAt)],
    ],
  );
}

function countText(rows: number): string {
  return rows >= MOST_COUNTED ? `${formatNumber(MOST_COUNTED)} or more` : formatNumber(rows);
}
