/** A value that views follow. */
import { useLayoutEffect, useState } from "./html.js";

/**
 * @template T
 * @param {T} initial
 * @returns {{get: () => T, set: (value: T) => void, subscribe: (listener: (value: T) => void) => () => void}}
 */
export function createStore(initial) {
  let value = initial;
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Follow a store inside a component. */
export function useStore(store) {
  const [value, setValue] = useState(store.get());
  useLayoutEffect(() => {
    setValue(store.get());
    return store.subscribe(setValue);
  }, [store]);
  return value;
}
