import { Lexer, Parser } from "marked";
import { expect, test } from "vitest";
import { AnswerRenderer } from "../../../src/console/answer-renderer.ts";

const render = (text: string) => Parser.parse(Lexer.lex(text), { renderer: new AnswerRenderer() });

test("HTML is shown as text, but for line breaks", () => {
  expect(render("a <b>bold</b> <br> word")).toContain("a &lt;b&gt;bold&lt;/b&gt; <br> word");
  expect(render("<script>alert(1)</script>")).not.toContain("<script");
});

test("a picture from elsewhere is a link, one of this server a picture", () => {
  expect(render("![map](https://example.com/m.png)")).not.toContain("<img");
  expect(render("![map](//example.com/m.png)")).not.toContain("<img");
  for (const href of ["/\\\\example.com/m.png", "/\\\\/example.com", "</\t/example.com/m.png>"])
    expect(render(`![map](${href})`), href).not.toContain("<img");
  expect(render("![map](/files/m.png)")).toContain('<img src="/files/m.png" alt="map"');
});

test("a block of code names its language and cannot leave its frame", () => {
  const shown = render('```ts"><script>\n</code></pre><script>\n```');
  expect(shown).toContain("<span>ts</span>");
  expect(shown).toContain("&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;");
});

test("headings stand below those of the page", () => {
  expect(render("# Title")).toContain('<h3 class="level-1">Title</h3>');
});
