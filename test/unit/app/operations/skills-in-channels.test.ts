import { describe, expect, it } from "vitest";
import { readNamespace } from "../../../../src/core/skill/namespace-state.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

const general = "console:local:general";
const random = "console:local:random";
const activate = (skill_name: string) => [{ call: "activate_skill", with: { skill_name } }];
const offload = (skill_name: string) => [{ call: "offload_skill", with: { skill_name } }];
const echo = testSkill("echo", [{ name: "echo" }]);

describe("skills in a channel", () => {
  it("skills enabled in one channel are not seen in another", async () => {
    const model = scriptedModel(["ok"]);
    const { ask } = createTestApp(model, { skills: [echo] });
    await ask("/skill enable echo", { namespace: general });
    await ask("hi", { namespace: general });
    await ask("hi", { namespace: random });
    expect(model.requests.map((request) => request.tools.some((tool) => tool.name === "echo"))).toEqual([
      true,
      false,
    ]);
    expect(model.requests[0]?.system).toContain('<skill_guide skill="echo">');
    expect(model.requests[1]?.system).not.toContain("skill_guide");
  });

  it("skills that the agent activates stay active in later turns of the thread, and nowhere else", async () => {
    const model = scriptedModel([activate("echo"), "ok"]);
    const { ask, app } = createTestApp(model, { skills: [echo] });
    await ask("hi");
    await ask("hi again");
    await ask("hi there", { thread: "t2" });
    await ask("hi everywhere", { namespace: random });
    const offered = model.requests.map(({ tools }) => tools.some(({ name }) => name === "echo"));
    expect(offered).toEqual([false, true, true, false, false]);
    const states = await Promise.all(
      [general, random].map(async (ns) => (await app.skills.list(ns)).skills[0]?.state),
    );
    expect(states).toEqual(["available", "available"]);
  });

  it("skills enabled by a person cannot be put away by the agent", async () => {
    const model = scriptedModel([offload("echo"), "ok"]);
    const other = testSkill("other", [{ name: "other" }], { active: true });
    const { ask, app } = createTestApp(model, { skills: [echo, other] });
    await ask("/skill enable echo");
    await ask("put it away");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("enabled by a person");
    expect((await app.skills.list(general)).skills[0]?.state).toBe("pinned");
  });

  it.each([
    ["managed", "memory_remember", "shipped"],
    ["workspace", "memory_remember", "shipped"],
    ["managed", "notes_add", "own"],
    ["workspace", "notes_add", "other"],
  ])(
    "a skill of source %s does not get the calls of a more trusted tool by taking the id %s [package-5]",
    async (source, id, ran) => {
      const answering = (text: string) => ({ run: () => text });
      const origin = (from: string) => ({ origin: { source: from, precedence: 3, path: `/skills/${from}` } });
      const skills = [
        testSkill("memory", [{ name: "memory_remember", ...answering("shipped") }]),
        testSkill("notes", [{ name: "notes_add", ...answering("own") }], origin("workspace")),
        testSkill(id, [{ name: "do_other", ...answering("other") }], origin(source)),
      ];
      const model = scriptedModel([[{ call: "invoke_skill", with: { skill_id: id } }], "ok"]);
      await createTestApp(model, { skills }).ask("go");
      expect(JSON.parse(toolResults(model.requests[1]?.messages ?? [])[0] ?? "")).toMatchObject({
        output: ran,
      });
    },
  );

  it("skills disabled by a person cannot be activated, invoked or seen by the agent", async () => {
    const model = scriptedModel([
      [...activate("echo"), { call: "invoke_skill", with: { skill_id: "echo" } }, { call: "list_skills" }],
      "ok",
    ]);
    const other = testSkill("other", [{ name: "other" }]);
    const { ask } = createTestApp(model, { skills: [echo, other] });
    await ask("/skill disable echo");
    await ask("use echo");
    const [activated, invoked, listed] = toolResults(model.requests[1]?.messages ?? []);
    expect(activated).toContain("disabled it in this channel");
    expect(invoked).toContain("It is disabled in this channel");
    expect(JSON.parse(listed ?? "").skills.map((skill: { id: string }) => skill.id)).toEqual(["other"]);
    expect(model.requests[0]?.system).toContain("\n- other(text?): Does other.\n");
    expect(model.requests[0]?.system).not.toContain("echo");
  });

  it("skills disabled while the agent is about to use them do not run", async () => {
    let ran = false;
    const used = testSkill(
      "used",
      [
        {
          name: "used",
          run: () => {
            ran = true;
            return "ran";
          },
        },
      ],
      { active: true },
    );
    const slow = testSkill(
      "slow",
      [
        {
          name: "slow",
          run: async () => {
            await app.run("skill.set", {
              input: { ns: general, id: "used", state: "blocked" },
              asker: { by: ada, namespace: general },
            });
            return "blocked it";
          },
        },
      ],
      { active: true },
    );
    const model = scriptedModel([[{ call: "slow" }], [{ call: "used" }], "ok"]);
    const { ask, app } = createTestApp(model, { skills: [used, slow] });
    await ask("go");
    expect(ran).toBe(false);
    expect(toolResults(model.requests[2]?.messages ?? [])[1]).toMatch(/not found|may not run/);
  });

  it("skills put away are gone from the next model call of the same turn", async () => {
    const model = scriptedModel([activate("echo"), offload("echo"), "ok"]);
    const { ask } = createTestApp(model, { skills: [echo] });
    await ask("go");
    const offered = model.requests.map((request) => request.tools.some((tool) => tool.name === "echo"));
    expect(offered).toEqual([false, true, false]);
    expect(toolResults(model.requests[2]?.messages ?? [])[1]).toBe(
      "skill echo offloaded, current skills: []",
    );
  });

  it("activating skills is answered in the sources' words", async () => {
    const model = scriptedModel([
      activate("echo"),
      activate("echo"),
      activate("nope"),
      offload("nope"),
      "ok",
    ]);
    const { ask } = createTestApp(model, { skills: [echo, testSkill("more", [{ name: "more" }])] });
    await ask("go");
    const [first, again, unknown, missing] = toolResults(model.requests[4]?.messages ?? []);
    expect(first).toContain("skill echo activated, current skills: [echo]");
    expect(again).toBe("skill echo already activated, current skills: [echo]");
    expect(unknown).toContain("skill not found");
    expect(missing).toContain("skill nope not found, current skills: [echo]");
  });

  it("skills invoked once answer with id, output and success, or with what was expected", async () => {
    const strict = testSkill("strict", [
      {
        name: "strict",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        validate: (input) =>
          "text" in (input as object)
            ? { ok: true, value: input as never }
            : { ok: false, message: "text is missing" },
      },
    ]);
    const model = scriptedModel([
      [
        { call: "invoke_skill", with: { skill_id: "strict", params: { text: "hi" } } },
        { call: "invoke_skill", with: { skill_id: "strict", params: { other: 1 } } },
        { call: "invoke_skill", with: { skill_id: "nope" } },
      ],
      "ok",
    ]);
    const { ask } = createTestApp(model, { skills: [strict] });
    await ask("go");
    const results = toolResults(model.requests[1]?.messages ?? []).map((text) => JSON.parse(text));
    expect(results[0]).toEqual({ skill_id: "strict", output: { text: "hi" }, success: true });
    expect(results[1]).toMatchObject({
      error: "Invalid parameters: text is missing",
      expected_parameters: [{ name: "text", required: true }],
    });
    expect(results[2]).toMatchObject({ error: "Skill not found" });
  });

  it("a skill invoked without the parameters that it needs answers them, and does not run", async () => {
    const strict = testSkill("strict", [
      {
        name: "strict",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
    ]);
    const model = scriptedModel([[{ call: "invoke_skill", with: { skill_id: "strict" } }], "ok"]);
    const { events } = await createTestApp(model, { skills: [strict] }).ask("go");
    expect(toolResults(model.requests[1]?.messages ?? []).map((text) => JSON.parse(text))).toEqual([
      {
        skill_id: "strict",
        expected_parameters: [{ name: "text", type: "string", description: "", required: true }],
      },
    ]);
    expect(events.filter(({ type }) => type === "tool_started")).toHaveLength(1);
  });

  it("skill settings lose nothing when many people change them at once", async () => {
    const skills = Array.from({ length: 20 }, (_, i) => testSkill(`s${i}`, [{ name: `s${i}` }]));
    const { ask, store } = createTestApp(scriptedModel(["ok"]), { skills });
    await Promise.all(
      skills.flatMap((skill) => [
        ask(`/skill enable ${skill.id}`, { thread: "a" }),
        ask(`/skill enable ${skill.id}`, { thread: "b" }),
      ]),
    );
    expect(Object.keys((await readNamespace(store, general)).pinned)).toHaveLength(20);
  });

  it("skills are enabled by managers only, and by everybody in their own direct message", async () => {
    const { ask } = createTestApp(scriptedModel(["ok"]), { skills: [echo] });
    const refused = await ask("/skill enable echo", { by: ben });
    expect(refused.end).toMatchObject({ outcome: "failed", text: expect.stringContaining("Only managers") });
    const own = await ask("/skill enable echo", { by: ben, namespace: "console:local:dm-ben" });
    expect(own.end.outcome).toBe("completed");
  });

  it("skills outside a channel's limit are not eligible there, with the reason", async () => {
    const model = scriptedModel([activate("other"), "ok"]);
    const { ask, app } = createTestApp(model, { skills: [echo, testSkill("other", [{ name: "other" }])] });
    await ask("/skill only echo");
    await ask("use the other");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("list of allowed skills");
    const { skills } = await app.skills.list(general);
    expect(skills.map((skill) => [skill.id, skill.eligible])).toEqual([
      ["echo", true],
      ["other", false],
    ]);
    await ask("/skill only all");
    expect((await app.skills.list(general)).skills.every((skill) => skill.eligible)).toBe(true);
  });

  it("skills that need enabling are not offered until a person enables them", async () => {
    const model = scriptedModel(["ok"]);
    const { ask } = createTestApp(model, { skills: [echo], optIn: ["echo"] });
    await ask("hi");
    await ask("/skill enable echo");
    await ask("hi");
    expect(model.requests[0]?.system).not.toContain("echo");
    expect(model.requests[1]?.tools.map((tool) => tool.name)).toContain("echo");
  });

  it("changed skills are seen by the next turn, while a running turn keeps its own", async () => {
    const source = testSource([echo]);
    const changed = testSkill("echo", [{ name: "echo" }], { instructions: "New guide.", hash: "new" });
    const model = scriptedModel([activate("echo"), "ok", "ok"], {
      gate: async (_request, round) => {
        if (round === 1) source.skills = [changed];
      },
    });
    const { ask } = createTestApp(model, { sources: [source] });
    await ask("go");
    await ask("go on");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("Guide of echo.");
    expect(model.requests[2]?.system).toContain("New guide.");
  });

  it("skills of a failing source do not hide the others", async () => {
    const broken = { id: "broken", load: () => Promise.reject(new Error("disk on fire")) };
    const { app } = createTestApp(scriptedModel(["ok"]), { sources: [broken, testSource([echo])] });
    const { skills, diagnostics } = await app.skills.list(general);
    expect(skills.map((skill) => skill.id)).toEqual(["echo"]);
    expect(diagnostics).toMatchObject([
      { severity: "error", code: "source_failed", message: expect.stringContaining("disk on fire") },
    ]);
  });

  it("skills replace those of lower precedence as a whole, and the shadowed ones are reported", async () => {
    const own = testSkill("echo", [{ name: "mine" }], {
      description: "Mine.",
      origin: { source: "workspace", precedence: 4, path: "/w/echo" },
    });
    const { app } = createTestApp(scriptedModel(["ok"]), {
      sources: [testSource([own]), testSource([echo])],
    });
    const { skills, diagnostics } = await app.skills.list(general);
    expect(skills).toMatchObject([{ id: "echo", description: "Mine.", source: "workspace" }]);
    expect(diagnostics).toMatchObject([{ code: "shadowed", path: "/skills/echo" }]);
  });

  it("skills that shadow an enabled one do not inherit its pin", async () => {
    const source = testSource([echo]);
    const { ask, app } = createTestApp(scriptedModel(["ok"]), { sources: [source] });
    await ask("/skill enable echo");
    source.skills = [
      testSkill("echo", [{ name: "echo" }], {
        origin: { source: "workspace", precedence: 4, path: "/w/echo" },
      }),
    ];
    expect((await app.skills.list(general)).skills[0]?.state).toBe("available");
  });
});
