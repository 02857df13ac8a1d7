/** Holds one value and tells those who listen when it changed. */
export interface Store<T> {
  get(): T;
  /** Replaces the given members. */
  set(change: Partial<T> | ((value: T) => Partial<T>)): void;
  /** Called after every change; answers a function that ends it. */
  subscribe(listener: (value: T) => void): () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...(typeof change === "function" ? change(value) : change) };
      for (const listener of listeners) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
