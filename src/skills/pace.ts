/** Milliseconds of continuous work before other work gets a turn. */
const stretch = 10;

export type Pace = ReturnType<typeof createPace>;

/** Keeps long synchronous work from blocking everything else in the process. */
export function createPace() {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > stretch,
    async rest() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      since = performance.now();
    },
  };
}
