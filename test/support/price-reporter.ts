import type { Reporter, TestModule } from "vitest/node";

/** What a test may cost its worker, and may wait, ms. */
const limit = 1000;

/** Ends a run with the tests that cost over a second of CPU, and those that wait over a second for something else. */
export function priceReporter(write: (line: string) => void): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[]) {
      const tests = modules.flatMap((module) => [...module.children.allTests("passed")]);
      const priced = tests.flatMap((test) => {
        const { price } = test.meta();
        return price === undefined ? [] : [{ name: test.fullName, ...price }];
      });
      const list = (what: string, all: readonly { name: string; ms: number }[]) => {
        for (const { name, ms } of all
          .filter(({ ms }) => ms > limit)
          .toSorted((one, other) => other.ms - one.ms))
          write(`${what} ${(ms / 1000).toFixed(1)} s: ${name}\n`);
      };
      list(
        "CPU",
        priced.map(({ name, cpu_ms }) => ({ name, ms: cpu_ms })),
      );
      list(
        "waits",
        priced.map(({ name, cpu_ms, took_ms }) => ({ name, ms: took_ms - cpu_ms })),
      );
    },
  };
}
