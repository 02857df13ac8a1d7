/** Runs work on one key after another, on different keys side by side. Keeps nothing about idle keys. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
  const tails = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = tails.get(key);
    const turn = Promise.withResolvers<void>();
    tails.set(key, turn.promise);
    try {
      await before;
      return await work();
    } finally {
      if (tails.get(key) === turn.promise) tails.delete(key);
      turn.resolve();
    }
  };
}
