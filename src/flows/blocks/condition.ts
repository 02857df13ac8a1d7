import { z } from "zod";
import { defineControl } from "../block.ts";
import { describeTest, isTrue, namesInTest, testSchema } from "../comparison.ts";

const branch = z.array(z.unknown()).nullish();
// biome-ignore lint/suspicious/noThenProperty: it is a word of the file format, and what stands there is never a function.
const config = z.object({ if: testSchema, then: branch, else: branch });

/** Goes on with one of two lists of steps. The result is that of the last step there, null when there is none. */
export const condition = defineControl({
  config,
  summary: (made) => `Checking whether ${short(describeTest(made.if))}`,
  branches: (made) => [
    ["then", made.then ?? []],
    ["else", made.else ?? []],
  ],
  async run(made, { variables, record, run }) {
    const chosen = isTrue(made.if, variables) ? "then" : "else";
    await record(chosen);
    return run(chosen);
  },
  describe(made, { variables, later }) {
    const words = describeTest(made.if);
    const isOpen = namesInTest(made.if).some((name) => later.has(name));
    return {
      if: words,
      goes_on_with: isOpen ? "known when it runs" : isTrue(made.if, variables) ? "then" : "else",
    };
  },
});

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
