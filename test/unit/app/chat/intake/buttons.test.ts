import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { ModelError } from "../../../../../src/core/ports/model.ts";
import { updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createGate, createIntake, type IntakeFixture } from "./fixture.ts";

/** The turn of a question that is answered already. */
async function answered(fixture: IntakeFixture, text = "what is new?"): Promise<string> {
  const question = fixture.mention(text, { id: "root" });
  await fixture.intake.message(question);
  const turnId = await fixture.turnOf(question);
  await fixture.events(turnId);
  return turnId;
}

/** A bot that asks which colour, and answers with it. */
function createAsking() {
  const skill = testSkill(
    "paint",
    [{ name: "paint", run: (_input, context) => context.ask({ text: "Which?", choices: ["red", "blue"] }) }],
    { active: true },
  );
  const model = scriptedModel([[{ call: "paint" }], "Painted."]);
  return createIntake({ model, skills: [skill] });
}

describe("buttons that are none", () => {
  it.each([
    "",
    "stop",
    "stop:",
    "stop:a b",
    "stop:../../etc",
    "details:__proto__",
    "answer:00000000-0000-0000-0000-000000000000:x",
    "approve:00000000-0000-0000-0000-000000000000",
    "wanted:'; drop table turns",
    "again:00000000-0000-0000-0000-000000000000",
    "approve:00000000-0000-0000-0000-000000000000:1",
    "answer:00000000-0000-0000-0000-000000000000:0",
    "wanted:00000000-0000-0000-0000-000000000000",
    `stop:${"x".repeat(10_000)}`,
  ])("an invalid button says so and does nothing: %s", async (button) => {
    const { press, told, errors, asked } = createIntake();
    await press(button, "ada");
    expect(told("ada")).toEqual([expect.stringMatching(/no longer works|closed/)]);
    expect(errors).toEqual([]);
    expect(await asked()).toEqual([]);
  });

  it("buttons do not reach turns of other channels", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    const place = { namespace: "fake:team:dm-ada", thread: "dm" };
    for (const action of ["details", "again", "forget", "good"])
      await fixture.press(`${action}:${turnId}`, "ada", { place });
    expect(fixture.told("ada")).toEqual(Array(4).fill(expect.stringContaining("no longer works")));
    expect((await fixture.app.turn(turnId))?.text).toBe("what is new?");
  });
});

describe("who may press", () => {
  it.each(["stop", "again", "continue", "forget"])(
    "the button %s may be pressed by the asker and managers, and nobody else",
    async (action) => {
      const { gate, open } = createGate();
      const fixture = createIntake({ model: scriptedModel(["Done."], { gate }) });
      const question = fixture.mention("what is new?");
      await fixture.intake.message(question);
      const turnId = await fixture.turnOf(question);
      await fixture.until(turnId, "turn_started");
      await fixture.press(`${action}:${turnId}`, "ben");
      expect(fixture.told("ben")).toEqual([expect.stringContaining("Only ada")]);
      expect(await fixture.asked()).toEqual(["what is new?"]);
      expect((await fixture.app.turn(turnId))?.status).toBe("running");
      open();
      await fixture.events(turnId);
    },
  );

  it("somebody who cannot be looked up can press again", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    fixture.platform.fail("person", new PlatformError("unavailable", "Slack is down."));
    await fixture.press(`good:${turnId}`, "ada");
    expect(fixture.told("ada")).toEqual(["That did not work: Slack is down. Press again in a moment."]);
    expect(await fixture.store.get(`feedback:${turnId}`)).toBeUndefined();
  });

  it("a press that fails for another reason says which", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    fixture.app.run = async () => {
      throw new PlatformError("unavailable", "Slack is down.");
    };
    await fixture.press(`stop:${turnId}`, "ada");
    expect(fixture.told("ada")).toEqual(["That did not work: Slack is down. Press again in a moment."]);
  });

  it("nobody without access to the bot may press", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    fixture.platform.people.set("guest", { standing: "guest" });
    await fixture.press(`good:${turnId}`, "guest");
    expect(fixture.told("guest")).toEqual([expect.stringContaining("guests")]);
    expect(await fixture.store.get(`feedback:${turnId}`)).toBeUndefined();
  });

  it("a question may be answered by its asker only, even where somebody manages the channel", async () => {
    const fixture = createAsking();
    const question = fixture.mention("paint");
    await fixture.intake.message(question);
    const turnId = await fixture.turnOf(question);
    await fixture.until(turnId, "turn_waiting");
    fixture.platform.people.set("cleo", { trust: "manager" });
    await fixture.press(`answer:${turnId}:0`, "cleo");
    expect(fixture.told("cleo")).toEqual(["This question is for ada."]);
    await fixture.press(`answer:${turnId}:7`, "ada");
    await fixture.press(`answer:${turnId}:1`, "ada");
    const events = await fixture.events(turnId);
    expect(events.find((event) => event.type === "question_answered")).toMatchObject({
      text: "blue",
      by: "ada",
    });
    await fixture.press(`answer:${turnId}:0`, "ada");
    expect(fixture.told("ada")).toEqual(Array(2).fill(expect.stringContaining("question is closed")));
  });

  it("a question cannot be answered after its time", async () => {
    const fixture = createAsking();
    const question = fixture.mention("paint");
    await fixture.intake.message(question);
    const turnId = await fixture.turnOf(question);
    await fixture.until(turnId, "turn_waiting");
    fixture.pass(61_000);
    await fixture.press(`answer:${turnId}:1`, "ada");
    expect(fixture.told("ada")).toEqual([expect.stringContaining("question is closed")]);
    expect(await fixture.log.signals(turnId)).toEqual([]);
  });

  it("an approval may be decided by people who are trusted enough [access-6]", async () => {
    const ran: unknown[] = [];
    const tool = {
      name: "wipe",
      effect: "side_effect" as const,
      run: (input: unknown) => String(ran.push(input)),
    };
    const skill = testSkill("wipe", [tool], { active: true, risk: "high" });
    const fixture = createIntake({ model: scriptedModel([[{ call: "wipe" }], "Wiped."]), skills: [skill] });
    fixture.platform.people.set("root", { trust: "operator" });
    const question = fixture.mention("wipe it");
    await fixture.intake.message(question);
    const turnId = await fixture.turnOf(question);
    const { approval_id } = await fixture.until(turnId, "approval_requested");
    await fixture.until(turnId, "turn_waiting");
    await fixture.press(`approve:${approval_id}`, "ada");
    expect(fixture.told("ada")).toEqual([expect.stringContaining("operator")]);
    await fixture.press(`approve:${approval_id}`, "root");
    await fixture.events(turnId);
    await fixture.press(`refuse:${approval_id}`, "root");
    expect(fixture.told("root")).toEqual([expect.stringContaining("already been decided")]);
    expect(ran).toHaveLength(1);
  });
});

