import { describe, expect, test } from "vitest";
import type { OutgoingButton } from "../../../../src/core/ports/chat-platform.ts";
import { ownWords } from "../../../../src/platforms/discord/channel/said-text.ts";
import { discordWriting } from "../../../../src/platforms/discord/outgoing/create-discord-platform.ts";
import {
  editBody,
  messageBody,
  rawFiles,
  whisperParts,
} from "../../../../src/platforms/discord/outgoing/message-body.ts";
import { actionsIn, renderComponents } from "../../../../src/platforms/discord/outgoing/render-components.ts";
import { renderContent, renderMessage } from "../../../../src/platforms/discord/outgoing/render-content.ts";

/** The contents of the messages of a whisper. */
const contents = (markdown: string) => whisperParts({ markdown }).map(({ body }) => body.content ?? "");

const button = { role: "stop", turn_id: "t", below: "progress" } as const;

describe("Markdown", () => {
  test("a Markdown table becomes columns in a code block, and a wide one a list", () => {
    expect(renderContent("| a | bb |\n|---|---|\n| 漢字 | 1 |\n\nafter")).toBe(
      "```\na     bb\n────  ──\n漢字  1\n```\n\nafter",
    );
    const wide = renderContent(`| a | b |\n|---|---|\n| ${"x".repeat(120)} | y |`);
    expect(wide).toBe(`- **a** ${"x".repeat(120)} · **b** y`);
  });

  test("a Markdown table is shown as words in columns, and links in it stay links", () => {
    expect(renderContent("| a |\n|---|\n| *good* **`x`** |")).toBe("```\na\n──────\ngood x\n```");
    expect(renderContent("| **a** | b |\n|---|---|\n| *x* | [y](https://a.example) |")).toBe(
      "- **a** *x* · **b** [y](https://a.example)",
    );
  });

  test("a Markdown table within a list or a quote becomes columns there, and code that looks like it stays", () => {
    const drawn = (lead: string) =>
      ["```", "a  b", "─  ──", "1  $&", "```"].map((line) => lead + line).join("\n");
    const rows = (lead: string) =>
      ["| a | b |", "|---|---|", "| 1 | $& |"].map((line) => lead + line).join("\n");
    expect(renderContent(`1. one\n${rows("   ")}\n2. two\n   - three\n${rows("     ")}`)).toBe(
      `1. one\n${drawn("   ")}\n2. two\n   - three\n${drawn("     ")}`,
    );
    expect(renderContent(rows("> "))).toBe(drawn("> "));
    const code = `- one\n  \`\`\`md\n${rows("  ")}\n  \`\`\``;
    expect(renderContent(code)).toBe(code);
  });

  test("a time in Markdown is shown in its reader's zone", () => {
    const timed = { text: "Open until {time}.", at: 1_800_000_000_000 };
    expect(messageBody({ markdown: "May I?", timed }, undefined).content).toBe(
      "May I?\n\nOpen until <t:1800000000:t>.",
    );
  });

  test("Markdown that Discord does not know is shown as well as possible, and code stays unchanged", () => {
    expect(renderContent("#### Deep\n\n![a cat](https://a.example/cat.png) `![x](y)`")).toBe(
      "**Deep**\n\n[a cat](https://a.example/cat.png) `![x](y)`",
    );
    expect(renderContent("```md\n#### Deep\n![x](y)\n```")).toBe("```md\n#### Deep\n![x](y)\n```");
  });

  test("Markdown nested too deep to be read is shown as it was written, with nobody called", () => {
    const deep = `${">".repeat(10_000)} | a |\r\n@everyone`;
    expect(renderContent(deep)).toBe(`${">".repeat(10_000)} | a |\n@\u200beveryone`);
  });

  test("Markdown calls nobody [chat-7]", () => {
    expect(renderContent("@everyone, @here and <@&12>")).not.toMatch(/@everyone|@here|<@&/);
    expect(messageBody({ markdown: "hi <@1>" }, undefined).allowed_mentions.parse).toEqual([]);
  });

  test.each([1_999, 2_000, 2_001, 9_000])("Markdown of %i characters fits into one message", (length) => {
    expect(renderMessage("x ".repeat(length / 2)).length).toBeLessThanOrEqual(2_000);
    expect(renderMessage(`\`\`\`\n${"y\n".repeat(length / 2)}\`\`\``).length).toBeLessThanOrEqual(2_000);
  });
});

