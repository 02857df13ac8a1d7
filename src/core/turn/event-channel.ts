/**
 * Joins what parallel work emits into one stream. `emit` resolves once the reader has taken the event and come back for
 * the next one, so that work which must be recorded first can wait for it.
 */
export interface EventChannel<T> {
  emit(event: T): Promise<void>;
  /** Events as they come, until `work` is settled and everything is read. Rejects as `work` does. */
  drain(work: Promise<unknown>): AsyncGenerator<T, void>;
}

export function createEventChannel<T>(): EventChannel<T> {
  const waiting: { event: T; taken: () => void }[] = [];
  let wake = () => {};
  return {
    emit(event) {
      return new Promise((resolve) => {
        waiting.push({ event, taken: resolve });
        wake();
      });
    },
    async *drain(work) {
      let settled = false;
      const settle = () => {
        settled = true;
        wake();
      };
      work.then(settle, settle);
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          yield next.event;
          next.taken();
        } else if (settled) {
          await work;
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
