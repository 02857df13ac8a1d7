import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createMovedClock, type MovedClock } from "../../support/bot/moved-clock.ts";
import { type PlatformBot, type PlatformBotOptions, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { createHonestModel, type HonestModel } from "../../support/models/honest-model.ts";
import { drawPosts } from "./draw-posts.ts";
import { teach } from "./model-script.ts";
import { type Effect, type Sentence, type SurfaceName, sentences } from "./sentences.ts";
import type { Posted, Stage, Talk } from "./stage.ts";

/** Wednesday, 25 November 2026, eleven in Berlin. */
export const wednesday = Date.UTC(2026, 10, 25, 10, 0);
const hour = 3_600_000;

/** What a surface needs for the sentences to be said there. */
interface Surroundings extends PlatformBotOptions {
  name: SurfaceName;
  /** When the bot is started, ms since the epoch; on that Wednesday unless given. */
  from?: number;
  /** Once the bot runs; it is Wednesday when this is done. */
  open(bot: PlatformBot, clock: MovedClock): Promise<Stage>;
}

/** The sentences, said one after the other to a bot whose clock is moved. */
export function saySentences({ name, from = wednesday, open, ...options }: Surroundings): void {
  let clock: MovedClock;
  let stage: Stage;
  let model: HonestModel;
  beforeAll(async () => {
    clock = await createMovedClock();
    await clock.set(from);
  });
  afterAll(() => clock.remove());
  const platformBot = usePlatformBot({
    config: "time_zone: Europe/Berlin\nschedules: { least_minutes: 5 }\n",
    ...options,
  });
  beforeAll(async () => {
    const bot = platformBot();
    // Without the gates: they are no part of what is tried.
    const direct = { SLACK_API_URL: `${bot.slack.url}/api/`, DISCORD_API_URL: bot.discord.apiUrl };
    await bot.start({ env: { ...clock.env, ...direct } });
    stage = await open(bot, clock);
    await clock.set(wednesday);
  });
  beforeEach(() => {
    model = createHonestModel(platformBot().model);
    teach(model);
  });

  describe(`what people say to a colleague on ${name}`, () => {
    test.each(sentences.map((sentence) => [`${sentence.say} ${sentence.who ?? ""}`, sentence] as const))(
      "a colleague's sentence works: %s",
      async (_title, sentence) => {
        const effect = sentence.instead?.[name] ?? sentence.effect;
        await stage.prepare(sentence.earlier ?? []);
        const talk = await stage.say(sentence);
        const posted = await followed(talk, effect);
        expect(model.lies).toEqual([]);
        await expectEffect(stage, talk, posted, effect);
        await keepPicture(talk, `${name} ${sentence.say}`);
        if (effect.later !== undefined) await expectLater({ stage, talk, clock }, sentence, effect.later);
      },
    );
  });
}

/** With KNACK_PICTURES, a folder, each answer is drawn into a file there. */
async function keepPicture(talk: Talk, title: string): Promise<void> {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder === "") return;
  const png = await drawPosts(title, await talk.posted());
  await writeFile(join(folder, `${title.replace(/\W+/g, "-").slice(0, 60)}.png`), png);
}

/** Whether only one person sees it. */
const isForOne = ({ only, where }: Posted) => only !== undefined || where.startsWith("dm:");

const answersOf = (posted: readonly Posted[]) => posted.map(({ text }) => text).join("\n");

/** Waits for the effect; what asks on the way has to show what it asks, and is approved. */
async function followed(talk: Talk, { says = [], asks = [], private: isPrivate }: Effect): Promise<Posted[]> {
  let asked = "";
  await expect
    .poll(
      async () => {
        const posted = await talk.posted();
        const question = posted.find(({ buttons }) => buttons.some((label) => approvals.includes(label)));
        if (question !== undefined) {
          asked += question.text;
          await talk.press(question.buttons.find((label) => approvals.includes(label)) ?? "");
          return "asked";
        }
        const answers = posted.filter((each) => isPrivate !== true || isForOne(each));
        const missing = says.filter((part) => !part.test(answersOf(answers)));
        const isThere = answers.some(({ text }) => text.trim() !== "" && !/^Working/.test(text));
        return missing.length === 0 && isThere && (asks.length === 0 || asked !== "")
          ? "said"
          : answersOf(posted);
      },
      { interval: 100 },
    )
    .toBe("said");
  for (const part of asks) expect(asked).toMatch(part);
  if (asks.length === 0) expect(asked).toBe("");
  return talk.posted();
}

/** Labels of what allows something once. */
const approvals = ["Approve", "Approve once"];

async function expectEffect(
  stage: Stage,
  talk: Talk,
  posted: readonly Posted[],
  effect: Effect,
): Promise<void> {
  const { never = [], links = 0, calls, reacts, pins, sends, changes, planned, unplanned } = effect;
  for (const part of never) expect(answersOf(posted)).not.toMatch(part);
  if (effect.private)
    expect(posted.filter((each) => !isForOne(each) && each.text.includes("Since"))).toEqual([]);
  expect((answersOf(posted).match(/\]\(\S+\)|<https?:\S+\|/g) ?? []).length).toBeGreaterThanOrEqual(links);
  if (calls !== undefined)
    expect(posted.flatMap((each) => each.calls)).toEqual(expect.arrayContaining([...calls]));
  if (reacts !== undefined) {
    const isThere = async () =>
      (await stage.marks()).reactions.some(({ to, emoji }) => reacts.to.test(to) && emoji === reacts.emoji);
    await expect.poll(isThere).toBe(true);
  }
  if (pins !== undefined)
    await expect.poll(async () => (await stage.marks()).pinned.join("\n")).toMatch(pins);
  if (sends !== undefined) {
    const { to, says, file } = sends;
    const isThere = async () => {
      const there = (await talk.posted()).filter(({ where }) => where === to || where === `dm:${to}`);
      const files = there.flatMap((each) => each.files);
      return (
        there.some(({ text }) => says.test(text)) &&
        (file === undefined || files.some((each) => file.test(each)))
      );
    };
    await expect.poll(isThere).toBe(true);
  }
  if (changes?.to !== undefined) {
    const { to } = changes;
    await expect.poll(() => stage.everything()).toMatch(to);
  }
  if (changes !== undefined) await expect.poll(() => stage.everything()).not.toMatch(changes.from);
  if (planned !== undefined) expect(await stage.planned()).toMatch(planned);
  if (unplanned !== undefined) expect(await stage.planned()).not.toMatch(unplanned);
}

async function expectLater(
  { stage, talk, clock }: { stage: Stage; talk: Talk; clock: MovedClock },
  { say }: Sentence,
  { hours = 0, happens = "nothing", says, calls = [], in_channel }: NonNullable<Effect["later"]>,
): Promise<void> {
  const before = (await talk.posted()).length;
  await clock.pass(hours * hour);
  // What is planned makes the bot look at what is due at once, rather than within a minute.
  await stage.wake();
  if (happens !== "nothing") await stage.happen(happens, `deploy failed: invoice (${say.slice(0, 20)})`);
  const since = async () => (await talk.posted()).slice(before);
  for (const part of says)
    await expect.poll(async () => answersOf(await since()), { timeout: 75_000, interval: 500 }).toMatch(part);
  const later = await since();
  expect(later.flatMap((each) => each.calls)).toEqual(expect.arrayContaining([...calls]));
  if (in_channel) expect(later.some(({ top }) => top)).toBe(true);
}
