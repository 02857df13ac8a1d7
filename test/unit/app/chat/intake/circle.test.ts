import { describe, expect, it } from "vitest";
import type { ShownMessage } from "../../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createIntake, direct, type IntakeFixture } from "./fixture.ts";

/** The message for a purpose that has buttons now; waits for it. */
function shown({ platform }: IntakeFixture, purpose: string): Promise<ShownMessage> {
  return platform.until(() =>
    platform
      .visible()
      .findLast((each) => each.message.tag?.purpose === purpose && (each.message.buttons?.length ?? 0) > 0),
  );
}

/** Presses the button of a message whose id begins like this. */
async function pressOn(fixture: IntakeFixture, message: ShownMessage, action: string, person: string) {
  const button = message.message.buttons?.find(({ id }) => id.startsWith(`${action}:`));
  if (button === undefined) throw new Error(`There is no button ${action}`);
  const { place, reference } = message;
  await fixture.press(button.id, person, { place, reference });
}

describe("what the bot shows and what people press", () => {
  it("buttons that are shown and presses that are understood match for an answer", async () => {
    const fixture = createIntake();
    await fixture.intake.message(fixture.mention("what is new?", { id: "root" }));
    const answer = await shown(fixture, "answer");
    expect(answer.place).toEqual({ namespace: channel, thread: "root" });
    await pressOn(fixture, answer, "good", "ben");
    expect(fixture.told("ben")).toEqual(["Thanks, noted."]);
    await pressOn(fixture, answer, "again", "ada");
    expect(await fixture.asked()).toEqual(["what is new?", "what is new?"]);
    await pressOn(fixture, answer, "forget", "ada");
    await fixture.platform.until(() => (answer.removed ? true : undefined));
    expect(fixture.told("ada")).toEqual([]);
  });

  it("buttons that are shown and presses that are understood match for a question and an approval", async () => {
    const tools = {
      ask: testSkill(
        "paint",
        [
          {
            name: "paint",
            run: (_input, context) => context.ask({ text: "Which?", choices: ["red", "blue"] }),
          },
        ],
        { active: true },
      ),
      wipe: testSkill("wipe", [{ name: "wipe", effect: "side_effect" }], { active: true, risk: "high" }),
    };
    const fixture = createIntake({
      model: scriptedModel([[{ call: "paint" }], [{ call: "wipe" }], "Finished."]),
      skills: Object.values(tools),
    });
    fixture.platform.people.set("root", { trust: "operator" });
    const question = fixture.mention("paint and wipe");
    await fixture.intake.message(question);
    const turnId = await fixture.turnOf(question);
    const asking = await shown(fixture, "question");
    await fixture.until(turnId, "turn_waiting");
    await fixture.press(asking.message.buttons?.[1]?.id ?? "", "ada", { place: asking.place });
    const approval = await shown(fixture, "approval");
    await fixture.until(turnId, "approval_requested");
    await pressOn(fixture, approval, "refuse", "root");
    const events = await fixture.events(turnId);
    expect(events.find((event) => event.type === "question_answered")).toMatchObject({ text: "blue" });
    expect(events.find((event) => event.type === "approval_decided")).toMatchObject({ approved: false });
    expect([...fixture.told("ada"), ...fixture.told("root")]).toEqual([]);
  });

  it("private texts in a channel stay with their asker", async () => {
    const fixture = createIntake();
    await fixture.intake.message(fixture.mention("help"));
    const help = await fixture.platform.until(() =>
      fixture.platform.shown.find((each) => each.message.markdown.includes("/skill enable")),
    );
    expect(help.only_for).toBe("ada");
  });

  it("a deleted direct message leaves nothing behind", async () => {
    const fixture = createIntake();
    const question = fixture.message(...direct("what is new?"));
    await fixture.intake.message(question);
    const answer = await shown(fixture, "answer");
    await fixture.events(await fixture.turnOf(question));
    await fixture.intake.removed(question);
    await fixture.platform.until(() => (answer.removed ? true : undefined));
    await expect.poll(async () => fixture.asked(question.place.namespace)).toEqual([""]);
    expect(fixture.platform.visible()).toEqual([]);
  });
});
