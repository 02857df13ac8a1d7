import { expect, it } from "vitest";
import { printedLines } from "../../../../src/core/meta-tools/meta-tool.ts";

it("a flood of printed lines is shown at a few lines a second", () => {
  let now = 1_000;
  const shown: string[] = [];
  const show = printedLines({ now: () => now, progress: (note) => shown.push(note) });
  for (let line = 0; line < 100_000; line += 1) {
    if (line % 50_000 === 0) now += 300;
    show(`line ${line} ${"x".repeat(1_000)}`);
  }
  expect(shown.map((line) => line.slice(0, 10).trim())).toEqual(["line 0 xxx", "line 50000"]);
  expect(shown[0]).toHaveLength(200);
});