describe("buttons of an answer", () => {
  it("the stop button stops a running turn, and says when there is nothing to stop", async () => {
    const { gate } = createGate();
    const fixture = createIntake({ model: scriptedModel(["Done."], { gate }) });
    const question = fixture.mention("think");
    await fixture.intake.message(question);
    const turnId = await fixture.turnOf(question);
    await fixture.until(turnId, "turn_started");
    await fixture.press(`stop:${turnId}`, "ada");
    expect((await fixture.events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
    await fixture.press(`stop:${turnId}`, "ada");
    expect(fixture.told("ada")).toEqual([expect.stringContaining("already ended")]);
  });

  it("the button for another try runs in the same thread, once however often it is pressed meanwhile, and again afterwards", async () => {
    const { gate, open } = createGate();
    const fixture = createIntake({
      model: scriptedModel(["Done."], { gate: async (_, round) => (round === 2 ? gate() : undefined) }),
    });
    const turnId = await answered(fixture);
    const again = (id: string) => fixture.press(`again:${turnId}`, "ada", { id });
    await Promise.all(["p1", "p1", "p2"].map(again));
    await again("p3");
    const turns = await fixture.app.turns({ namespace: channel });
    expect(turns.map(({ text, thread }) => [text, thread])).toEqual(Array(2).fill(["what is new?", "root"]));
    expect(new Set(fixture.told("ada"))).toEqual(new Set(["This is already in progress."]));
    open();
    await fixture.events(turns[0]?.turn_id ?? "");
    await again("p4");
    expect(await fixture.app.turns({ namespace: channel })).toHaveLength(3);
  });

  it.each([
    ["again", "operator"],
    ["continue", "manager"],
  ] as const)(
    "the button %s gives what somebody else asked no rights of the %s who presses",
    async (action, trust) => {
      const fixture = createIntake();
      const turnId = await answered(fixture);
      fixture.platform.people.set("cleo", { trust });
      fixture.platform.people.set("ada", { trust: "operator" });
      await fixture.press(`${action}:${turnId}`, "cleo");
      const [begun] = await fixture.app.turns({ namespace: channel });
      await fixture.events(begun?.turn_id ?? "");
      await fixture.press(`again:${turnId}`, "ada");
      const turns = await fixture.app.turns({ namespace: channel });
      expect(turns.map(({ author }) => [author.id, author.trust])).toEqual([
        ["ada", "operator"],
        ["cleo", "member"],
        ["ada", "member"],
      ]);
    },
  );

  it("the answer of Try again takes the place of the earlier one, which then points to it", async () => {
    const model = scriptedModel([[{ call: "look" }], `One. ${"long ".repeat(800)}`, "Two."]);
    const skills = [testSkill("look", [{ name: "look" }], { active: true })];
    const fixture = createIntake({ model, skills });
    const answers = () =>
      fixture.platform
        .visible()
        .filter(({ message }) => message.tag?.purpose === "answer")
        .map(({ message }) => message.markdown);
    const turnId = await answered(fixture);
    expect(answers().length).toBeGreaterThan(1);
    await fixture.press(`again:${turnId}`, "ada", { id: "p1" });
    await expect.poll(answers).toEqual(["*Asked again: the new answer is below.*", "Two."]);
    const [pointer] = fixture.platform.visible();
    expect(pointer?.message.buttons).toEqual([{ id: `details:${turnId}`, label: "Details" }]);
  });

  it("an answer stays if the question cannot be answered again, or its message cannot be changed", async () => {
    const model = scriptedModel(["One.", new ModelError("unauthorized", "m/x: the key is wrong."), "Three."]);
    const fixture = createIntake({ model });
    const turnId = await answered(fixture);
    const texts = () => fixture.platform.visible().map(({ message }) => message.markdown);
    await fixture.press(`again:${turnId}`, "ada", { id: "p1" });
    await expect.poll(texts).toEqual(["One.", expect.stringContaining("key")]);
    fixture.platform.fail("edit", new PlatformError("gone", "It is gone."));
    await fixture.press(`again:${turnId}`, "ada", { id: "p2" });
    await expect.poll(texts).toEqual(["One.", expect.stringContaining("key"), "Three."]);
  });

  it("the continue button continues a turn once after a limit", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    await fixture.press(`continue:${turnId}`, "ada");
    await fixture.press(`continue:${turnId}`, "ada");
    expect(await fixture.asked()).toEqual(["what is new?", "continue"]);
  });

  it("the buttons of an answer start nothing in a paused channel", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    await updateNamespace(fixture.store, channel, ({ settings }) => {
      settings.paused = { by: "cleo", at: 1 };
    });
    await fixture.press(`again:${turnId}`, "ada");
    expect(await fixture.asked()).toEqual(["what is new?"]);
    expect(fixture.told("ada")).toEqual([expect.stringContaining("paused")]);
  });

  it("the feedback buttons count each person once and let them change their mind", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    for (const [verdict, person] of [
      ["good", "ada"],
      ["good", "ada"],
      ["bad", "ben"],
      ["bad", "ada"],
    ])
      await fixture.press(`${verdict}:${turnId}`, person ?? "");
    expect(await fixture.store.get(`feedback:${turnId}`)).toEqual({ ada: "bad", ben: "bad" });
    expect(fixture.told("ada")).toEqual([
      "Thanks, noted.",
      expect.stringContaining("already"),
      expect.stringContaining("what was wrong"),
    ]);
  });

  it("the forget button deletes the answer with its messages for everybody", async () => {
    const fixture = createIntake();
    const turnId = await answered(fixture);
    await fixture.press(`forget:${turnId}`, "ada");
    await expect.poll(async () => (await fixture.app.turn(turnId))?.text).toBe("");
    const posted = fixture.platform.visible().filter((each) => each.message.tag?.turn_id === turnId);
    expect(posted).toEqual([]);
    await fixture.press(`again:${turnId}`, "ada");
    expect(fixture.told("ada")).toEqual([expect.stringContaining("deleted")]);
  });

  it("the details button shows the steps with input and output, within what fits into a message", async () => {
    const pages = Array.from({ length: 30 }, (_each, at) => ({
      url: `https://a.example/${at}/${"x".repeat(200)}`,
    }));
    const run = () => ({ text: `\`\`\`\n${"long ".repeat(2_000)}`, pages });
    const skill = testSkill("look", [{ name: "look", run }], { active: true });
    const calls = Array.from({ length: 30 }, (_each, index) => ({
      call: "look",
      with: { text: `item ${index}` },
    }));
    const fixture = createIntake({ model: scriptedModel([calls, "Seen."]), skills: [skill] });
    const turnId = await answered(fixture);
    await fixture.press(`details:${turnId}`, "ada");
    const [details = ""] = fixture.told("ada");
    expect(details).toMatch(/^- Sources: (\[[^\]]+\]\([^)]+\)(, | …\n))+/);
    expect(details).toContain("text: item 0");
    expect(details).not.toMatch(/[{}"]/);
    expect(details).toContain("long long");
    expect(details).toMatch(/and \d+ more/);
    expect(details.length).toBeLessThanOrEqual(fixture.platform.limits.message_characters);
    const steps = details.match(/^\*\*\d+\. /gm) ?? [];
    expect(details.match(/```/g)).toHaveLength(4 * steps.length);
  });

  it("the details button shows everybody the receipt, and the steps only those who see the whole turn", async () => {
    const skill = testSkill("look", [{ name: "look" }], { active: true });
    const fixture = createIntake({
      model: scriptedModel([[{ call: "look", with: { text: "the words" } }], "Seen."]),
      skills: [skill],
    });
    const turnId = await answered(fixture);
    for (const person of ["ada", "ben"]) await fixture.press(`details:${turnId}`, person);
    const receipt = /^- Tools: look\n- Models: /;
    expect(fixture.told("ada")).toEqual([expect.stringMatching(receipt)]);
    expect(fixture.told("ada")[0]).toContain("the words");
    expect(fixture.told("ben")).toEqual([expect.stringMatching(receipt)]);
    expect(fixture.told("ben")[0]).not.toContain("the words");
  });
});
