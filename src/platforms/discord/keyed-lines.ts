/** Work in lines: what has the same key is done one after the other. */
export interface KeyedLines {
  /** The work must not reject. */
  add(key: string, work: () => Promise<void>): void;
  /** Resolves when everything added so far is done. */
  settled(): Promise<void>;
}

export function createKeyedLines(): KeyedLines {
  const lines = new Map<string, Promise<void>>();
  return {
    add(key, work) {
      const line = (lines.get(key) ?? Promise.resolve()).then(work);
      lines.set(key, line);
      const done = () => {
        if (lines.get(key) === line) lines.delete(key);
      };
      line.then(done, done);
    },
    async settled() {
      await Promise.allSettled(lines.values());
    },
  };
}
