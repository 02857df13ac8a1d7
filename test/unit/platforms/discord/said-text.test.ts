import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseMessage, type RawMessage } from "../../../../src/platforms/discord/channel/parse-message.ts";
import { ownWords, saidText } from "../../../../src/platforms/discord/channel/said-text.ts";

const unknown = () => undefined;
const names = { user: unknown, channel: unknown, role: unknown };
const url = new URL("../../../fixtures/discord/mention.json", import.meta.url);
const mention = JSON.parse(readFileSync(url, "utf8")) as RawMessage;
const person = { ...mention, content: "", attachments: [], mentions: [] };
const app = { ...person, author: { ...person.author, bot: true } };
const message = (from: RawMessage, more: object) => ({ ...from, ...more }) as RawMessage;

const embed = {
  type: "rich",
  author: { name: "Feedback" },
  title: "Feedback 77",
  url: "https://a.example/77",
  image: { url: "https://a.example/77.png" },
  description: "The export button does nothing",
  fields: [{ name: "From", value: "Ada" }, null],
  footer: { text: "v9" },
};
const embedded =
  "Feedback\nFeedback 77 (https://a.example/77)\nThe export button does nothing\nFrom: Ada\n[picture: https://a.example/77.png]\nv9";
const components = [
  {
    type: 17,
    components: [
      { type: 10, content: "Build 9 is red" },
      {
        type: 9,
        components: [{ type: 10, content: "step 3" }],
        accessory: { type: 11, description: "a graph" },
      },
      { type: 12, items: [{ description: "CPU" }, { description: null }, null] },
      { type: 14 },
      {
        type: 1,
        components: [
          { type: 2, custom_id: "retry", label: "Retry" },
          { type: 2, url: "https://a.example/9", label: "Log" },
          { type: 2, custom_id: "details:0b9", label: "Details" },
        ],
      },
      { type: 99, content: "new kind" },
      null,
    ],
  },
];
const shown =
  "Build 9 is red\n\nstep 3\n[picture: a graph]\n\n[picture: CPU]\n\n[buttons: Retry · Log (https://a.example/9)]\n\nnew kind";
const poll = {
  question: { text: "Lunch?" },
  answers: [
    { answer_id: 1, poll_media: { text: "Soup", emoji: { name: "🍜" } } },
    { answer_id: 2, poll_media: { text: "Pizza" } },
  ],
};

describe("what a message says beside its content", () => {
  test.each<[string, RawMessage, string]>([
    ["an app's embed", message(app, { embeds: [embed] }), embedded],
    ["a person's preview of a link is none", message(person, { content: "look", embeds: [embed] }), "look"],
    ["components", message(app, { components }), shown],
    ["a poll", message(person, { poll }), "Poll: Lunch?\n- 🍜 Soup\n- Pizza"],
    [
      "a poll with votes",
      message(person, {
        poll: { ...poll, results: { is_finalized: true, answer_counts: [{ id: 2, count: 1 }] } },
      }),
      "Poll (closed): Lunch?\n- 🍜 Soup (0 votes)\n- Pizza (1 vote)",
    ],
    ["a sticker", message(person, { sticker_items: [{ name: "Wave" }] }), "[sticker: Wave]"],
    [
      "a forward of an embed",
      message(person, { message_snapshots: [{ message: { content: "", embeds: [embed] } }, null] }),
      `Forwarded: ${embedded}`,
    ],
    [
      "a forward of components, with words",
      message(person, { content: "see", message_snapshots: [{ message: { content: "", components } }] }),
      `see\n\nForwarded: ${shown}`,
    ],
    [
      "what a poll came to",
      message(person, {
        type: 46,
        embeds: [
          {
            type: "poll_result",
            fields: [
              { name: "poll_question_text", value: "Lunch?" },
              { name: "victor_answer_text", value: "Soup" },
              { name: "victor_answer_votes", value: "3" },
              { name: "total_votes", value: "4" },
            ],
          },
        ],
      }),
      "Poll closed: Lunch?\nSoup (3 of 4 votes)",
    ],
    [
      "parts that are null",
      message(app, { embeds: null, components: null, sticker_items: null, poll: null }),
      "",
    ],
  ])("a message's text besides its content is read: %s", (_, said, expected) => {
    expect(parseMessage(said, { user: "1", role: undefined }, names).text).toBe(expected);
    expect(saidText(said)).toBe(expected);
  });

  test("a message's text besides its content is read to a bound of depth and length", () => {
    let deep: object = { type: 10, content: "too deep" };
    for (let depth = 0; depth < 3_000; depth += 1) deep = { type: 17, components: [deep] };
    const long = { type: 10, content: "x".repeat(50_000) };
    const said = saidText(message(app, { components: [deep, long] }));
    expect(said).toMatch(/^x+…$/);
    expect(said.length).toBeLessThanOrEqual(20_000);
  });

  test("the bot finds its own messages by their texts only, whatever Discord adds", () => {
    expect(ownWords({ content: "", components } as never)).toBe("Build 9 is red\n\nstep 3");
  });
});
