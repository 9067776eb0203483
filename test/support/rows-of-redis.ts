import type { RowsSubject } from 'batchlatch/testing';
import { keyNames } from '../../src/stores/redis/key-names.ts';

type Send = (command: readonly string[]) => Promise<unknown>;

/** The rows of Redis past a store with the default prefix. */
export function rowsOfRedis(send: () => Send, slots: number = 0): RowsSubject {
  const { nameOf } = keyNames('batchlatch:', slots);
  return {
    read: async (key) => send()(['HGETALL', nameOf(key)]),
    async makeNewer(key, format) {
      const status = String(await send()(['HGET', nameOf(key), 'status']));
      await send()(['HSET', nameOf(key), 'status', `${status}${format}`]);
    },
  };
}
