/** Milliseconds of continuous work before other work gets a turn. */
const stretch = 10;

/** Keeps long synchronous work from blocking everything else in the process. */
export interface Pace {
  isDue(): boolean;
  rest(): Promise<void>;
}

export function createPace(): Pace {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > stretch,
    async rest() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      since = performance.now();
    },
  };
}
