import { beforeAll, expect, test } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { ids } from "../../support/discord/example-world.ts";

const bot = usePlatformBot({ config: `access:\n  users: ["U0ANNA", "${ids.mia}"]\n` });
beforeAll(async () => {
  await bot().start();
});

test("somebody who may not use the bot is not told on Slack what skills there are", async () => {
  const { slack } = bot();
  await slack.openHome({ user: "U0ANNA" });
  const allowed = await slack.until((state) => state.home("U0ANNA"), "the home");
  expect(JSON.stringify(allowed.blocks)).toContain("text-analyzer");

  await slack.openHome({ user: "U0BEN" });
  const refused = await slack.until((state) => state.home("U0BEN"), "the home");
  expect(JSON.stringify(refused.blocks)).toContain("Only some people");
  expect(JSON.stringify(refused.blocks)).not.toContain("text-analyzer");
});

test("somebody who may not use the bot is not told on Discord either, by completion or by a form", async () => {
  const { discord } = bot();
  const type = (user: string) =>
    discord.autocomplete({
      user,
      channel: ids.general,
      name: "skill",
      subcommand: "run",
      options: { skill: "text" },
      focused: "skill",
    });
  const allowed = await (await type(ids.mia)).until(({ choices }) => choices !== null);
  expect(allowed.choices?.map(({ value }) => value)).toContain("text-analyzer");
  const refused = await (await type(ids.adam)).until(({ choices }) => choices !== null);
  expect(refused.choices).toEqual([]);

  const run = await discord.command({
    user: ids.adam,
    channel: ids.general,
    name: "skill",
    subcommand: "run",
    options: { skill: "text-analyzer" },
  });
  const told = await run.until(({ modal, followups, original }) =>
    Boolean(modal ?? followups[0] ?? original?.content),
  );
  expect(told.modal ?? null).toBeNull();
  expect((told.followups[0] ?? told.original)?.content).toContain("Only some people");
});
