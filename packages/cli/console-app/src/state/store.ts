import { useEffect, useState } from 'preact/hooks';

/** A value that parts of the page watch. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
}

/** Makes a store that holds `value`. */
export function createStore<Value>(value: Value): Store<Value> {
  let current = value;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(next) {
      if (Object.is(current, next)) return;
      current = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const update = (): void => setValue(() => store.get());
    update(); // it may have changed since the component was drawn
    return store.subscribe(update);
  }, [store]);
  return value;
}
