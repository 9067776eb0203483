export interface KeyNames {
  /** In how many parts the keys are, each on one node of a cluster; 0: in none. */
  readonly slots: number;
  /** In which part a key is, from 0. */
  slotOf(key: string): number;
  nameOf(key: string): string;
  /** The key of a row's name; undefined for a name that is not one of these. */
  keyOf(name: string): string | undefined;
  /** A pattern for SCAN, of the names of keys that begin with this, with what the client puts before each. */
  patternOf(keyPrefix: string, clientPrefix: string): string;
}

/**
 * `batchlatch:` and the key; with `slots`, `batchlatch:{3}` and the key. Redis hashes what is in braces alone, so all keys of
 * one part are in one slot of the cluster, and one script can be about them.
 */
export function keyNames(prefix: string, slots: number): KeyNames {
  if (slots === 0) {
    return {
      slots,
      slotOf: () => 0,
      nameOf: (key) => prefix + key,
      keyOf: (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
      patternOf: (keyPrefix, clientPrefix) => `${escaped(clientPrefix + prefix + keyPrefix)}*`,
    };
  }
  const slotOf = (key: string): number => hashOf(key) % slots;
  const nameOf = (key: string): string => `${prefix}{${slotOf(key)}}${key}`;
  return {
    slots,
    slotOf,
    nameOf,
    keyOf(name) {
      const end = name.indexOf('}', prefix.length);
      const key = name.slice(end + 1);
      // Another number of slots gives other names: their rows are not found by these keys.
      return end !== -1 && nameOf(key) === name ? key : undefined;
    },
    patternOf: (keyPrefix, clientPrefix) => `${escaped(`${clientPrefix}${prefix}{`)}*}${escaped(keyPrefix)}*`,
  };
}

/** FNV-1a over UTF-16 code units. It never changes: the names of rows depend on it. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** As itself in a pattern of Redis. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*?[\]^-]/g, String.raw`\$&`);
}
