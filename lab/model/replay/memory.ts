import { memoryStore as memoryStoreOfSource } from '../../../src/stores/memory/memory-store.ts';
import type { ReplayedStore, StoreAdapter } from './replayed-store.ts';

/** Before every time of a trace: nothing is past its retention. */
export const BEFORE_ALL_MS = 0;

/** The memory store; or a mutant of it. */
export function memoryAdapter(memoryStore: typeof memoryStoreOfSource = memoryStoreOfSource): StoreAdapter {
  return {
    takesTolerance: true,
    create(clockToleranceMs): ReplayedStore {
      let now = BEFORE_ALL_MS;
      const effects = new Set<string>();
      const store = memoryStore<string>({
        clock: { now: () => now },
        clockToleranceMs,
        onCommit: (owner) => void effects.add(owner),
      });
      return {
        store,
        admin: store,
        setTime: (ms) => void (now = ms),
        commit: async (completion) => {
          const commit = store.commit;
          if (commit === undefined) throw new Error('The memory store has no commit');
          return commit(completion, { content: completion.owner });
        },
        effectsOf: async (owners) => owners.filter((owner) => effects.has(owner)),
        async remove(key) {
          now = BEFORE_ALL_MS;
          const row = await store.inspect(key);
          if (row === undefined) return;
          const change = {
            operation: 'forget',
            operator: 'ttl',
            reason: 'ttl',
            force: true,
            retentionMs: 0,
          } as const;
          await store.change([{ ...change, key, owner: `ttl of ${row.owner}`, seen: row }]);
        },
        rowOf: (key) => {
          now = BEFORE_ALL_MS;
          return store.inspect(key);
        },
      };
    },
    stop: async () => undefined,
  };
}