test("a message whose tables take too much room in columns keeps them as written, with every cell", () => {
  const rows = [...Array(20)].map((_, n) => `| cell ${n} | ${n} |`);
  const table = ["| name | n |", "|---|---|", `| ${"w".repeat(80)} | - |`, ...rows].join("\n");
  const content = renderMessage(`${"word ".repeat(200)}\n\n${table}\n\nThe end.`);
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(content).toContain(`\`\`\`\n${table}\n\`\`\``);
  expect(content).toContain("The end.");
});

describe("what is too long for one message", () => {
  const code = `\`\`\`ts\n${"const a = 1;\n".repeat(400)}\`\`\``;

  test("content too long for one message is split into whole code blocks, and nothing is lost", () => {
    const parts = contents(`Before\n${code}\nafter`);
    expect(parts.every((part) => part.length <= 2_000 && (part.match(/```/g) ?? []).length % 2 === 0)).toBe(
      true,
    );
    expect(parts.join("\n").match(/const a = 1;/g)).toHaveLength(400);
    expect(parts[1]).toMatch(/^```ts\n/);
  });

  test("content too long for one message is never cut inside an emoji", () => {
    for (const part of contents("🙂".repeat(2_500))) expect(part.isWellFormed()).toBe(true);
  });

  test("content too long for one message is whispered in several, with the buttons on the last", () => {
    const parts = whisperParts({ markdown: code, buttons: [{ action: button, label: "A" }] });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ body }) => body.components.length)).toEqual([...parts.slice(1).map(() => 0), 1]);
  });
});

describe("a message", () => {
  const tag = { turn_id: "t", purpose: "progress", part: 0 } as const;

  test("a progress message shows no previews and makes no sound, even when it is edited", () => {
    expect(messageBody({ tag, markdown: "…" }, undefined).flags).toBe(4 | 4096);
    expect(editBody({ tag, markdown: "…" }).flags).toBe(4);
  });

  test.each(["question", "approval"] as const)(
    "a message of the purpose %s previews no links either",
    (purpose) => {
      const message = {
        tag: { ...tag, purpose },
        markdown: "https://evil.test/?d=1",
        buttons: [{ action: button, label: "A" }],
      };
      expect(messageBody(message, "1").flags).toBe(4);
      expect(editBody(message).flags).toBe(4);
      expect(whisperParts({ markdown: "https://evil.test" }).map(({ body }) => body.flags)).toEqual([4]);
      expect(messageBody(message, "1").components).toHaveLength(1);
    },
  );

  describe("of an answer is made of components", () => {
    const answer = { tag: { ...tag, purpose: "answer" }, markdown: "Here." } as const;
    const text = (content: string) => ({ type: 10, content });
    const file = (name: string) => ({ name, media_type: "text/csv", data: new Uint8Array([1]) });
    const behind = (label: string, role: "again" | "forget"): OutgoingButton => ({
      action: { role, turn_id: "t1" },
      label,
      menu: true,
    });
    const shown = (more: object) => messageBody({ ...answer, ...more }, undefined);

    test("an answer made of components previews no links, however it is edited", () => {
      expect(shown({}).flags).toBe(4 | (1 << 15));
      expect(editBody(answer)).toMatchObject({ content: null, flags: 4 | (1 << 15) });
      expect(editBody({ markdown: "Other." }, [])).toMatchObject({
        content: null,
        components: [text("Other.")],
      });
    });

    test("an answer made of components keeps its files visible when its words are changed", () => {
      expect(editBody({ markdown: "Other." }, ["a_b.csv"]).components).toMatchObject([
        { components: [text("Other."), { type: 13, file: { url: "attachment://a_b.csv" } }] },
      ]);
    });

    test("an answer made of components is its words alone while there is nothing else", () => {
      expect(shown({}).components).toEqual([text("Here.")]);
      expect(shown({ mention: "1000000000000000001" }).components).toEqual([
        text("<@1000000000000000001> Here."),
      ]);
      expect(shown({ markdown: "" }).components).toEqual([text("…")]);
    });

    test("an answer made of components has pictures, files and buttons in a container, and further buttons in a menu", () => {
      const files = ["plot.png", "a b.csv", "a b.csv"].map(file);
      const buttons = [
        { action: button, label: "👍" },
        behind("Try again", "again"),
        behind("Delete", "forget"),
      ];
      const { components } = shown({ files, buttons });
      expect(components).toMatchObject([
        {
          type: 17,
          components: [
            text("Here."),
            { type: 12, items: [{ media: { url: "attachment://plot.png" } }] },
            { type: 13, file: { url: "attachment://a_b.csv" } },
            { type: 13, file: { url: "attachment://3-a_b.csv" } },
            { type: 1, components: [{ label: "👍" }] },
            { type: 1, components: [{ type: 3, options: [{ label: "Try again" }, { label: "Delete" }] }] },
          ],
        },
      ]);
      expect(rawFiles(files).map(({ name }) => name)).toEqual(["plot.png", "a_b.csv", "3-a_b.csv"]);
      expect(actionsIn({ components } as Parameters<typeof actionsIn>[0])).toHaveLength(3);
    });

    test("an answer made of components has no menu for a single button", () => {
      expect(shown({ buttons: [behind("Delete", "forget")] }).components).toMatchObject([
        { components: [text("Here."), { components: [{ type: 2, label: "Delete" }] }] },
      ]);
    });

    test("an answer made of components has twice the room of others, and is cut there", () => {
      const long = "word ".repeat(2_000);
      expect(ownWords(shown({ markdown: long })).length).toBeGreaterThan(3_800);
      expect(ownWords(shown({ markdown: long, mention: "1000000000000000001" })).length).toBeLessThanOrEqual(
        4_000,
      );
    });

    test("an answer that only one person sees is not made of components", () => {
      expect(whisperParts({ ...answer }).map(({ body }) => body)).toMatchObject([
        { content: "Here.", flags: 4 },
      ]);
    });
  });

  test("a message is never empty", () => {
    expect(editBody({ markdown: " " }).content).toBe("…");
  });
});

