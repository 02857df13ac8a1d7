import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  isWritten,
  parseMessage,
  type RawMessage,
} from "../../../../src/platforms/discord/channel/parse-message.ts";
import type { Names } from "../../../../src/platforms/discord/channel/readable-text.ts";

const bot = { user: "1000000000000000001", role: "1000000000000000130" };
const names: Names = {
  user: (id) => (id === bot.user ? "Knack" : undefined),
  channel: (id) => (id === "1000000000000000112" ? "questions" : undefined),
  role: () => undefined,
};

/** A message as Discord's gateway brings it. */
function fixture(name: string): RawMessage {
  const url = new URL(`../../../fixtures/discord/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as RawMessage;
}
const parsed = (name: string) => parseMessage(fixture(name), bot, names);

describe("a message", () => {
  test("a message that mentions the bot is for it, without the mention and with names for ids", () => {
    expect(parsed("mention")).toMatchObject({
      addressed: "mention",
      text: "ask @Benny in #questions about :party:",
      mentions_others: true,
      by_bot: false,
      said_at: Date.UTC(2026, 10, 22, 8),
      edited_at: undefined,
      files: [{ name: "notes.md", media_type: "text/markdown", bytes: 12 }],
    });
  });

  test.each([
    ["**<@1000000000000000001>** /skill list", "/skill list"],
    ["||<@1000000000000000001>||, hello", "hello"],
    ["**hello** <@1000000000000000001>", "**hello**"],
  ])("the message %s reads %s", (content, text) => {
    expect(parseMessage({ ...fixture("mention"), content }, bot, names).text).toBe(text);
  });

  test("a spoken message has a voice message with its length, and what it forwards was spoken by somebody else", () => {
    const spoken = { ...fixture("mention"), content: "", flags: 1 << 13 };
    const [attachment] = spoken.attachments;
    if (attachment === undefined) throw new Error("the fixture has no attachment");
    const voice = {
      ...{
        ...attachment,
        id: "7",
        filename: "voice-message.ogg",
        content_type: "audio/ogg",
        duration_secs: 12.4,
      },
    };
    const forwarded = { message: { ...spoken, attachments: [{ ...voice, id: "8" }] } };
    const { files } = parseMessage(
      { ...spoken, attachments: [voice], message_snapshots: [forwarded] } as RawMessage,
      bot,
      names,
    );
    expect(files).toMatchObject([
      { id: "7", media_type: "audio/ogg", voice: { seconds: 12.4 } },
      { id: "8", media_type: "audio/ogg" },
    ]);
    expect(files[1]).not.toHaveProperty("voice");
  });

  test("a message names whom it mentions: people as their server calls them, and roles, without the bot", () => {
    const message = fixture("mention");
    const role = "1000000000000000120";
    const [benny] = parsed("mention").mentions;
    expect(benny).toEqual({ id: expect.stringMatching(/^\d+$/), name: "Benny", kind: "person" });
    const withRoles = { ...message, mention_roles: [role, bot.role, "1000000000000000121"] };
    const named = { ...names, role: (id: string) => (id === role ? "on call" : undefined) };
    expect(parseMessage(withRoles, bot, named).mentions).toEqual([
      benny,
      { id: role, name: "on call", kind: "group" },
      { id: "1000000000000000121", name: "1000000000000000121", kind: "group" },
    ]);
  });

  test("a message that mentions the role Discord made for the bot is for it, too", () => {
    expect(parsed("role-mention")).toMatchObject({
      addressed: "mention",
      text: "hello",
      mentions_others: false,
    });
  });

  test("a message that replies to the bot is a reply, whose ping mentions nobody else", () => {
    expect(parsed("reply-to-bot")).toMatchObject({
      addressed: "reply",
      mentions_others: false,
      reply_to: "1300000000000000000",
    });
  });

  test("a message to somebody else is not for the bot, and a direct message always is", () => {
    expect(parsed("to-somebody-else")).toMatchObject({ addressed: "none", mentions_others: true });
    expect(parsed("direct-message")).toMatchObject({ addressed: "direct", guild: undefined });
  });

  test("a message of a webhook is a bot's, and a forwarded one brings what it forwards and answers nothing", () => {
    expect(parsed("webhook").by_bot).toBe(true);
    expect(parsed("forwarded")).toMatchObject({
      text: "see\n\nForwarded: Release on Friday",
      reply_to: undefined,
    });
  });

  test("a message of Discord or of the bot itself counts as written by nobody", () => {
    expect(isWritten(fixture("pinned-note"), bot.user)).toBe(false);
    expect(isWritten(fixture("mention"), fixture("mention").author.id)).toBe(false);
    expect(isWritten(fixture("reply-to-bot"), bot.user)).toBe(true);
  });
});

test.each([
  [": :) thanks", ":) thanks"],
  [", , hi", ", hi"],
  [" hi", "hi"],
])("the words after the mention stay: %j", (after, text) => {
  const message = fixture("mention");
  expect(parseMessage({ ...message, content: `<@${bot.user}>${after}` }, bot, names).text).toBe(text);
});

test("a mention in the middle of a sentence stays readable, and invalid times stay unchanged", () => {
  const message = { ...fixture("mention"), content: "is <@1000000000000000001> here <t:99999999999999:R>?" };
  const read = parseMessage({ ...message, mentions: [] }, bot, names);
  expect(read.text).toBe("is @Knack here <t:99999999999999:R>?");
});
