import type { Page } from "playwright-core";
import type { ApiClient } from "../../../src/client/api-client.ts";
import { createMarkdownConverter } from "../../../src/html/readable-page.ts";
import type { MovedClock } from "../../support/bot/moved-clock.ts";
import type { PlatformBot } from "../../support/bot/platform-bot.ts";
import { launch, newPage, partsOf } from "../../support/surfaces/console-chat.ts";
import { wednesday } from "./say-sentences.ts";
import { type Earlier, sentences } from "./sentences.ts";
import type { Posted, Stage } from "./stage.ts";

const hour = 3_600_000;
const namespaceOf = (channel: string) => `console:local:${channel}`;

/** Everything that somebody said before one of the sentences, oldest first, once. */
function allEarlier(): Earlier[] {
  const all = sentences.flatMap(({ earlier = [] }) => earlier);
  const once = new Map(all.map((each) => [each.text, each]));
  return [...once.values()].sort((one, other) => other.hours - one.hours);
}

/** How long before the sentences the bot has to run here: its channels hold only what was said to it. */
export const hoursBefore = Math.max(...allEarlier().map(({ hours }) => hours)) + 1;

/** The console in a real browser. One person runs the bot and brings what others said, after their names. */
export async function consoleStage(bot: PlatformBot, clock: MovedClock): Promise<Stage> {
  const { url, client } = bot.bot();
  const [browser, markdown] = await Promise.all([launch(), createMarkdownConverter()]);
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  bot.model.when("For the record", () => ["Noted."]);
  for (const { by, text, hours, channel = "general" } of allEarlier()) {
    await clock.set(wednesday - hours * hour);
    await submit(client, namespaceOf(channel), `${by}: ${text} (For the record.)`);
  }
  let page: Page | undefined;

  /** The bot's words of all turns that began since, outside of one thread. */
  async function elsewhere(since: number, exceptThread: string): Promise<Posted[]> {
    const found: Posted[] = [];
    for (const channel of ["general", "random"]) {
      const ns = namespaceOf(channel);
      const { threads } = await client.call("thread.list", { ns });
      for (const { thread } of threads.filter((each) => each.thread !== exceptThread)) {
        const { turns } = await client.call("thread.show", { ns, thread });
        const later = turns.filter(({ turn }) => turn.accepted_at >= since).flatMap(({ events }) => events);
        const answers = later.flatMap((event) => (event.type === "turn_finished" ? [event.text] : []));
        found.push(...answers.map((text) => posted(text, channel, true)));
      }
    }
    return found;
  }

  return {
    name: "console",
    prepare: async () => undefined,
    async say({ say, who = "ann", direct, answered, voice }) {
      await page?.close();
      const channel = direct === true ? `with-${who}` : "general";
      const window = await newPage(context, `${url}/#/${channel}`);
      page = window;
      if (answered !== undefined) {
        await write(window, `say: ${answered}`);
        await window.locator("article[data-status=finished]").waitFor();
      }
      const before = (await partsOf(window, markdown)).length;
      const since = clock.now();
      if (voice !== undefined) {
        const buffer = Buffer.from(`voice:${voice}`);
        const clip = { name: "audio_message.mp4", mimeType: "audio/mp4", buffer };
        await window.getByLabel("Attach files").setInputFiles([clip]);
      }
      await write(window, say);
      await window.getByText(say).first().waitFor();
      return {
        async posted() {
          const parts = (await partsOf(window, markdown)).slice(before);
          const [, , thread = ""] = new URL(window.url()).hash.split("/");
          return [
            ...parts.map(({ text }) => posted(text, channel, false)),
            ...(await openQuestions(window, channel)),
            ...(await elsewhere(since, decodeURIComponent(thread))),
          ];
        },
        press: (label) => window.getByRole("button", { name: label, exact: true }).last().click(),
        picture: () => window.screenshot(),
      };
    },
    everything: async () => (await page?.locator("body").textContent()) ?? "",
    marks: async () => ({ pinned: [], reactions: [] }),
    happen: (_what, text) => submit(client, namespaceOf("general"), `${text} (For the record.)`),
    async wake() {
      const text = "in 20 days at 9 remind me to stretch";
      await client.call("schedule.add", { namespace: namespaceOf("general"), text });
    },
    planned: async () =>
      JSON.stringify(await client.call("schedule.list", { namespace: namespaceOf("general") })),
    close: () => browser.close(),
  };
}

async function write(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

/** Says something in a thread of its own, and waits until it is answered. */
async function submit(client: ApiClient, namespace: string, text: string): Promise<void> {
  const { turn_id } = await client.submitTurn({ namespace, text });
  for await (const _event of client.turnEvents(turn_id));
}

async function openQuestions(page: Page, channel: string): Promise<Posted[]> {
  const cards = await page.locator("article.turn .question").all();
  return Promise.all(
    cards.map(async (card) => ({
      ...posted((await card.textContent()) ?? "", channel, false),
      buttons: (await card.locator(".choices button").allTextContents()).map((label) => label.trim()),
    })),
  );
}

/** Whoever uses the console is the only one to see it. */
function posted(text: string, where: string, top: boolean): Posted {
  return { text, where, top, only: "operator", calls: [], buttons: [], files: [] };
}