test("buttons are in rows of five, and many choices are a menu whose values are the buttons' ids", () => {
  const choice = (n: number): OutgoingButton => ({
    action: { role: "answer", turn_id: "t", choice: n },
    label: `Choice ${n}`,
  });
  const some = renderComponents([...Array(6)].map(() => ({ action: button, label: "x".repeat(90) })));
  expect(some.map(({ components }) => components.length)).toEqual([5, 1]);
  expect(JSON.stringify(some)).not.toContain("x".repeat(81));

  const [menu, ...rest] = renderComponents([
    ...[...Array(30)].map((_, n) => choice(n)),
    { action: button, label: "Stop" },
  ]);
  expect(menu?.components[0]).toMatchObject({
    type: 3,
    options: { length: 25, 24: { value: "answer:t:24" } },
  });
  expect(rest).toHaveLength(1);
  const components = [menu, ...rest].filter((row) => row !== undefined);
  expect(actionsIn({ components }).slice(23)).toEqual([
    { role: "answer", turn_id: "t", choice: 23 },
    { role: "answer", turn_id: "t", choice: 24 },
    button,
  ]);
});

test("the advice for models on mentions and tables is true", () => {
  const [person = ""] = /<@\d+>/.exec(discordWriting.mentions) ?? [];
  expect(renderContent(person)).toBe(person);
  expect(messageBody({ markdown: person }, undefined).allowed_mentions).toMatchObject({ parse: [] });
  const [, width = ""] = /wider than (\d+) characters becomes a list/.exec(discordWriting.formatting) ?? [];
  const table = (characters: number) => `| a |\n|---|\n| ${"x".repeat(characters)} |`;
  expect(renderContent(table(Number(width) - 2))).toMatch(/^```/);
  expect(renderContent(table(Number(width) + 1))).toMatch(/^- /);
});

test("a message calls the person it is for, and nobody by what looks like an id", () => {
  const id = "123456789012345678";
  expect(messageBody({ markdown: "hi <@1>", mention: id }, undefined)).toMatchObject({
    content: expect.stringMatching(new RegExp(`^<@${id}> hi`)),
    allowed_mentions: { parse: [], users: [id] },
  });
  const { content, allowed_mentions } = messageBody({ markdown: "hi", mention: "everyone" }, undefined);
  expect([content, allowed_mentions]).toEqual(["hi", { parse: [], replied_user: false }]);
});
