import { expect, it } from "vitest";
import { renderMarkdown } from "../../../src/platforms/terminal/markdown.ts";
import { createPaint } from "../../../src/platforms/terminal/paint.ts";

const render = (markdown: string, columns = 40) => renderMarkdown(markdown, columns, createPaint(false));

it.each([
  ["headings and styles", "# Hi\n\nsome **bold** _it_ `a<b` &amp; &lt;", ["Hi", "", "some bold it a<b & <"]],
  ["lists", "- a\n- [x] b\n  1. c\n  2. d", ["• a", "• ☑ b", "  1. c", "  2. d"]],
  ["code, as it is", "```js\nlet a;\n\n  b\n```", ["  let a;", "  ", "    b"]],
  ["quotes", "> a\n> b", ["│ a", "│ b"]],
  ["links with their address", "[here](http://x.y) http://z.z", ["here (http://x.y) http://z.z"]],
  ["tables", "| a | n |\n|--|--:|\n| long | 1 |", ["a     n", "────  ─", "long  1"]],
  ["HTML as text", "<b>x</b>", ["<b>x</b>"]],
])("the terminal shows Markdown: %s", (_name, markdown, lines) => {
  expect(render(markdown)).toEqual(lines);
});

it("a table that is too wide becomes lines in the terminal", () => {
  const wide = `| name | text |\n|--|--|\n| a | ${"x".repeat(30)} |`;
  expect(render(wide, 20)).toEqual(["name: a", `text: ${"x".repeat(30)}`]);
});

it("terminal text wraps at the width of the characters on the screen", () => {
  expect(render("日本語".repeat(5), 20)).toEqual(["日本語日本語日本語日", "本語日本語"]);
});
