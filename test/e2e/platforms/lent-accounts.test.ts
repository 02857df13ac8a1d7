import { describe, expect, it } from "vitest";
import type { ServerTool } from "../../../src/core/skill/tool.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { colleagueDiscord, discordStage } from "../colleague/discord-stage.ts";
import { colleagueSlack, slackStage } from "../colleague/slack-stage.ts";
import type { Stage, Talk } from "../colleague/stage.ts";
import { discordBot, fakeDiscord } from "../support/discord-bot.ts";
import { fakeSlack, slackBot } from "../support/slack-bot.ts";

const bens = { slack: "U0BEN1", discord: "1000000000000000502" };

/** A tool server at which only Ben has an account. */
function crm(name: keyof typeof bens) {
  const used: string[] = [];
  const server: ServerTool = {
    server: "crm",
    tool: "close_deal",
    definition: "d",
    own: true,
    hints: {},
    configured: { approver: "none" },
    credentials: "per_user",
    host: "crm.example",
  };
  const tool = {
    name: "crm__close_deal",
    effect: "side_effect",
    server,
    isConnected: async (person: string) => person.endsWith(`:${bens[name]}`),
    run: (_input: unknown, context: { lender?: string | undefined }) => {
      used.push(context.lender ?? "own");
      return "The deal is closed.";
    },
  } as const;
  return { skill: testSkill("mcp_crm", [tool], { active: true, kind: "mcp" }), used };
}

const lines = [
  [{ call: "crm__close_deal", with: { deal: "Acme", amount: 12_000 } }],
  "Closed: Acme, with Ben's account.",
];

/** `refuse`: the platform's fake refuses the next direct message. */
async function begin(name: keyof typeof bens) {
  const { skill, used } = crm(name);
  const model = scriptedModel(lines);
  const options = { skills: [skill], chat: { progress_delay_ms: 60_000 } };
  if (name === "slack") {
    const slack = await fakeSlack({ seed: colleagueSlack() });
    await slackBot(slack, model, options);
    const refuse = () => slack.fail({ method: "conversations.open", error: "internal_error" });
    return { stage: slackStage(slack), used, refuse };
  }
  const discord = await fakeDiscord(colleagueDiscord());
  await discordBot(discord, model, options);
  const refuse = () => discord.fail({ route: "POST /users/@me/channels", status: 403, code: 50013 });
  return { stage: await discordStage(discord), used, refuse };
}

const posted = (talk: Talk, where: string) =>
  expect.poll(async () => (await talk.posted()).filter((each) => each.where === where), { timeout: 15_000 });

const question = { say: "close the Acme deal with the account of @ben", effect: {} };
/** What is pressed in it is pressed by Ben. */
const asBen = (stage: Stage, direct?: true) =>
  stage.say({ say: "/agent usage", who: "ben", ...(direct && { direct }), effect: {} });

describe.each(["slack", "discord"] as const)("an account that its owner lends on %s", (name) => {
  it("the owner decides in a direct message, and both read what was decided", async () => {
    const { stage, used } = await begin(name);
    const ben = await asBen(stage, true);
    const talk = await stage.say(question);
    await posted(talk, "dm:ben").toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining("May I use your account at"),
        buttons: ["Accept once", "Refuse", "For this answer", "Details"],
      }),
    );
    await ben.press("For this answer");
    await posted(talk, "general").toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("Closed: Acme") }),
    );
    for (const where of ["general", "dm:ben"])
      await posted(talk, where).toContainEqual(
        expect.objectContaining({ text: expect.stringMatching(/approved, for this answer/) }),
      );
    expect(used).toEqual([bens[name]]);
  });

  it("a card that cannot be sent keeps nobody from deciding where it was asked", async () => {
    const { stage, used, refuse } = await begin(name);
    const ben = await asBen(stage);
    await refuse();
    const talk = await stage.say(question);
    await posted(talk, "general").toContainEqual(
      expect.objectContaining({ buttons: expect.arrayContaining(["Accept once"]) }),
    );
    await talk.press("Accept once");
    expect(used).toEqual([]);
    await ben.press("Accept once");
    await posted(talk, "general").toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("Closed: Acme") }),
    );
    expect(used).toEqual([bens[name]]);
  });
});
