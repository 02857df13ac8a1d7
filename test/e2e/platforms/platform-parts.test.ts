import { beforeAll, describe, expect, it } from "vitest";
import { type PlatformBot, usePlatformBot } from "../../support/bot/platform-bot.ts";
import { botMessages } from "../../support/bot/platform-discord.ts";
import { expectCleanSlack, finished } from "../support/platform-turns.ts";

const bot = usePlatformBot();

beforeAll(async () => {
  await bot().start();
});

const lines = (count: number) =>
  Array.from({ length: count }, (_, line) => `Line ${line} ${"x".repeat(60)}`).join("\n\n");
const table = [
  "| n | square |",
  "|---|---|",
  ...Array.from({ length: 30 }, (_, n) => `| ${n} | ${n * n} |`),
].join("\n");

describe.each(["slack", "discord"] as const)("a bot that is killed on %s", (name) => {
  it("a bot killed while it posts the third part of an answer posts each part once, in order", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `parts ${name}`;
    const count = name === "slack" ? 400 : 140;
    model.when(text, () => [lines(count)]);
    let posts = 0;
    const posted = surface.gate.loseReply((request) => {
      if (surface.isPost(request)) posts += 1;
      return posts === 3;
    });
    const thread = await surface.ask(text);
    await posted;

    await crash();

    await surface.shows(thread, `Line ${count - 1} `);
    await finished(bot(), surface, thread);
    const shown = (await surface.shown(thread)).join("\n\n");
    const numbers = [...shown.matchAll(/Line (\d+) x/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: count }, (_, line) => line));
  });

  it("a bot killed while it posts an answer with a file shows the file once", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `table ${name}`;
    model.when(text, () => [`Here it is.\n\n${table}\n\nDone.`]);
    const posted = surface.gate.loseReply((request) => surface.isPost(request));
    const thread = await surface.ask(text);
    await posted;

    await crash();

    await surface.shows(thread, "Done.");
    await finished(bot(), surface, thread);
    expect((await surface.shown(thread)).filter((each) => each.includes("Done."))).toHaveLength(1);
    expect(await filesIn(bot(), name, thread)).toHaveLength(1);
  });

  it("a bot killed right after it asked somebody something asks once, and takes the answer", async () => {
    const { surfaces, model, crash } = bot();
    const surface = surfaces[name];
    const text = `book ${name}`;
    model.when(text, ({ results }) =>
      results.length === 0
        ? [{ call: "ask_user", with: { question: "For how many?" } }]
        : [`Booked: ${results.join()}`],
    );
    const asked = surface.gate.loseReply((request) => surface.isPost(request));
    const thread = await surface.ask(text);
    await asked;

    await crash();

    await surface.shows(thread, "For how many?");
    await surface.reply(thread, "for six");
    await surface.shows(thread, "Booked:");
    const shown = await surface.shown(thread);
    expect(shown.filter((each) => each.includes("For how many?"))).toHaveLength(1);
    expect(shown.at(-1)).toContain("for six");
  });
});

it("a file is shown once on Slack when the bot was killed right after showing it", async () => {
  const { surfaces, model, crash } = bot();
  const { slack } = surfaces;
  model.when("shared table", () => [`Here it is.\n\n${table}\n\nDone.`]);
  const shared = slack.gate.loseReply(({ path }) => path === "/api/files.completeUploadExternal");
  const thread = await slack.ask("shared table");
  await shared;

  await crash();

  await finished(bot(), slack, thread);
  expect(await slack.shown(thread)).toHaveLength(1);
  expect(await filesIn(bot(), "slack", thread)).toHaveLength(1);
});

it("a message is answered once when Slack is slow to say who asks, and so delivers again", async () => {
  const { surfaces, slack, model } = bot();
  await slack.delay({ method: "users.info", ms: 3_500 });
  const thread = await surfaces.slack.ask("question slowly", { who: "manager" });
  expect(await surfaces.slack.shown(thread, 1)).toEqual(["Reply to question slowly."]);
  await slack.until(
    (state) => state.deliveries().every((each) => each.acked || each.given_up),
    "acks",
    20_000,
  );
  await finished(bot(), surfaces.slack, thread);
  expect(model.askedOf("slowly")).toHaveLength(1);
  // A killed process may not have set the mark that the next one takes away, or had taken it away already.
  await expectCleanSlack(bot(), "no_reaction");
});

/** Names of the files that people see in a thread. */
async function filesIn({ slack, discord }: PlatformBot, name: "slack" | "discord", thread: string) {
  if (name === "discord")
    return botMessages(await discord.state(), thread).flatMap((message) => message.attachments);
  return (await slack.look()).botMessages("C0GENERAL", thread).flatMap((message) => message.files);
}
