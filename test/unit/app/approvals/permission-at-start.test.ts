import { expect, it } from "vitest";
import type { App } from "../../../../src/app/app.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

/** A bot with a skill `slow`, which blocks `used` and then invokes it, and with a skill `used`. */
function blockingBot(calls: readonly string[], invokes: boolean) {
  const ran: string[] = [];
  let app: App | undefined;
  const slow = testSkill(
    "slow",
    [
      {
        name: "slow",
        effect: "side_effect",
        async run(_input, context) {
          await app?.run("skill.set", {
            input: { ns: home.namespace, id: "used", state: "blocked" },
            asker: { by: ada, namespace: home.namespace },
          });
          return invokes ? await context.invoke("used", {}) : "slow done";
        },
      },
    ],
    { active: true },
  );
  const run = () => {
    ran.push("used");
    return "used";
  };
  const used = testSkill("used", [{ name: "used", effect: "side_effect", run }], { active: true });
  const model = scriptedModel([calls.map((call) => ({ call })), "Done."]);
  const bot = createTestApp(model, { skills: [slow, used], limits: { max_concurrent: 1 } });
  app = bot.app;
  return { ...bot, ran, results: () => toolResults(model.requests.at(-1)?.messages ?? []) };
}

it("a skill blocked while a call before it runs does not run, although the model asked for both at once [asks-11, turn-3]", async () => {
  const bot = blockingBot(["slow", "used"], false);
  await bot.ask("go");
  expect(bot.ran).toEqual([]);
  expect(bot.results()).toEqual(["slow done", expect.stringContaining("not found")]);
});

it("a skill blocked while another one runs is not invoked by it either", async () => {
  const bot = blockingBot(["slow"], true);
  await bot.ask("go");
  expect(bot.ran).toEqual([]);
  expect(bot.results()).toEqual([expect.stringContaining("not_usable")]);
});
