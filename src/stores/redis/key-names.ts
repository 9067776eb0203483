export interface KeyNames {
  /** The number of hash tags for the keys; 0: none. */
  readonly slots: number;
  slotOf(key: string): number;
  nameOf(key: string): string;
  /** Returns the key of a row; undefined if no key has this name. */
  keyOf(name: string): string | undefined;
  /** Returns a SCAN pattern for keys with this prefix, after the prefix that the client adds. */
  patternOf(keyPrefix: string, clientPrefix: string): string;
}

/**
 * Names rows `batchlatch:` and the key, or, with `slots`, `batchlatch:{3}` and the key. Redis Cluster hashes
 * only the text in braces, so keys with the same number are in one slot and can be in one script.
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
      // A row that was written with another number of slots is not found by its key.
      return end !== -1 && nameOf(key) === name ? key : undefined;
    },
    patternOf: (keyPrefix, clientPrefix) => `${escaped(`${clientPrefix}${prefix}{`)}*}${escaped(keyPrefix)}*`,
  };
}

/** FNV-1a over UTF-16 code units. It must never change: the names of rows depend on it. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Escapes the special characters of a pattern of Redis. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*?[\]^-]/g, String.raw`\$&`);
}
