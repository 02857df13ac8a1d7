import { expect, it } from "vitest";
import { tableText } from "../../../../src/core/ports/documents.ts";

it("a table text shows the columns, the number of rows and the first of them", () => {
  const first = [
    ["Ann", "1"],
    ["a|b\nc", ""],
  ];
  expect(tableText({ name: "People", columns: ["name", "n"], rows: 20_000, first })).toBe(
    [
      "sheet: People",
      "columns: name, n",
      "20,000 rows; the first 2:",
      "",
      "| name | n |",
      "| --- | --- |",
      "| Ann | 1 |",
      "| a\\|b c |  |",
    ].join("\n"),
  );
});

it.each([
  [0, [], "0 rows"],
  [1, [["x"]], "1 row:"],
  [2, [["x"], ["y"]], "2 rows:"],
  [2, [], "2 rows"],
])("a table text says how many rows there are: %i", (rows, first, line) => {
  expect(tableText({ columns: ["a"], rows, first }).split("\n")[1]).toBe(line);
});

it("a table text cuts long cells and counts the columns it leaves out", () => {
  const columns = Array.from({ length: 1_060 }, (_, at) => `c${at + 1}`);
  const text = tableText({ columns, rows: 1, first: [["😀".repeat(200), ...columns]] });
  expect(text).toContain("c50 and 1,011 more\n");
  expect(text.split("\n").at(-1)).toMatch(new RegExp(`^\\| ${"😀".repeat(79)}… \\| c1 `));
  expect(text.split("\n").at(-1)?.split(" | ")).toHaveLength(50);
});

it("a table text shows the cells of a row that is longer than the names, and blanks around names", () => {
  const text = tableText({
    columns: [" a", "b "],
    rows: 1,
    first: [["x", "y", "z"]],
    notes: ["to read it: …"],
  });
  expect(text).toBe(
    'columns: " a", "b ", \nto read it: …\n1 row:\n\n| a | b |  |\n| --- | --- | --- |\n| x | y | z |',
  );
});
