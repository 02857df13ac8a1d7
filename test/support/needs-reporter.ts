import type { Reporter, TestModule } from "vitest/node";
import { installCommand, thisMachine } from "../../src/sandbox/isolation-cure.ts";
import type { Need } from "./needs.ts";

/** Ends a run with one line for each program that was missing: how many tests were skipped, and how to install it. */
export function needsReporter(write: (line: string) => void): Reporter {
  return {
    async onTestRunEnd(modules: readonly TestModule[]) {
      const skipped = new Map<Need, number>();
      for (const test of modules.flatMap((module) => [...module.children.allTests("skipped")])) {
        const need = test.meta().needs;
        if (need !== undefined) skipped.set(need, (skipped.get(need) ?? 0) + 1);
      }
      const machine = await thisMachine();
      for (const [need, count] of skipped) {
        const command = installCommand(machine, [need]) ?? `install the package ${need}`;
        write(`${count} tests need ${need} and were skipped: ${command}\n`);
      }
    },
  };
}
