import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type PlatformBot, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { createHonestModel, type HonestModel } from "../../support/models/honest-model.ts";
import { type ResearchWorld, startResearchWorld } from "../../support/skills/research-world.ts";
import type { FetchedFile } from "../../support/surfaces/chat-surface.ts";
import type { SkillTask } from "./task.ts";
import { skillTasks } from "./tasks.ts";

/** A thread in which one task is done. */
interface TaskThread {
  /** All that the bot shows in it. */
  text(): Promise<string>;
  files(): Promise<FetchedFile[]>;
  press(label: string): Promise<void>;
  /** What it looks like, PNG. */
  picture(): Promise<Uint8Array>;
}

export interface TaskSurface {
  say(
    text: string,
    files: readonly { name: string; media_type: string; data: Uint8Array }[],
  ): Promise<TaskThread>;
}

const types: Record<string, string> = {
  csv: "text/csv",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
};

/** The tasks, one after the other, each in a thread of its own. */
export function sayTasks(name: string, open: (bot: PlatformBot) => Promise<TaskSurface>): void {
  let surface: TaskSurface;
  let world: ResearchWorld | undefined;
  let model: HonestModel;
  const platformBot = usePlatformBot({ config: "time_zone: Europe/Berlin\n" });
  beforeAll(async () => {
    const bot = platformBot();
    world = await startResearchWorld();
    await bot.start({ env: { SLACK_API_URL: `${bot.slack.url}/api/`, SEARXNG_URL: world.origin } });
    surface = await open(bot);
  });
  beforeEach(() => {
    model = createHonestModel(platformBot().model);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  describe(`what skills do on ${name}`, () => {
    test.each(skillTasks.map((task) => [`${task.skill}: ${task.say}`, task] as const))(
      "a skill's task works: %s",
      async (title, task) => {
        model.about(task.say, task.does);
        for (const [words, { answer, invents }] of Object.entries(task.within ?? {}))
          model.within(words, answer, invents);
        const files = (task.files ?? []).map(({ name: file, content }) => ({
          name: file,
          media_type: types[file.split(".").at(-1) ?? ""] ?? "application/octet-stream",
          data: typeof content === "string" ? new TextEncoder().encode(content) : content,
        }));
        const thread = await surface.say(task.say, files);
        await expectDone(thread, task);
        expect(model.lies).toEqual([]);
        await keepPicture(thread, `${name} ${title}`);
      },
    );
  });
}

/** Waits for what the task has to come to, and approves what is asked on the way. */
async function expectDone(thread: TaskThread, { says, posts = [], asks }: SkillTask): Promise<void> {
  let approved = false;
  const state = async () => {
    const text = await thread.text();
    if (asks === true && !approved && /Approve/.test(text)) {
      approved = true;
      await thread.press("Approve");
      return "asked";
    }
    return says.every((part) => part.test(text)) ? "said" : text;
  };
  await expect.poll(state, { timeout: 20_000, interval: 100 }).toBe("said");
  const names = async () => (await thread.files()).map((file) => file.name);
  for (const part of posts)
    await expect.poll(async () => (await names()).join("\n"), { timeout: 5_000 }).toMatch(part);
}

/** With KNACK_PICTURES, a folder, each thread is kept there as a picture. */
async function keepPicture(thread: TaskThread, title: string): Promise<void> {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder === "") return;
  await writeFile(join(folder, `${title.replace(/\W+/g, "-").slice(0, 70)}.png`), await thread.picture());
}
