import type { ClaimOperation, OperateOutcome } from '../../claims/operable-store.ts';
import type { Operations } from '../../claims/operated.ts';
import { operableStore } from '../conditional/operable-store.ts';
import { claimLister } from './claim-lister.ts';
import { toStoreError } from './failures.ts';
import type { KeyNames } from './key-names.ts';
import { rowOperator } from './row-operator.ts';
import { type RedisRows, scriptCaller } from './script-caller.ts';
import { READ } from './scripts.ts';

/**
 * What people do with claims in Redis. Only `batchlatch/operations` brings it along. What is live or overdue is decided by the
 * time of the server that has the claims, which is asked for first.
 */
export function operationsOnRedis(rows: RedisRows): Operations {
  const { names, clockToleranceMs } = rows;
  const call = scriptCaller(rows);

  async function byServersTime(key: string): Promise<Operations> {
    const [answer] = await call(READ, [{ key, args: [] }], { isFenced: false, mostRows: 1, waits: false });
    if (answer?.status !== 'refused')
      throw toStoreError(answer?.status === 'error' ? answer.error : 'no answer');
    const { now } = answer;
    return operableStore({
      operator: rowOperator(call),
      lister: () => claimLister(rows, call),
      clock: { now: () => now },
      clockToleranceMs,
    });
  }

  async function operateInSlot(
    operations: readonly ClaimOperation[],
    options: Parameters<Operations['operate']>[1],
  ): Promise<OperateOutcome[]> {
    try {
      // A key that Redis cannot store has an error of its own.
      const storable = operations.find(({ key }) => key.isWellFormed());
      return await (await byServersTime(storable?.key ?? '')).operate(operations, options);
    } catch (thrown) {
      const error = toStoreError(thrown);
      return operations.map(() => ({ status: 'error', error }));
    }
  }

  return {
    list: async (query, options) => (await byServersTime('')).list(query, options),
    count: async (query, options) => (await byServersTime('')).count(query, options),
    async operate(operations, options) {
      const outcomes: OperateOutcome[] = [];
      await Promise.all(
        indexesBySlot(operations, names).map(async (indexes) => {
          const some = indexes.map((index) => operations[index] as ClaimOperation);
          const given = await operateInSlot(some, options);
          indexes.forEach((index, position) => (outcomes[index] = given[position] as OperateOutcome));
        }),
      );
      return outcomes;
    },
  };
}

function indexesBySlot(operations: readonly ClaimOperation[], { slotOf }: KeyNames): number[][] {
  const slots = new Map<number, number[]>();
  operations.forEach(({ key }, index) => {
    const indexes = slots.get(slotOf(key)) ?? [];
    slots.set(slotOf(key), [...indexes, index]);
  });
  return [...slots.values()];
}
