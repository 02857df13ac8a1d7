import type { ApiClient } from "../../../src/client/api-client.ts";
import { exactJson } from "../../../src/core/values/shown.ts";
import type { MovedClock } from "../../support/bot/moved-clock.ts";
import type { PlatformBot } from "../../support/bot/platform-bot.ts";
import { openApprovals, sayOnConsole, turnsOf } from "../../support/surfaces/console-thread.ts";
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

/**
 * The console's channels over the API, as its page uses it. One person runs the bot and brings what others said, after their names.
 * What a browser makes of it is for `chat-surfaces.test.ts` and `test/e2e/console`.
 */
export async function consoleStage(bot: PlatformBot, clock: MovedClock): Promise<Stage> {
  const { client } = bot.bot();
  bot.model.when("For the record", () => ["Noted."]);
  for (const { by, text, hours, channel = "general" } of allEarlier()) {
    await clock.set(wednesday - hours * hour);
    await submit(client, namespaceOf(channel), `${by}: ${text} (For the record.)`);
  }

  /** The bot's words of all turns that began since, outside of one thread. */
  async function elsewhere(since: number, exceptThread: string): Promise<Posted[]> {
    const found: Posted[] = [];
    for (const channel of ["general", "random"]) {
      const ns = namespaceOf(channel);
      const { threads } = await client.call("thread.list", { ns });
      for (const { thread, last_at } of threads) {
        if (thread === exceptThread || last_at < since) continue;
        const turns = (await turnsOf(client, ns, thread)).filter(({ accepted_at }) => accepted_at >= since);
        found.push(...turns.map(({ text }) => posted(text, channel, true)));
      }
    }
    return found;
  }

  return {
    name: "console",
    prepare: async () => undefined,
    async say({ say, who = "ann", direct, answered, voice }) {
      const channel = direct === true ? `with-${who}` : "general";
      const namespace = namespaceOf(channel);
      const thread = answered === undefined ? undefined : await submit(client, namespace, `say: ${answered}`);
      const since = clock.now();
      const data = Buffer.from(`voice:${voice}`);
      const clip = { name: "audio_message.mp4", media_type: "audio/mp4", data };
      const message = { namespace, text: say, ...(thread === undefined ? {} : { thread }) };
      const talk = await sayOnConsole(client, message, voice === undefined ? [] : [clip]);
      return {
        async posted() {
          const turns = (await talk.turns()).filter((turn) => turn.said !== `say: ${answered}`);
          return [
            ...turns.map(({ text }) => posted(text, channel, false)),
            ...openApprovals(turns).map(({ tool, question = "", reason = "", input }) => ({
              ...posted(`${tool} ${question} ${reason} ${exactJson(input)}`, channel, false),
              buttons: ["Approve once"],
            })),
            ...(await elsewhere(since, talk.thread)),
          ];
        },
        press: talk.approve,
      };
    },
    everything: async () => (await elsewhere(0, "")).map(({ text }) => text).join("\n"),
    marks: async () => ({ pinned: [], reactions: [] }),
    happen: async (_what, text) => void (await submit(client, namespaceOf("general"), text)),
    async wake() {
      await client.call("schedule.add", { namespace: namespaceOf("general"), text: "stretch", in: "P20D" });
    },
    planned: async () =>
      JSON.stringify(await client.call("schedule.list", { namespace: namespaceOf("general") })),
  };
}

/** Says something in a thread of its own, waits until it is answered, and returns the thread. */
async function submit(client: ApiClient, namespace: string, text: string): Promise<string> {
  const { turn_id, thread } = await client.submitTurn({ namespace, text });
  for await (const _event of client.turnEvents(turn_id));
  return thread;
}

/** Whoever uses the console is the only one to see it. */
function posted(text: string, where: string, top: boolean): Posted {
  return { text, where, top, only: "operator", calls: [], buttons: [], files: [] };
}
