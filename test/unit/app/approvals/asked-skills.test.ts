import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { type Invocation, skillMetadataSchema } from "../../../../src/core/skill/skill.ts";
import { type ScriptedModel, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { runSkillAs } from "../../../support/skills/skill-runs.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp, type TestAppOptions } from "../../../support/test-app.ts";
import { channel, createIntake } from "../chat/intake/fixture.ts";

const guide = (id: string, invocation?: Partial<Invocation>) =>
  testSkill(id, [], {
    origin: { source: "workspace", precedence: 4, path: `/skills/${id}` },
    ...(invocation === undefined ? {} : { invocation: { by_people: true, by_model: true, ...invocation } }),
  });

const echo = testSkill("echo", [{ name: "echo_tool" }]);

function setUp(
  model: ScriptedModel,
  skills: TestAppOptions["skills"] = [guide("poems")],
  more: TestAppOptions = {},
) {
  return createTestApp(model, { ...more, skills });
}

const lastUserText = (request: ModelRequest | undefined) =>
  request?.messages.findLast(({ role }) => role === "user")?.text;

describe("/skill run of a guide", () => {
  it("`/skill run` of a guide is an agent turn with the guide in its prompt and the text as the request", async () => {
    const model = scriptedModel(["A poem."]);
    const app = setUp(model);
    const { events, end } = await app.ask("/skill run poems about the sea");
    expect(end).toMatchObject({ outcome: "completed", text: "A poem." });
    expect(model.requests[0]?.system).toContain("Guide of poems.");
    expect(lastUserText(model.requests[0])).toBe("about the sea");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "skill_activated", skill_id: "poems", by: "ada" }),
    );
  });

  it("a guide counts for its turn only: the next turn is told so and knows what was said", async () => {
    const model = scriptedModel(["A poem.", "Shorter."]);
    const app = setUp(model);
    await app.ask("/skill run poems about the sea");
    await app.ask("make it shorter");
    const [first, second] = model.requests;
    expect(second?.system).toBe(`${first?.system}\n\nNot active any more: poems.`);
    expect(second?.messages.map(({ text }) => text)).toEqual(["about the sea", "A poem.", "make it shorter"]);
  });

  it("`/skill run` of a guide waits in the thread's queue and does not steer the running turn", async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(
      ({ system }) => (system.includes("Guide of poems.") ? "A poem." : [{ call: "list_skills" }]),
      { gate: async (_, round) => (round === 1 ? gate.promise : undefined) },
    );
    const app = setUp(model, [guide("poems"), echo], { limits: { max_rounds: 2 } });
    const first = await app.say("hello");
    const second = await app.say("/skill run poems about the sea");
    gate.resolve();
    expect((await app.events(first)).map(({ type }) => type)).not.toContain("steered");
    expect((await app.events(second)).at(-1)).toMatchObject({ type: "turn_finished", text: "A poem." });
  });

  it("`/skill run` also works for skills that are only configuration, whose tools exist in that turn", async () => {
    const model = scriptedModel(["Done."]);
    const config = { ...guide("deploys"), kind: "config" as const, tool_list: { ci: [] } };
    const server = testSkill("mcp_ci", [{ name: "ci__deploy" }], { kind: "mcp" });
    await setUp(model, [config, server]).ask("/skill run deploys the site");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("ci__deploy");
  });

  it("`/skill run` without a text asks the agent to follow the guide", async () => {
    const model = scriptedModel(["Done."]);
    await setUp(model).ask("/skill run poems");
    expect(lastUserText(model.requests[0])).toContain("Do what the guide of the skill says");
  });

  it("`/skill run` of a guide answers programs with the agent's text", async () => {
    const model = scriptedModel(["A poem."]);
    const { app } = setUp(model);
    const output = await runSkillAs(app, ben, "poems", { text: "about the sea" });
    expect(JSON.stringify(output)).toContain(
      JSON.stringify({ skill_id: "poems", output: "A poem.", success: true }),
    );
    expect(lastUserText(model.requests[0])).toBe("about the sea");
  });

  it.each([
    ["that is unknown", "/skill run proems x", "There is no skill called proems"],
    ["that a person disabled", "/skill run blocked x", "It is disabled in this channel"],
    ["that lacks something", "/skill run lacking x", "no-such-program is not on the PATH"],
    ["that has to be enabled", "/skill run optional x", "/skill enable optional"],
    ["that is not for people", "/skill run internal x", "not for people to run"],
    ["that was installed and never enabled", "/skill run installed x", "/skill enable installed"],
  ])("`/skill run` of a skill %s does nothing and says why", async (_, text, reason) => {
    const model = scriptedModel(["never said"]);
    const requires = skillMetadataSchema.shape.requires.parse({ bins: ["no-such-program"] });
    const skills = [
      ...["blocked", "optional"].map((id) => guide(id)),
      { ...guide("lacking"), requires },
      guide("internal", { by_people: false }),
      testSkill("installed", [], { origin: { source: "managed", precedence: 3, path: "/skills/installed" } }),
    ];
    const app = setUp(model, skills, { optIn: ["optional"] });
    await app.ask("/skill disable blocked");
    const { end } = await app.ask(text);
    expect(end).toMatchObject({ outcome: "failed", text: expect.stringContaining(reason) });
    expect(model.requests).toEqual([]);
  });

  it("`/skill run` of a skill that goes away before its turn says so", async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(["First."], { gate: () => gate.promise });
    const app = setUp(model);
    const first = await app.say("hello");
    const second = await app.say("/skill run poems x");
    await app.ask("/skill disable poems");
    gate.resolve();
    await app.events(first);
    const events = await app.events(second);
    expect(events.at(-1)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("can no longer be used here"),
    });
  });
});

