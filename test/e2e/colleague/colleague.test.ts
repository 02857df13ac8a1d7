import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHonestModel, type HonestModel } from "../../support/honest-model.ts";
import { createMovedClock, type MovedClock } from "../../support/moved-clock.ts";
import { type PlatformBot, usePlatformBot } from "../../support/platform-bot.ts";
import { teach } from "./model-script.ts";
import { type Effect, type Sentence, type SurfaceName, sentences } from "./sentences.ts";
import { colleagueSlack, slackStage } from "./slack-stage.ts";
import type { Posted, Stage, Talk } from "./stage.ts";

/** Wednesday, 25 November 2026, eleven in Berlin. */
const wednesday = Date.UTC(2026, 10, 25, 10, 0);
const hour = 3_600_000;

let clock: MovedClock;
beforeAll(async () => {
  clock = await createMovedClock();
  await clock.set(wednesday);
  // The fakes and the bot live in the same time.
  Object.assign(process.env, clock.env);
});
afterAll(async () => {
  for (const name of Object.keys(clock.env)) delete process.env[name];
  await clock.remove();
});

const platformBot = usePlatformBot({
  slack: { seed: colleagueSlack() },
  config: "time_zone: Europe/Berlin\nschedules: { least_minutes: 5 }\n",
});

const stages = new Map<SurfaceName, Stage>();
let model: HonestModel;

beforeAll(async () => {
  const bot: PlatformBot = platformBot();
  await bot.start({ env: { ...clock.env, SLACK_API_URL: `${bot.slack.url}/api/` } });
  stages.set("slack", slackStage(bot.slack));
});
beforeEach(() => {
  model = createHonestModel(platformBot().model);
  teach(model);
});
afterAll(async () => {
  for (const stage of stages.values()) await stage.close();
});

describe.each(["slack"] as const)("what people say to a colleague on %s", (name) => {
  test.each(sentences.map((sentence) => [`${sentence.say} ${sentence.who ?? ""}`, sentence] as const))(
    "%s",
    async (_title, sentence) => {
      const stage = stages.get(name);
      if (stage === undefined) throw new Error(`There is no ${name}.`);
      const effect = sentence.instead?.[name] ?? sentence.effect;
      await stage.prepare(sentence.earlier ?? []);
      const talk = await stage.say(sentence);
      const posted = await followed(talk, effect);
      expect(model.lies).toEqual([]);
      await expectEffect(stage, posted, effect);
      if (effect.later !== undefined) await expectLater(stage, talk, sentence, effect.later);
    },
  );
});

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
        const answers = posted.filter(({ only }) => isPrivate !== true || only !== undefined);
        const missing = says.filter((part) => !part.test(answersOf(answers)));
        const isThere = answers.some(({ text }) => text.trim() !== "" && !/^Working/.test(text));
        return missing.length === 0 && isThere && (asks.length === 0 || asked !== "")
          ? "said"
          : answersOf(posted);
      },
      { timeout: 7_000, interval: 100 },
    )
    .toBe("said");
  for (const part of asks) expect(asked).toMatch(part);
  if (asks.length === 0) expect(asked).toBe("");
  return talk.posted();
}

/** Labels of what allows something once. */
const approvals = ["Approve", "Approve once"];

async function expectEffect(stage: Stage, posted: readonly Posted[], effect: Effect): Promise<void> {
  const { never = [], links = 0, calls, reacts, pins, sends, changes, planned, unplanned } = effect;
  for (const part of never) expect(answersOf(posted)).not.toMatch(part);
  if (effect.private)
    expect(posted.filter(({ only, text }) => only === undefined && text.includes("Since"))).toEqual([]);
  expect((answersOf(posted).match(/\]\(\S+\)|<https?:\S+\|/g) ?? []).length).toBeGreaterThanOrEqual(links);
  if (calls !== undefined)
    expect(posted.flatMap((each) => each.calls)).toEqual(expect.arrayContaining([...calls]));
  if (reacts !== undefined) {
    const { reactions } = await stage.marks();
    expect(reactions.some(({ to, emoji }) => reacts.to.test(to) && emoji === reacts.emoji)).toBe(true);
  }
  if (pins !== undefined) expect((await stage.marks()).pinned.some((text) => pins.test(text))).toBe(true);
  if (sends !== undefined) {
    const there = posted.filter(({ where }) => where === sends.to || where === `dm:${sends.to}`);
    expect(there.some(({ text }) => sends.says.test(text))).toBe(true);
    if (sends.file !== undefined)
      expect(there.some(({ files }) => files.some((file) => sends.file?.test(file)))).toBe(true);
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
  stage: Stage,
  talk: Talk,
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
