import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHonestModel, type HonestModel } from "../../support/honest-model.ts";
import { needs } from "../../support/needs.ts";
import { type PlatformBot, usePlatformBot } from "../../support/platform-bot.ts";
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

const platformBot = usePlatformBot({ env: { KNACK_MODEL: "openai/gpt-5.4" } });

let model: HonestModel;
const surfaces = new Map<string, ChatSurface>();

beforeAll(async () => {
  const bot = platformBot();
  const skills = join(bot.home.folder, ".knack-workspace/skills");
  for (const name of new Set(conversations.flatMap(({ skills: names = [] }) => names)))
    await cp(join(packages, name), join(skills, name), { recursive: true });
  await bot.start();
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
    test.each(conversations)("$name", async (conversation) => {
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
        await expectCalls(bot, sentence);
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

/** The calls of a turn, and how they ended. */
async function expectCalls({ bot }: PlatformBot, { say, effect: { calls = [] } }: Sentence): Promise<void> {
  const { client, url } = bot();
  const answer = await fetch(`${url}/api/v1/turns?limit=20`);
  const { turns } = (await answer.json()) as { turns: { turn_id: string; text: string }[] };
  const turn = turns.find(({ text }) => text.includes(say));
  const finished: string[] = [];
  for await (const event of client.turnEvents(turn?.turn_id ?? "")) {
    if (event.type === "tool_finished") finished.push(`${event.tool} ${event.status}`);
  }
  expect(finished).toEqual(calls.map((tool) => `${tool} ok`));
}

function expectRequests(bodies: readonly string[], { unsaid = [], shows }: Effect): void {
  for (const part of unsaid) expect(bodies.filter((body) => part.test(body))).toEqual([]);
  if (shows === undefined) return;
  const pictures = bodies.map((body) => body.split('"image_url"').length - 1);
  expect(pictures.at(-1)).toBeGreaterThanOrEqual(shows);
}
