import type { types } from "@slack/bolt";
import type { Token, Tokens } from "marked";
import { plainWords, readBlocks } from "../../../app/chat/present/read-markdown.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { withoutMentions } from "./outgoing-text.ts";

/**
 * Limits of Slack's table with pages, sorting and filters, without its header row
 * (docs.slack.dev/reference/block-kit/blocks/data-table-block). A single row is better read as text.
 */
export const tableLimits = { rows: 100, columns: 20, characters: 9_000 };
const minRows = 2;
const rowsPerPage = 10;
const maxCaption = 150;

/** Maximum blocks of text and tables in a message, which may have 50 blocks in all. */
const maxBlocks = 30;

type Cell = types.DataTableBlock["rows"][number][number];

/** Whether a text has a table that `textBlocks` shows as such. */
export function hasDataTable(markdown: string): boolean {
  return blocksOf(markdown).some(isNative);
}

/** The blocks of a text: Markdown, and Slack's own tables in it. */
export function textBlocks(markdown: string, calls?: readonly string[]): types.AnyBlock[] {
  const blocks: types.AnyBlock[] = [];
  let text = "";
  const flush = () => {
    const shown = withoutMentions(text, calls).trim();
    if (shown !== "") blocks.push({ type: "markdown", text: shown });
    text = "";
  };
  for (const token of blocksOf(markdown)) {
    if (!isNative(token) || blocks.length >= maxBlocks - 2) {
      text += token.raw;
      continue;
    }
    flush();
    blocks.push(dataTable(token));
  }
  flush();
  return blocks;
}

function blocksOf(markdown: string): Token[] {
  const whole: Token = { type: "text", raw: markdown, text: markdown };
  return markdown.includes("|") ? (readBlocks(markdown) ?? [whole]) : [whole];
}

/** Cells with links or mentions stay Markdown: Slack's cells of plain text would lose them. */
function isNative(token: Token): token is Tokens.Table {
  if (token.type !== "table") return false;
  const { header, rows } = token as Tokens.Table;
  const cells = [header, ...rows].flat();
  return (
    rows.length >= minRows &&
    rows.length <= tableLimits.rows &&
    header.length <= tableLimits.columns &&
    header.every(({ text }) => text.trim() !== "") &&
    rows.every((row) => row.length === header.length) &&
    cells.reduce((sum, { text }) => sum + text.length, 0) <= tableLimits.characters &&
    !/\]\(|<[@!]|:\/\//.test(token.raw)
  );
}

function dataTable({ header, rows }: Tokens.Table): types.DataTableBlock {
  const isNumeric = header.map((_, column) => rows.every((row) => isNumber(row[column]?.text ?? "")));
  const names = header.map(({ text }) => words(text));
  return {
    type: "data_table",
    caption: beginningOf(names.join(", "), maxCaption),
    page_size: Math.min(rows.length, rowsPerPage),
    rows: [
      names.map((text): Cell => ({ type: "raw_text", text })),
      ...rows.map((row) =>
        row.map(({ text }, column): Cell => {
          const shown = words(text);
          return isNumeric[column]
            ? { type: "raw_number", value: Number(shown), text: shown }
            : { type: "raw_text", text: shown };
        }),
      ),
    ],
  };
}

/** Slack refuses an empty cell. */
function words(cell: string): string {
  return withoutMentions(plainWords(cell).replaceAll(/\s+/g, " ").trim()) || "–";
}

function isNumber(text: string): boolean {
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text.trim());
}
