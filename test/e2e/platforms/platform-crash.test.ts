import { beforeAll, describe, expect, it } from "vitest";
import { type PlatformBot, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { botMessages } from "../../support/bot/platform-discord.ts";
import type { PlatformGate, PlatformRequest } from "../../support/bot/platform-gate.ts";
import type { PlatformModel } from "../../support/bot/platform-model.ts";
import type { Surface } from "../../support/bot/platform-surface.ts";
import { expectCleanSlack, finished, refusedAfterKill } from "../support/platform-turns.ts";

const names = ["slack", "discord"] as const;

/** All turns run at once, until one kill ends them. */
const bot = usePlatformBot({ config: "turns: { concurrent: 50 }", keepsReplies: true });

/** Long enough that it is shown while it is written. */
const long = (word: string) => `${word} `.repeat(60);
const lines = (count: number) =>
  Array.from({ length: count }, (_, line) => `Line ${line} ${"x".repeat(60)}`).join("\n\n");
const lineCounts = { slack: 400, discord: 140 };
/** Longer than the tables that Slack shows itself: a file goes with it. */
const table = [
  "| n | square |",
  "|---|---|",
  ...Array.from({ length: 120 }, (_, n) => `| ${n} | ${n * n} |`),
].join("\n");
const begins = ({ name, isPost }: Surface) =>
  name === "slack" ? ({ path }: PlatformRequest) => path === "/api/chat.startStream" : isPost;

/** One moment at which the bot dies. */
interface Moment {
  /** What the killed bot does then. */
  does: string;
  /** Where it happens; on both platforms unless given. */
  on?: Surface["name"];
  /** What the model replies to the question, of which `text` is a word. `tries`: how often it was asked. */
  reply?(text: string, model: PlatformModel): void;
  /** What happens to the bot's requests; it is killed afterwards. */
  loses?(gate: PlatformGate, surface: Surface): Promise<void>;
  /** Resolves when the bot may be killed. */
  reached?(surface: Surface, thread: string): Promise<unknown>;
  /** Looks at the thread after the next start. */
  check(surface: Surface, thread: string, text: string): Promise<void>;
}

/** Shows the beginning of an answer, and its end only when it is asked again. */
const halting = (
  text: string,
  model: PlatformModel,
  { again = [long("alpha"), "omega"], steps = false } = {},
) => {
  let tries = 0;
  model.when(text, async function* ({ results }) {
    if (steps && results.length === 0) return yield { call: "list_skills", with: {} };
    tries += 1;
    if (tries > 1) return yield* again;
    yield long("alpha");
    await new Promise(() => {});
  });
};

const answersOnce = async (surface: Surface, thread: string, text: string) => {
  await surface.shown(thread, 1);
  await finished(bot(), surface, thread);
  expect(await surface.shown(thread)).toEqual(["The answer."]);
  expect(bot().model.askedOf(text)).toHaveLength(1);
};
const completes = (expected: unknown) => async (surface: Surface, thread: string) => {
  await finished(bot(), surface, thread);
  expect(await surface.shown(thread)).toEqual([expected]);
};
const isGrowing = (surface: Surface, thread: string) => surface.shows(thread, "alpha alpha");
const whole = `${long("alpha")}omega`;

const moments: readonly Moment[] = [
  {
    does: "posts an answer once if it could not record the posting",
    loses: (gate, { isPost }) => gate.loseReply(isPost),
    check: answersOnce,
  },
  {
    does: "posts an answer that had not gone out",
    loses: (gate, { isPost }) => gate.loseRequest(isPost),
    check: answersOnce,
  },
  {
    does: "does not answer again what it has answered",
    reached: async (surface, thread) => {
      await surface.shown(thread, 1);
      await finished(bot(), surface, thread);
    },
    async check(surface, thread, text) {
      if (surface.name === "slack") await redeliverAll(bot(), thread);
      const next = await surface.ask(`question next${surface.name}`);
      await surface.shown(next, 1);
      await acknowledged(bot());
      await answersOnce(surface, thread, text);
    },
  },
  {
    does: "completes a partly shown answer in its message",
    reply: halting,
    reached: isGrowing,
    check: completes(whole),
  },
  {
    does: "leaves one message of a turn with steps whose answer has begun",
    reply: (text, model) => halting(text, model, { steps: true }),
    loses: (gate, surface) => gate.loseReply(begins(surface)),
    check: completes(expect.stringContaining(whole)),
  },
  {
    does: "leaves one message of a turn with steps whose answer is growing",
    reply: (text, model) => halting(text, model, { steps: true }),
    reached: isGrowing,
    check: completes(expect.stringContaining(whole)),
  },
  {
    does: "completes an answer whose message it had begun without knowing",
    reply: (text, model) => halting(text, model, { again: ["Short now."] }),
    loses: (gate, surface) => gate.loseReply(begins(surface)),
    check: completes("Short now."),
  },
  {
    does: "posts each part of an answer once, in order, if it dies while it posts the third",
    reply: (text, model) =>
      model.when(text, () => [lines(lineCounts[text.endsWith("slack") ? "slack" : "discord"])]),
    loses(gate, { isPost }) {
      let posts = 0;
      return gate.loseReply((request) => isPost(request) && ++posts === 3);
    },
    async check(surface, thread) {
      await finished(bot(), surface, thread);
      const shown = (await surface.shown(thread)).join("\n\n");
      const numbers = [...shown.matchAll(/Line (\d+) x/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: lineCounts[surface.name] }, (_, line) => line));
    },
  },
  {
    does: "shows a file once if it dies while it posts the answer with it",
    reply: (text, model) => model.when(text, () => [`Here it is.\n\n${table}\n\nDone.`]),
    loses: (gate, { isPost }) => gate.loseReply(isPost),
    async check(surface, thread) {
      await finished(bot(), surface, thread);
      expect((await surface.shown(thread)).filter((each) => each.includes("Done."))).toHaveLength(1);
      expect(await filesIn(bot(), surface.name, thread)).toHaveLength(1);
    },
  },
  {
    does: "shows a file once if it dies right after uploading it",
    on: "slack",
    reply: (text, model) => model.when(text, () => [`Here it is.\n\n${table}\n\nDone.`]),
    loses: (gate) => gate.loseReply(({ path }) => path === "/api/files.completeUploadExternal"),
    async check(surface, thread) {
      await finished(bot(), surface, thread);
      expect(await surface.shown(thread)).toHaveLength(1);
      expect(await filesIn(bot(), "slack", thread)).toHaveLength(1);
    },
  },
  {
    does: "asks somebody something once, and takes the answer",
    reply: (text, model) =>
      model.when(text, ({ results }) =>
        results.length === 0
          ? [{ call: "ask_user", with: { question: "For how many?" } }]
          : [`Booked: ${results.join()}`],
      ),
    loses: (gate, { isPost }) => gate.loseReply(isPost),
    async check(surface, thread) {
      await surface.shows(thread, "For how many?");
      await surface.reply(thread, "for six");
      await surface.shows(thread, "Booked:");
      const shown = await surface.shown(thread);
      expect(shown.filter((each) => each.includes("For how many?"))).toHaveLength(1);
      expect(shown.at(-1)).toContain("for six");
    },
  },
];

