import { Lexer, Parser } from "marked";
import { expect, test } from "vitest";
import { AnswerRenderer, headingLevels } from "../../../src/console/thread/answer-renderer.ts";

const render = (text: string) => Parser.parse(Lexer.lex(text), { renderer: new AnswerRenderer() });

test("HTML is shown as text, except line breaks", () => {
  expect(render("a <b>bold</b> <br> word")).toContain("a &lt;b&gt;bold&lt;/b&gt; <br> word");
  expect(render("<script>alert(1)</script>")).not.toContain("<script");
});

test("a picture from elsewhere is a link, and one of this server a picture", () => {
  expect(render("![map](https://example.com/m.png)")).not.toContain("<img");
  expect(render("![map](//example.com/m.png)")).not.toContain("<img");
  for (const href of ["/\\\\example.com/m.png", "/\\\\/example.com", "</\t/example.com/m.png>"])
    expect(render(`![map](${href})`), href).not.toContain("<img");
  expect(render("![map](/files/m.png)")).toContain('<img src="/files/m.png" alt="map"');
});

test("a code block names its language and cannot leave its frame", () => {
  const shown = render('```ts"><script>\n</code></pre><script>\n```');
  expect(shown).toContain("<span>ts</span>");
  expect(shown).toContain("&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;");
});

test("a heading has the level it is given, and looks as it was written", () => {
  const shown = Parser.parse(Lexer.lex("## Title"), { renderer: new AnswerRenderer(3) });
  expect(shown).toContain('<h3 class="level-2">Title</h3>');
});

test.each([
  [
    [1, 2, 3, 2],
    [3, 4, 5, 4],
  ],
  [
    [2, 4, 2],
    [3, 4, 3],
  ],
  [
    [3, 1, 3],
    [3, 3, 4],
  ],
  [
    [1, 2, 3, 4, 5, 6],
    [3, 4, 5, 6, 6, 6],
  ],
])("headings written with the depths %j continue those of the page without a gap", (depths, levels) => {
  const levelOf = headingLevels();
  expect(depths.map(levelOf)).toEqual(levels);
});
