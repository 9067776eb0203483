import type { ResultStorage } from 'batchlatch';

/** A result storage in memory, its objects, and the calls that were made. */
export function memoryResultStorage({ thresholdBytes }: { thresholdBytes?: number } = {}) {
  const objects = new Map<string, string>();
  const calls: string[] = [];
  const storage: ResultStorage = {
    ...(thresholdBytes !== undefined && { thresholdBytes }),
    async put(key, owner, json) {
      calls.push('put');
      const pointer = `${key}/${owner}`;
      objects.set(pointer, json);
      return pointer;
    },
    async get(pointer) {
      calls.push('get');
      const json = objects.get(pointer);
      if (json === undefined) throw new Error('no such object');
      return json;
    },
  };
  return { objects, calls, storage };
}
