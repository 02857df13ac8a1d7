import { lexer, walkTokens } from "marked";
import { expect, test } from "vitest";
import { beginningOf } from "../../../../src/base/markdown-text.ts";
import { slackWriting } from "../../../../src/platforms/slack/outgoing/create-slack-platform.ts";
import {
  fallbackText,
  PieceFilter,
  withoutMentions,
} from "../../../../src/platforms/slack/outgoing/outgoing-text.ts";
import { changed, exceptions } from "../../../support/families/family.ts";
import { linkedMarkdown } from "../../../support/families/markdown.ts";

const calls = /<!(channel|here|everyone|group|subteam\^)|<@[UW]0|@(channel|here|everyone)\b/i;

test("nobody can be called, by the channel or by their id, even in code, and other text stays unchanged [chat-7]", () => {
  for (const text of [
    "<!channel>",
    "<!here|here>",
    "@Everyone!",
    "`@channel`",
    "<!subteam^S1|@ops>",
    "<!GROUP>",
    "<@U0ANNA>",
    "<@W012A3CDE|anna>",
  ]) {
    expect(withoutMentions(text)).not.toMatch(calls);
  }
  const harmless = "<!DOCTYPE html> <@username> <@U1> a@channels.example <!-- here --> &amp; @hereby";
  expect(withoutMentions(harmless)).toBe(harmless);
});

test.each([
  ["https\\://evil", "https\\:|//evil"],
  ["http:\\/\\/evil", "http:|\\/\\/evil"],
  ["evil\\.test/x", "evil\\.|test/x"],
  ["cafe\u0301.test/x", "cafe\u0301.|test/x"],
  ["https&#58;//evil", "https&#58;|//evil"],
  ["https&colon;&sol;&#x2F;evil", "https&colon;|&sol;|&#x2F;|evil"],
  ["evil&period;test", "evil&period;|test"],
])("a streamed text has no link where it is written as %j [address-9]", (text, shown) => {
  const [whole, pieces] = [new PieceFilter(), new PieceFilter()];
  const all = [
    whole.push(text) + whole.end(),
    [...text].map((each) => pieces.push(each)).join("") + pieces.end(),
  ];
  expect(all.map((each) => each.replaceAll("\u200b", "|"))).toEqual([shown, shown]);
});

test("a mention cut into pieces is caught, and no text is lost, wherever the cuts are", () => {
  const text = "a <!channel> b @everyone c <!subteam^S1> d < @ e <@U0ANNA> <@U0BEN|b> <!";
  for (let cut = 0; cut <= text.length; cut += 1) {
    for (let next = cut; next <= text.length; next += 3) {
      const filter = new PieceFilter();
      const pieces = [text.slice(0, cut), text.slice(cut, next), text.slice(next)];
      const shown = pieces.map((piece) => filter.push(piece)).join("") + filter.end();
      expect(shown).toBe(withoutMentions(text));
    }
  }
});

test("a streamed text has no links, wherever it is cut, and says so [address-9]", () => {
  const text =
    "See https://evil.test/?d=1, [here](//evil.test/x) <http://evil.test|x> or secret.evil.test/a. Done.";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const filter = new PieceFilter();
    const shown = filter.push(text.slice(0, cut)) + filter.push(text.slice(cut)) + filter.end();
    expect(shown.replaceAll("\u200b", "")).toBe(text);
    expect(shown).not.toMatch(/:\/\/|\]\(|\w\.[a-z]{2}/);
    expect(filter.tookLinks).toBe(true);
  }
  const harmless = new PieceFilter();
  expect(harmless.push("Pi is 3.14. So [1] it (is)... ") + harmless.end()).toBe(
    "Pi is 3.14. So [1] it (is)... ",
  );
  expect(harmless.tookLinks).toBe(false);
});

test("a notification calls only those whom it may call, whatever an id looks like", () => {
  const text = "<@UABCDEF> <@B0BOT1> <!subteam^SABC> <@U0ANNA>";
  expect(fallbackText(text)).not.toMatch(/<[@!]/);
  expect(fallbackText(text, ["UABCDEF"]).match(/<[^>]*>/g)).toEqual(["<@UABCDEF>"]);
});

test("a notification has plain words, escaped and short", () => {
  expect(fallbackText("1 < 2 & <!here>")).not.toMatch(/<|&(?!amp;|lt;|gt;)/);
  expect(fallbackText("x".repeat(5_000)).length).toBeLessThanOrEqual(1_000);
});

test("a notification has its words without Markdown marks", () => {
  const markdown =
    "# Annual\n\nIt is **very** `good`: [read it](https://a.example).\n\n- one\n  1. *two*\n\n| a | b |\n|---|---|\n| 1 | **2** |";
  expect(fallbackText(markdown)).toBe("Annual\n\nIt is very good: read it.\n\n- one\n- two\n\na, b\n1, 2");
});

test("a cut text has no half emoji", () => {
  expect(beginningOf("ab😀", 3)).toBe("ab");
  expect(beginningOf("ab😀", 4)).toBe("ab😀");
});

test("a mention calls nobody if models are told that it calls nobody", () => {
  const examples = slackWriting.mentions.match(/<[^>]+>|@(here|channel|everyone)\b/g) ?? [];
  expect(examples).toHaveLength(5);
  for (const example of examples) expect(withoutMentions(example)).not.toMatch(calls);
});

test("people who may be called are called, in the app's words for groups too, wherever the text is cut", () => {
  const text = "ask <@U0ANNA>, <@&S0ONCALL> and <!subteam^S0ONCALL>, not <@U0BEN>, <@&S0OTHER> or @here";
  const allowed = ["U0ANNA", "S0ONCALL"];
  const whole = withoutMentions(text, allowed);
  expect(whole.match(/<(?:@|!subteam\^)[A-Z0-9]+>/g)).toEqual([
    "<@U0ANNA>",
    "<!subteam^S0ONCALL>",
    "<!subteam^S0ONCALL>",
  ]);
  for (let cut = 0; cut <= text.length; cut += 1) {
    const filter = new PieceFilter();
    const shown = filter.push(text.slice(0, cut), allowed) + filter.push(text.slice(cut), allowed);
    expect(shown + filter.end(allowed)).toBe(whole);
  }
});

test("a notification calls those who may be called and nobody else", () => {
  expect(fallbackText("ask <@U0ANNA> and <@U0BEN>", ["U0ANNA"])).toMatch(/^ask <@U0ANNA> and &lt;/);
});

/** Whether a text has a link for a reader of Markdown, or in Slack's own form. */
function hasLink(text: string): boolean {
  const types: string[] = [];
  void walkTokens(lexer(text), ({ type }) => {
    types.push(type);
  });
  return /<[a-z][\w+.-]*:[^>\s]*>/i.test(text) || types.includes("link") || types.includes("image");
}

test("no form of Markdown keeps a link in a stream, wherever it is cut", async () => {
  const pieces = changed(linkedMarkdown, (text, random) => {
    const cuts = [random(text.length + 1), random(text.length + 1)].toSorted((one, other) => one - other);
    return [text.slice(0, cuts[0]), text.slice(cuts[0], cuts[1]), text.slice(cuts[1])];
  });
  const holds = (parts: string[]) => {
    const filter = new PieceFilter();
    const shown = parts.map((part) => filter.push(part)).join("") + filter.end();
    return shown.replaceAll("\u200b", "") === parts.join("").replaceAll("\u200b", "") && !hasLink(shown);
  };
  expect(await exceptions(pieces, holds)).toEqual([]);
});
