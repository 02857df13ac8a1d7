import { describe, expect, it } from "vitest";
import { textBlocks } from "../../../../src/platforms/slack/outgoing/data-tables.ts";
import { acceptBlocks } from "../../../support/slack/api/block-rules.ts";

const table = (rows: number, columns: readonly string[] = ["Month", "Orders"]) => {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = Array.from({ length: rows }, (_, row) =>
    line(columns.map((_name, at) => (at === 0 ? `m${row}` : `${row}`))),
  );
  return [line(columns), line(columns.map(() => "---")), ...body].join("\n");
};

/** The kinds of blocks, accepted by the rules of Slack. */
const kinds = (markdown: string) => {
  const blocks = textBlocks(markdown) as unknown as { type: string }[];
  acceptBlocks(blocks, "message", () => "b");
  return blocks.map(({ type }) => type);
};

describe("a table in an answer", () => {
  it("a table of two to a hundred rows is Slack's own, between the texts around it", () => {
    for (const rows of [2, 15, 100])
      expect(kinds(`Here:\n\n${table(rows)}\n\nThat is all.`)).toEqual([
        "markdown",
        "data_table",
        "markdown",
      ]);
  });

  it("numbers are sorted as numbers, and each cell has a text", () => {
    const [block] = textBlocks("| City | 2025 |\n|---|---|\n| **Oslo** | 12.5 |\n| | -3 |");
    expect(block).toMatchObject({
      type: "data_table",
      caption: "City, 2025",
      rows: [
        [
          { type: "raw_text", text: "City" },
          { type: "raw_text", text: "2025" },
        ],
        [
          { type: "raw_text", text: "Oslo" },
          { type: "raw_number", value: 12.5, text: "12.5" },
        ],
        [
          { type: "raw_text", text: "–" },
          { type: "raw_number", value: -3, text: "-3" },
        ],
      ],
    });
  });

  it("a table of one column, and one of twenty, are Slack's own", () => {
    expect(kinds(table(3, ["Name"]))).toEqual(["data_table"]);
    expect(
      kinds(
        table(
          3,
          Array.from({ length: 20 }, (_, at) => `c${at}`),
        ),
      ),
    ).toEqual(["data_table"]);
  });

  it.each([
    ["one row", table(1)],
    ["more than a hundred rows", table(101)],
    [
      "more than twenty columns",
      table(
        3,
        Array.from({ length: 21 }, (_, at) => `c${at}`),
      ),
    ],
    ["a column without a name", table(3, ["Month", " "])],
    ["more characters than Slack takes", table(90, ["Month", "x".repeat(9_000)])],
    ["links", "| a | b |\n|---|---|\n| [x](https://a.example) | 1 |\n| y | 2 |"],
    ["mentions", "| a | b |\n|---|---|\n| <@U012AB3CD> | 1 |\n| y | 2 |"],
    ["code around it", `\`\`\`\n${table(3)}\n\`\`\``],
  ])("a table with %s stays Markdown", (_, markdown) => {
    expect(kinds(markdown)).toEqual(["markdown"]);
  });

  it("a mention of everyone in a cell is shown and calls nobody", () => {
    const blocks = JSON.stringify(textBlocks("| a | b |\n|---|---|\n| @channel | 1 |\n| y | 2 |"));
    expect(blocks).toContain("@\u200bchannel");
  });
});

describe("the fake's rules for Slack's data blocks", () => {
  const text = (value: string) => ({ type: "raw_text", text: value });
  it.each([
    ["a header alone", { caption: "c", rows: [[text("a")]] }],
    ["no caption", { rows: [[text("a")], [text("b")]] }],
    ["rows of different length", { caption: "c", rows: [[text("a")], [text("b"), text("c")]] }],
    ["a rich header", { caption: "c", rows: [[{ type: "rich_text", elements: [] }], [text("b")]] }],
    ["an empty cell", { caption: "c", rows: [[text("a")], [text("")]] }],
    ["a number that is none", { caption: "c", rows: [[text("a")], [{ type: "raw_number", text: "x" }]] }],
  ])("a data_table with %s is refused", (_, block) => {
    expect(() => acceptBlocks([{ type: "data_table", ...block }], "message", () => "b")).toThrow(
      "invalid_blocks",
    );
  });

  it.each([
    ["a pie with nothing", { type: "pie", segments: [] }],
    ["a pie with a negative part", { type: "pie", segments: [{ label: "a", value: -1 }] }],
    [
      "a missing value",
      {
        type: "bar",
        axis_config: { categories: ["a", "b"] },
        series: [{ name: "s", data: [{ label: "a", value: 1 }] }],
      },
    ],
    ["an unknown kind", { type: "radar" }],
  ])("a data_visualization with %s is refused", (_, chart) => {
    const block = { type: "data_visualization", title: "t", chart };
    expect(() => acceptBlocks([block], "message", () => "b")).toThrow("invalid_blocks");
  });
});
