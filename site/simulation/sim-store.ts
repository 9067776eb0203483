import type { AcquireOutcome, ClaimStore, Settlement, SettleOutcome } from '../../src/claims/claim-store.ts';
import { orderOf } from './order-of.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const ONE_WAY_MS = 80;

/** The memory store at the far end of a network, as one process reaches it. */
export function storeOf(world: World, process: SimProcess): ClaimStore {
  const { store } = world;

  /** The request travels, is carried out, and its answer travels back, unless one of them is lost. */
  function call<Answer>(
    carryOut: () => Promise<Answer>,
    { isLost = () => false, keys }: { isLost?: () => boolean; keys: readonly string[] },
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      world.scheduler.after(
        ONE_WAY_MS,
        () => {
          if (world.isStoreAway())
            return world.happens('no answer', process, orderIn(keys), 'the store does not answer');
          void carryOut().then(async (answer) => {
            await world.sees(keys);
            if (isLost()) process.deliver(ONE_WAY_MS, () => reject(new Error('connection reset')));
            else process.deliver(ONE_WAY_MS, () => resolve(answer));
          });
        },
        { inOrder: true },
      );
    });
  }

  return {
    requestSize: 25,
    acquire(requests, options) {
      const keys = requests.map(({ key }) => key);
      if (keys.some((key) => world.crashesAt('before-claim', key, process)))
        return new Promise(() => undefined);
      for (const { owner } of requests) world.owners.set(owner, process.name);
      const acquireThere = async (): Promise<AcquireOutcome[]> => {
        const outcomes = await store.acquire(requests, options);
        for (const [index, { key }] of requests.entries())
          tellAcquired(key, outcomes[index] as AcquireOutcome);
        for (const key of keys) world.crashesAt('after-claim', key, process);
        return outcomes;
      };
      return call(acquireThere, { keys, isLost: () => keys.some((key) => world.losesAnswer(key, process)) });
    },
    settle(settlements, options) {
      const keys = settlements.map(({ key }) => key);
      const settleThere = async (): Promise<SettleOutcome[]> => {
        const outcomes = await store.settle(settlements, options);
        for (const [index, settlement] of settlements.entries())
          tellSettled(settlement, outcomes[index] as SettleOutcome);
        for (const { key, end } of settlements)
          if (end === 'complete') world.crashesAt('after-completion', key, process);
        return outcomes;
      };
      return call(settleThere, { keys });
    },
    extend: (extensions) => call(() => store.extend(extensions), { keys: extensions.map(({ key }) => key) }),
    start: (claims) =>
      call(async () => (await store.start?.(claims)) ?? [], { keys: claims.map(({ key }) => key) }),
    inspect: (key) => store.inspect(key),
  };

  function tellAcquired(key: string, outcome: AcquireOutcome): void {
    const order = orderOf(key);
    switch (outcome.status) {
      case 'acquired':
        world.happens(
          outcome.tookOver ? 'took over' : 'claimed',
          process,
          order,
          outcome.tookOver
            ? `takes over the claim, whose lease is over: attempt ${outcome.attempt}`
            : `claims the key: attempt ${outcome.attempt}`,
        );
        break;
      case 'duplicate':
        world.happens('duplicate', process, order, 'finds the completion: a duplicate');
        break;
      case 'conflict':
        world.happens('conflict', process, order, 'finds a live lease: a conflict');
        break;
      case 'parked':
        world.happens('is parked', process, order, 'finds the key parked');
        break;
      case 'mismatch':
      case 'error':
        break;
    }
  }

  function tellSettled({ key, end }: Settlement, outcome: SettleOutcome): void {
    const order = orderOf(key);
    if (outcome === 'lost') {
      world.happens('too late', process, order, `would ${end} the claim, which is another's: refused`);
      return;
    }
    const told = { complete: 'completed', fail: 'failed', park: 'parked', release: 'released' } as const;
    world.happens(told[end], process, order, `the claim is stored as ${told[end]}`);
  }
}

function orderIn(keys: readonly string[]): string | undefined {
  return keys.length === 1 ? orderOf(keys[0] as string) : undefined;
}
