import { expect, test } from "vitest";
import { findOrigin } from "../../../src/cli/stack-traces.ts";

// AAAA: the same place; CAAC: a column later, a column later in the source; AACA: the next line of the source.
const map = { sources: ["../src/a.ts", "../src/b.ts"], mappings: "AAAA,IAAI;;ACEA,gBAAgB" };

test.each([
  ["the first place", 1, 1, { source: "../src/a.ts", line: 1, column: 1 }],
  ["a place within a segment", 1, 9, { source: "../src/a.ts", line: 1, column: 5 }],
  [
    "another source, by what changed since the line before",
    3,
    2,
    { source: "../src/b.ts", line: 3, column: 5 },
  ],
  ["numbers of several digits", 3, 40, { source: "../src/b.ts", line: 3, column: 21 }],
  ["a line that comes from nowhere", 2, 1, undefined],
  ["a line beyond the end", 9, 1, undefined],
] as const)("a source map is followed: %s", (_, line, column, origin) => {
  expect(findOrigin(map, line, column)).toEqual(origin);
});
