/**
 * Returns a function that loads a value on its first call and keeps it. A failure is not kept: the next call
 * loads again, in case a package is installed later.
 */
export function loadedOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load();
    loaded.catch(() => (loaded = undefined));
    return loaded;
  };
}
