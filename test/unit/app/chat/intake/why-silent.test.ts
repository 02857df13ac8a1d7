import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../../src/app/chat/chat-intake.ts";
import { whySilent, whySilentIn } from "../../../../../src/app/chat/intake/why-silent.ts";
import type { ThreadMessage } from "../../../../../src/core/ports/chat-actions.ts";

const now = 1_700_000_000_000;

const message = (text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  key: "k",
  place: { namespace: "fake:team:general", thread: "m" },
  id: "m",
  author: "ada",
  by_bot: false,
  text,
  said_at: now,
  addressed: "none",
  mentions_others: false,
  in_thread: false,
  files: [],
  ...more,
});

const plain = "How do I undo the last commit?";

describe("the rule that needs no model", () => {
  it.each([plain, "どうやってデプロイを取り消しますか", "The deploy is through, all green."])(
    "the words of a message are left to the model: %s",
    (text) => {
      expect(whySilent(message(text), now)).toBeUndefined();
    },
  );

  it.each([
    ["a bot wrote it", plain, { by_bot: true }],
    ["it is for the bot", plain, { addressed: "mention" }],
    ["it is for the bot", plain, { addressed: "reply" }],
    ["it is for the bot", plain, { place: { namespace: "fake:team:dm-ada", thread: "dm" } }],
    ["it is old", plain, { missed: true }],
    ["it is old", plain, { said_at: now - 5 * 60_000 - 1 }],
    ["it is for somebody else", plain, { mentions_others: true }],
    ["it is for somebody else", plain, { mentions: [{ id: "g", name: "team", kind: "group" }] }],
    ["it is for somebody else", "@Ben how do I undo the last commit?", {}],
    ["it is a command", "/skill list all of them?", {}],
    ["it is a command", "!deploy production, please?", {}],
    ["it is too short", "why not?", {}],
    ["it is too short", "", {}],
    ["it is too long", `${"word ".repeat(400)}?`, {}],
  ] as const)("the bot is silent because %s: %s", (reason, text, more) => {
    expect(whySilent(message(text, more as Partial<ChatMessage>), now)).toBe(reason);
  });
});

describe("the rule for a thread", () => {
  const said = (id: string, at: number, more: Partial<ThreadMessage["author"]> = {}): ThreadMessage => ({
    id: `${id}${at}`,
    author: { id, name: id, bot: false, self: false, ...more },
    text: "words",
    at,
    files: [],
  });

  it.each([
    [undefined, "nobody has written", []],
    [undefined, "only the asker and a bot have written", [said("ada", now), said("ci", now, { bot: true })]],
    [undefined, "three people have written", [said("ben", now - 2), said("cleo", now - 1), said("ada", now)]],
    ["two people talk", "one other has written", [said("ben", now - 2), said("ada", now)]],
    [
      "somebody has answered",
      "one of many has answered",
      [said("ben", now - 2), said("ada", now), said("cleo", now + 1)],
    ],
    [
      "the bot is in the thread",
      "the bot has written",
      [said("ben", now - 3), said("cleo", now - 2), said("knack", now - 1, { bot: true, self: true })],
    ],
  ] as const)("a thread is left alone because %s: %s", (reason, _what, thread) => {
    expect(whySilentIn(thread, { author: "ada", said_at: now })).toBe(reason);
  });
});
