import type { AdoptOutcome } from '../../claims/adoption.ts';
import type { Claim } from '../../claims/claim.ts';
import type { ClaimOperation, OperateOutcome } from '../../claims/operable-store.ts';
import type { Operations } from '../../claims/operated.ts';
import { operableStore } from '../rows/operable-store.ts';
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

  /** Asks each slot about its own items, by the time of the server that has it. */
  async function bySlots<Item extends { readonly key: string }, Outcome>(
    items: readonly Item[],
    ask: (operations: Operations, items: readonly Item[]) => Promise<Outcome[]>,
    toOutcome: (error: Error) => Outcome,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const inSlot = async (some: readonly Item[]): Promise<Outcome[]> => {
      try {
        // A key that Redis cannot store has an error of its own.
        const storable = some.find(({ key }) => key.isWellFormed());
        return await ask(await byServersTime(storable?.key ?? ''), some);
      } catch (thrown) {
        const error = toStoreError(thrown);
        return some.map(() => toOutcome(error));
      }
    };
    await Promise.all(
      indexesBySlot(items, names).map(async (indexes) => {
        const given = await inSlot(indexes.map((index) => items[index] as Item));
        indexes.forEach((index, position) => (outcomes[index] = given[position] as Outcome));
      }),
    );
    return outcomes;
  }

  return {
    list: async (query, options) => (await byServersTime('')).list(query, options),
    count: async (query, options) => (await byServersTime('')).count(query, options),
    operate: (operations, options) =>
      bySlots<ClaimOperation, OperateOutcome>(
        operations,
        (slot, some) => slot.operate(some, options),
        (error) => ({ status: 'error', error }),
      ),
    adopt: (claims, options) =>
      bySlots<Claim, AdoptOutcome>(
        claims,
        async (slot, some) => (await slot.adopt?.(some, options)) ?? [],
        (error) => ({ error }),
      ),
  };
}

function indexesBySlot(operations: readonly { readonly key: string }[], { slotOf }: KeyNames): number[][] {
  const slots = new Map<number, number[]>();
  operations.forEach(({ key }, index) => {
    const indexes = slots.get(slotOf(key)) ?? [];
    slots.set(slotOf(key), [...indexes, index]);
  });
  return [...slots.values()];
}
