import { describe, expect, it } from "vitest";
import type { TurnEventOf } from "../../../../src/core/log/turn-event.ts";
import type { ApprovalRules, Author } from "../../../../src/core/values/inbound.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

/** A bot whose model sends once, under these rules. */
function createBot(approvals: ApprovalRules, effect: "side_effect" | "read_only" = "side_effect") {
  const ran: unknown[] = [];
  const run = (input: unknown) => {
    ran.push(input);
    return "sent";
  };
  const mail = testSkill("mail", [{ name: "send", effect, run }], { active: true });
  const model = scriptedModel([[{ call: "send", with: { text: "hi" } }], "Done."]);
  return { ...createTestApp(model, { skills: [mail], approvals }), ran };
}

const started = (events: readonly { type: string }[]) =>
  events.find(({ type }) => type === "tool_started") as TurnEventOf<"tool_started">;

describe("an operator's own rule for approvals", () => {
  it.each(["send", "mail"])("a rule has calls of what it names approved: %s", async (name) => {
    const bot = createBot({ [name]: { approver: "manager", shadow: false } });
    const turnId = await bot.say("send it", { by: ben });
    const asked = await bot.until(turnId, "approval_requested");
    expect(asked).toMatchObject({
      approver: "manager",
      reason: `The bot's configuration requires approval for ${name} (skills.approvals).`,
    });
    expect(bot.ran).toEqual([]);
    await approve(bot.app, asked.approval_id, true, ada);
    await bot.events(turnId);
    expect(bot.ran).toHaveLength(1);
  });

  it("a rule in trial asks nobody, and notes who would have been asked", async () => {
    const bot = createBot({ send: { approver: "manager", shadow: true } });
    const { turnId, events } = await bot.ask("send it", { by: ben });
    expect(events.some(({ type }) => type === "approval_requested")).toBe(false);
    expect(bot.ran).toHaveLength(1);
    expect(started(events).shadow).toEqual(["send: manager"]);
    const asker = { by: ada, namespace: home.namespace };
    const receipt = await bot.app.run("turn.receipt", { input: { id: turnId }, asker });
    expect(receipt).toMatchObject({ value: { effects: [{ shadow: ["send: manager"] }] } });
    expect(receipt.ok && receipt.value.text).toContain("a rule in trial would have asked (send: manager)");
  });

  it.each<[string, ApprovalRules, Author, "side_effect" | "read_only", string[] | undefined]>([
    ["another tool", { other: { approver: "manager", shadow: true } }, ben, "side_effect", undefined],
    [
      "a call that only reads",
      { send: { approver: "asker", shadow: true } },
      ben,
      "read_only",
      ["send: asker"],
    ],
    [
      "several rules",
      { send: { approver: "asker", shadow: true }, mail: { approver: "operator", shadow: true } },
      ben,
      "side_effect",
      ["send: asker", "mail: operator"],
    ],
  ])("a rule in trial about %s", async (_what, rules, by, effect, shadow) => {
    const { events } = await createBot(rules, effect).ask("send it", { by });
    expect(started(events).shadow).toEqual(shadow);
  });

  it("a rule in trial notes nothing where a stricter rule in force asks anyway", async () => {
    const bot = createBot({
      send: { approver: "asker", shadow: true },
      mail: { approver: "manager", shadow: false },
    });
    const turnId = await bot.say("send it", { by: ben });
    await approve(bot.app, (await bot.until(turnId, "approval_requested")).approval_id, true, ada);
    expect(started(await bot.events(turnId)).shadow).toBeUndefined();
  });
});
