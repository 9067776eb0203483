import { bounded } from '../base/bounded.ts';
import { systemClock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { ADMIN_CALL_MS } from '../base/limits.ts';
import { unansweredByStore } from '../claims/store-errors.ts';
import { checkOptionsOf } from '../options/check-options.ts';
import { changeRow } from './dynamodb-admin-change.ts';
import { listRows } from './dynamodb-admin-list.ts';
import { outboxTable, type OutboxTableOptions, tableChecks } from './dynamodb-table.ts';
import { countUnsent } from './dynamodb-unsent.ts';
import { assertChanges, type OutboxAdmin } from './outbox-admin.ts';

const CALL = { ms: ADMIN_CALL_MS, signalIn: 'signal' } as const;
const LIMITS = {
  list: { ...CALL, signalAt: 1 },
  count: { ...CALL, signalAt: 0 },
  change: { ...CALL, signalAt: 1 },
};

/**
 * Returns the administration of an outbox in DynamoDB: parked rows, the age of the oldest row, and people's
 * changes. Each call ends within 60 seconds. It lists and counts by the table's index, which is eventually
 * consistent. A released row is sent by the next run of `sweepOutbox()`.
 *
 * @param options The table.
 * @throws `ConfigurationError` for options that cannot work.
 *
 * @example
 * const { parked, oldestWaitingAt } = await dynamoDBOutboxAdmin({ tableName: 'outbox' }).count();
 */
export function dynamoDBOutboxAdmin(options: OutboxTableOptions = {}): OutboxAdmin {
  checkOptionsOf('dynamoDBOutboxAdmin', options, tableChecks);
  const { clock = systemClock } = options;
  const table = outboxTable('dynamoDBOutboxAdmin', options);
  const admin: OutboxAdmin = {
    list: async (query = {}, { signal } = {}) => listRows(table(), query, signal),
    async count() {
      const [waiting, parked] = await Promise.all([
        countUnsent(table(), 'WAITING'),
        countUnsent(table(), 'PARKED'),
      ]);
      return {
        waiting: waiting.count,
        parked: parked.count,
        ...defined({ oldestWaitingAt: waiting.oldestAt, oldestParkedAt: parked.oldestAt }),
      };
    },
    async change(changes) {
      assertChanges(changes);
      return Promise.all(changes.map((change) => changeRow(table(), change)));
    },
  };
  return bounded(admin, LIMITS, unansweredByStore, clock);
}