it("a guide given as a slash command runs and is answered on a chat platform", async () => {
  const model = scriptedModel(["A poem."]);
  const { intake, platform } = createIntake({ model, skills: [guide("poems")] });
  const place = { namespace: channel, thread: "command-1" };
  const text = "/skill run poems about the sea";
  await intake.command({ key: "c1", place, id: "c1", author: "ada", text, said_at: Date.now() });
  const shown = await platform.until(() =>
    platform.visible().find(({ message }) => message.markdown === "A poem."),
  );
  expect(shown).toMatchObject({ place, to: { message: "c1" } });
  expect(shown.only_for).toBeUndefined();
  expect(lastUserText(model.requests[0])).toBe("about the sea");
});

describe("a skill kept from the model", () => {
  const hidden = guide("secret-plan", { by_model: false });
  const tool = testSkill("hidden-tool", [{ name: "hidden_tool" }], {
    invocation: { by_people: true, by_model: false },
  });

  it("a skill hidden from the model is in no prompt, no list and no answer of the agent's tools", async () => {
    const model = scriptedModel([
      [
        { call: "list_skills" },
        { call: "activate_skill", with: { skill_name: "secret-plan" } },
        { call: "activate_skill", with: { skill_name: "secret-plam" } },
        { call: "invoke_skill", with: { skill_id: "hidden-tool" } },
      ],
      "Done.",
    ]);
    const app = setUp(model, [hidden, tool, echo]);
    await app.ask("what can you do?");
    const seen = [model.requests[0]?.system, ...toolResults(model.requests[1]?.messages ?? [])].join("\n");
    expect(seen).toContain("echo");
    expect(seen).not.toMatch(/secret-plan|hidden-tool/);
  });

  it("people can run a skill hidden from the model, and can read that they can", async () => {
    const model = scriptedModel(["The plan."]);
    const app = setUp(model, [hidden, tool]);
    expect((await app.ask("/skill info secret-plan")).end.text).toContain("The agent does not see it unless");
    expect((await app.ask("/skill run secret-plan now")).end.text).toBe("The plan.");
    expect(model.requests[0]?.system).toContain("Guide of secret-plan.");
    expect((await app.ask('/skill run hidden-tool {"text": "x"}')).end).toMatchObject({
      outcome: "completed",
    });
  });

  it("a skill hidden from the model becomes the agent's once a person enables it", async () => {
    const model = scriptedModel(["Done."]);
    const app = setUp(model, [hidden]);
    await app.ask("/skill enable secret-plan");
    await app.ask("hello");
    expect(model.requests[0]?.system).toContain("Guide of secret-plan.");
  });
});

describe("a command that is dispatched", () => {
  const said: unknown[] = [];
  const notes = testSkill("notes", [
    {
      name: "notes_tool",
      run: (input) => {
        said.push(input);
        return "noted";
      },
    },
  ]);

  it.each(["notes", "notes_tool"])(
    "a dispatched command passes the model and goes unchanged to the tool or skill %s",
    async (command_tool) => {
      const model = scriptedModel(["never said"]);
      const app = setUp(model, [guide("Quick-Note", { command_tool }), notes]);
      const { end } = await app.ask('/skill run Quick-Note buy  "milk" {now}');
      expect(end).toMatchObject({ outcome: "completed", text: "noted" });
      expect(said.pop()).toEqual({
        command: 'buy  "milk" {now}',
        commandName: "quick_note",
        skillName: "Quick-Note",
      });
      expect(model.requests).toEqual([]);
    },
  );

  it("a dispatched command says so when its tool does not exist", async () => {
    const app = setUp(scriptedModel(["never said"]), [guide("quick-note", { command_tool: "missing" })]);
    expect((await app.ask("/skill run quick-note x")).end).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("Skill not found"),
    });
  });
});

it("a skill named as $skill in a message is active in its turn, and other words with a dollar are text", async () => {
  const model = scriptedModel(["Done."]);
  const app = setUp(model, [guide("poems"), guide("private", { by_people: false })]);
  await app.ask("Use $poems. It costs $5 in $HOME, and $private too");
  expect(model.requests[0]?.system).toContain("Guide of poems.");
  expect(model.requests[0]?.system).not.toContain("Guide of private.");
  expect(lastUserText(model.requests[0])).toBe("Use $poems. It costs $5 in $HOME, and $private too");
});