const textOf = (moment: Moment, { name }: Surface) => `moment${moments.indexOf(moment)} ${name}`;
const threads = new Map<string, string>();

/** Begins a turn and brings it to its moment. */
async function bring(moment: Moment, surface: Surface): Promise<void> {
  const { model } = bot();
  const text = textOf(moment, surface);
  if (moment.reply === undefined) model.when(text, () => ["The answer."]);
  else moment.reply(text, model);
  const lost = moment.loses?.(surface.gate, surface);
  const thread = await surface.ask(text);
  threads.set(text, thread);
  await (lost ?? moment.reached?.(surface, thread));
}

const missed = "question whiledown";

beforeAll(async () => {
  const { surfaces, start, kill } = bot();
  await start();
  const each = names.map((name) => surfaces[name]);
  // Clients repeat a request whose reply was lost after a while: those moments are brought last.
  const on = (surface: Surface) =>
    moments
      .filter(({ on: only = surface.name }) => only === surface.name)
      .toSorted((one, other) => Number(one.loses !== undefined) - Number(other.loses !== undefined));
  await Promise.all(
    each.map(async (surface) => {
      for (const moment of on(surface)) await bring(moment, surface);
    }),
  );
  await kill();
  for (const surface of each) threads.set(missed + surface.name, await surface.ask(missed + surface.name));
  await start();
}, 120_000);

describe.each(names)("a bot that is killed on %s", (name) => {
  const here = moments.filter(({ on = name }) => on === name);
  it.each(here.map((moment) => [moment.does, moment] as const))("a killed bot %s", async (_, moment) => {
    const surface = bot().surfaces[name];
    const text = textOf(moment, surface);
    await moment.check(surface, threads.get(text) ?? "", text);
  });

  it("a killed bot takes an unstored message when it is delivered again, once", async () => {
    const surface = bot().surfaces[name];
    const thread = threads.get(missed + name) ?? "";
    await surface.shown(thread, 1);
    await finished(bot(), surface, thread);
    expect(await surface.shown(thread)).toEqual([`Reply to ${missed}${name}.`]);
    expect(bot().model.askedOf(missed + name)).toHaveLength(1);
  });
});

it("the bot asks nothing of Slack that it refuses, except whether a stream is still open", async () => {
  await expectCleanSlack(bot(), ...refusedAfterKill);
});

const acknowledged = ({ slack }: PlatformBot) =>
  slack.until((state) => state.deliveries().every((each) => each.acked || each.given_up), "acks");

/** Slack delivers once more all it has told about a message. */
async function redeliverAll({ slack }: PlatformBot, ts: string): Promise<void> {
  for (const { id, payload } of (await slack.look()).deliveries())
    if (JSON.stringify(payload).includes(ts)) await slack.redeliver({ id });
}

/** Names of the files that people see in a thread. */
async function filesIn({ slack, discord }: PlatformBot, name: "slack" | "discord", thread: string) {
  if (name === "discord")
    return botMessages(await discord.state(), thread).flatMap((message) => message.attachments);
  return (await slack.look()).botMessages("C0GENERAL", thread).flatMap((message) => message.files);
}
