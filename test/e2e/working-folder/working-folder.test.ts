import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import { type PlatformBot, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { createHonestModel, type HonestModel } from "../../support/models/honest-model.ts";
import { needs } from "../../support/needs.ts";
import {
  type Conversation as Chat,
  type ChatSurface,
  said,
  until,
} from "../../support/surfaces/chat-surface.ts";
import { consoleChat } from "../../support/surfaces/console-chat.ts";
import { slackChat } from "../../support/surfaces/slack-chat.ts";
import { teach } from "./model-script.ts";
import { conversations, type Effect, type Sentence } from "./sentences.ts";

const packages = fileURLToPath(new URL("../../fixtures/skill-packages", import.meta.url));

const platformBot = usePlatformBot({ config: "model:\n  models:\n    openai/test: { images: true }\n" });

const namespaces: Record<string, string> = {
  slack: "slack:T0ACME:C0GENERAL",
  console: "console:local:general",
};

let model: HonestModel;
const surfaces = new Map<string, ChatSurface>();

beforeAll(async () => {
  const bot = platformBot();
  const skills = join(bot.home.folder, ".knack-workspace/skills");
  for (const name of new Set(conversations.flatMap(({ skills: names = [] }) => names)))
    await cp(join(packages, name), join(skills, name), { recursive: true });
  // Files are fetched from where the API is, without the gate.
  await bot.start({ env: { SLACK_API_URL: `${bot.slack.url}/api/` } });
  surfaces.set("slack", await slackChat(bot.slack));
  surfaces.set("console", await consoleChat(() => bot.bot()));
});
beforeEach(() => {
  model = createHonestModel(platformBot().model);
  teach(model);
});
afterAll(async () => {
  for (const surface of surfaces.values()) await surface.close();
});

describe.each(["slack", "console"])(
  "what people say about files on %s",
  needs("bubblewrap", "python3"),
  (name) => {
    test.each(conversations)("a conversation about files works: $name", async (conversation) => {
      const bot = platformBot();
      const surface = surfaces.get(name);
      if (surface === undefined) throw new Error(`There is no ${name}.`);
      const chat = await surface.open();
      for (const sentence of conversation.sentences) {
        const before = await chat.files();
        await chat.say(sentence.say, "asker", sentence.attach);
        const parts = await until(chat, (shown) => isAnswered(said(shown, "answer"), sentence.effect));
        expect(model.lies).toEqual([]);
        expect(said(parts, "answer")).toBeTruthy();
        await expectPosts(chat, before.length, sentence.effect);
        await expectCalls(bot, namespaces[name] ?? "", sentence);
        expectRequests(model.requests(sentence.say), sentence.effect);
      }
    });
  },
);

function isAnswered(answer: string, { says }: Effect): boolean {
  return says.every((part) => part.test(answer));
}

async function expectPosts(chat: Chat, before: number, { posts = [] }: Effect): Promise<void> {
  await expect.poll(async () => (await chat.files()).length, { timeout: 10_000 }).toBe(before + posts.length);
  const files = (await chat.files()).slice(before);
  for (const [at, { name, begins }] of posts.entries()) {
    expect(files[at]?.name).toMatch(name);
    // What is no UTF-8 is replaced where files are fetched as text.
    expect(files[at]?.text.replaceAll("\ufffd", "")).toContain(begins.replaceAll("\u0089", ""));
  }
}

/** The calls of the turn that was begun with these words, and how they ended. */
async function expectCalls(
  { bot }: PlatformBot,
  ns: string,
  { say, effect: { calls = [] } }: Sentence,
): Promise<void> {
  const { client } = bot();
  const finished = async () => {
    const { threads } = await client.call("thread.list", { ns });
    const shown = await Promise.all(threads.map(({ thread }) => client.call("thread.show", { ns, thread })));
    const events = shown
      .flatMap(({ turns }) => turns)
      .find((turn) => turn.events.some((event) => isSaid(event, say)))?.events;
    return events?.flatMap((event) =>
      event.type === "tool_finished" ? [`${event.tool} ${event.status}`] : [],
    );
  };
  await expect.poll(finished).toEqual(calls.map((tool) => `${tool} ok`));
}

function isSaid(event: TurnEvent, text: string): boolean {
  return event.type === "inbound" && event.inbound.text.includes(text);
}

function expectRequests(bodies: readonly string[], { unsaid = [], shows }: Effect): void {
  for (const part of unsaid) expect(bodies.filter((body) => part.test(body))).toEqual([]);
  if (shows === undefined) return;
  const pictures = bodies.map((body) => body.split('"image_url"').length - 1);
  expect(pictures.at(-1)).toBeGreaterThanOrEqual(shows);
}
