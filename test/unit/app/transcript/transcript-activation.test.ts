import { describe, expect, it } from "vitest";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { expectPrefixes, recordingModel, systemTexts } from "../../../support/models/recording-model.ts";
import {
  type Line,
  type ScriptedModelOptions,
  scriptedModel,
  toolResults,
} from "../../../support/models/scripted-model.ts";
import { serverWithManyTools } from "../../../support/skills/many-tools.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const activate = (skill_name: string) => ({ call: "activate_skill", with: { skill_name } });
const offload = (skill_name: string) => ({ call: "offload_skill", with: { skill_name } });
const echo = testSkill("echo", [{ name: "echo", repeatable: true }]);
const poems = testSkill("poems", []);
const guides = /<skill_guide skill="echo">/g;

function bot(
  script: readonly Line[],
  skills: readonly Skill[] = [echo, poems],
  options: ScriptedModelOptions = {},
  { limits, ...storage }: Pick<TestAppOptions, "log" | "store" | "limits"> = {},
) {
  const model = recordingModel(scriptedModel(script, options));
  const app = createTestApp(model, { ...storage, skills, limits: { max_concurrent: 8, ...limits } });
  return { ...app, model };
}

describe("the calls of one answer", () => {
  it("the calls of one answer run the tool of a skill that is not active, and do not activate it", async () => {
    const calls = Array.from({ length: 25 }, (_, at) => ({ call: "echo", with: { text: `${at}` } }));
    const { ask, model } = bot([calls, "done"]);
    const { events } = await ask("go");
    const { messages } = model.asked[1] ?? { messages: [] };
    expect(toolResults(messages)).toEqual(calls.map((call) => JSON.stringify(call.with)));
    expect(events.filter(({ type }) => type === "skill_activated")).toEqual([]);
    expect(systemTexts(model.asked[1])).toEqual([]);
  });

  it("calls that activate one skill several times are given its guide once", async () => {
    const { ask, model } = bot([
      [activate("echo"), activate("echo"), { call: "echo" }, activate("Echo")],
      "done",
    ]);
    const { events } = await ask("go");
    const texts = toolResults(model.asked[1]?.messages ?? []);
    expect(texts.join("\n").match(guides)).toHaveLength(1);
    expect(texts[1]).toBe("skill echo already activated, current skills: [echo]");
    expect(events.filter(({ type }) => type === "skill_activated")).toHaveLength(1);
  });

  it("calls that activate a skill and put it away leave it away", async () => {
    const { ask, model } = bot([[activate("echo"), offload("echo")], "done"]);
    await ask("go");
    await ask("on");
    for (const request of model.asked.slice(1)) expect(systemTexts(request)).toEqual([]);
    expect(toolResults(model.asked[1]?.messages ?? [])[1]).toBe("skill echo offloaded, current skills: []");
  });

  it("calls that put a skill away and activate it again leave it active", async () => {
    const { ask, model } = bot([[activate("echo")], [offload("echo"), activate("echo")], "done"]);
    await ask("go");
    await ask("on");
    expect(systemTexts(model.asked.at(-1))).toEqual(["Tools you can call from now on: offload_skill."]);
    expect(toolResults(model.asked[2]?.messages ?? [])[2]).toContain("current skills: [echo]");
  });
});

describe("a skill that the agent puts away", () => {
  it("putting a skill away is told by the call itself, and only its tools are told separately", async () => {
    const { ask, model } = bot([
      [activate("echo"), activate("poems")],
      [offload("echo"), offload("poems")],
      "ok",
    ]);
    await ask("go");
    expect(systemTexts(model.asked[2])).toEqual([
      "Tools you can call from now on: offload_skill.",
      "Tools that are gone, do not call them: echo.",
    ]);
  });

  it("a skill that is put away stays away in its thread although it activates by itself, and is active in others", async () => {
    const auto = testSkill("auto", [{ name: "auto" }], { active: true });
    const { ask, model } = bot([[offload("auto")], "ok"], [auto]);
    await ask("go");
    await ask("on");
    await ask("hi", { thread: "other" });
    expect(model.asked.map(({ tools }) => tools.some(({ name }) => name === "auto"))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(systemTexts(model.asked[2])).toEqual(["Tools that are gone, do not call them: auto."]);
    expect(systemTexts(model.asked[3])).toEqual([]);
    expectPrefixes(model.asked.slice(0, 3));
  });

  it("a tool that went with its skill is unknown from the next call on, with the reason", async () => {
    const call = { call: "echo", with: { text: "a" } };
    const { ask, model } = bot([
      [activate("echo")],
      [offload("echo")],
      [call],
      [activate("echo")],
      [call],
      "ok",
    ]);
    await ask("go");
    const texts = toolResults(model.asked.at(-1)?.messages ?? []);
    expect(texts[2]).toContain("You offloaded the skill echo");
    expect(texts.at(-1)).toBe(JSON.stringify(call.with));
    expectPrefixes(model.asked);
  });

  it("putting a skill away takes its tools out although they were there from the opening", async () => {
    const call = { call: "echo", with: { text: "a" } };
    const script = [[activate("echo")], [offload("echo")], [call], [activate("echo")], [call], "ok"];
    const { ask, model } = bot(script, [echo, poems], {}, { limits: { open_tools_tokens: 3_000 } });
    await ask("go");
    expect(model.asked[0]?.tools.map(({ name }) => name)).toContain("echo");
    expect(systemTexts(model.asked[2]).at(-1)).toBe("Tools that are gone, do not call them: echo.");
    const texts = toolResults(model.asked.at(-1)?.messages ?? []);
    expect(texts[2]).toContain("You offloaded the skill echo");
    expect(texts.at(-1)).toBe(JSON.stringify(call.with));
    expectPrefixes(model.asked);
  });

  it("a skill that was put away runs when it is invoked, and stays away", async () => {
    const params = { text: "a" };
    const invoke = { call: "invoke_skill", with: { skill_id: "echo", params } };
    const { ask, model } = bot([[activate("echo")], [offload("echo")], [invoke], [invoke], "ok"]);
    await ask("go");
    const texts = toolResults(model.asked.at(-1)?.messages ?? []);
    expect(JSON.parse(texts[2] ?? "")).toEqual({ skill_id: "echo", output: params, success: true });
    expect(systemTexts(model.asked.at(-1)).at(-1)).toBe("Tools that are gone, do not call them: echo.");
  });

  it("a part of a server is not put away alone while the server shows all its tools", async () => {
    const [whole, ...parts] = serverWithManyTools();
    const few = parts.slice(0, 3);
    const server = { ...whole, tools: few.flatMap(({ tools }) => tools) } as Skill;
    const part = "mcp_tracker#create_issue_1";
    const script = [[activate("mcp_tracker")], [offload(part)], [offload("mcp_tracker")], "ok"];
    const { ask, model } = bot(script, [server, ...few]);
    await ask("go");
    const texts = toolResults(model.asked.at(-1)?.messages ?? []);
    expect(texts[1]).toContain(`${part} is a part of mcp_tracker, which is put away as a whole`);
    expect(texts[2]).toContain("skill mcp_tracker offloaded");
  });

  it("a guide of 30,000 characters comes whole", async () => {
    const instructions = `${"A line of the guide.\n".repeat(1_500)}The word zebra.`;
    const { ask, model } = bot([[activate("long")], "ok"], [{ ...testSkill("long", []), instructions }]);
    await ask("go");
    expect(toolResults(model.asked[1]?.messages ?? [])[0]).toMatch(/word zebra\.\n<\/skill_guide>/);
  });

  it.each<[string, Partial<Skill>]>([
    ["a file", {}],
    ["a server's", { kind: "mcp" }],
    ["in a configuration", { kind: "config" }],
  ])(
    "a guide that is too long, %s, begins with the way to read on, which reads it to its end",
    async (_, more) => {
      const lines = Array.from({ length: 2_500 }, (_, at) => `Line ${at} of this very long guide.\n`);
      const instructions = `${lines.join("")}The word zebra.`;
      const results: string[] = [];
      const model = scriptedModel(({ messages, tools }) => {
        if (tools.length === 0) return "summary";
        const result = toolResults(messages).at(-1);
        if (result === undefined) return [activate("long")];
        results.push(result);
        expect(tools.map(({ name }) => name)).toContain("read_skill_file");
        const offset = Number(/offset: (\d+)/.exec(result.slice(0, 400))?.[1]);
        if (Number.isNaN(offset)) return "done";
        return [{ call: "read_skill_file", with: { skill_name: "long", file_path: "SKILL.md", offset } }];
      });
      const skills = [{ ...testSkill("long", []), ...more, instructions }];
      const limits = { max_rounds: 200, max_tool_calls: 200 };
      const { ask } = createTestApp(model, { skills, limits });
      await ask("go");
      const [given = "", ...read] = results;
      expect(given.split("\n")[2]).toMatch(/^\[cut: .*read_skill_file\(/);
      const first = given.slice(given.indexOf("Line 0 "), given.indexOf("</skill_guide>")).trim();
      const rest = read.map((text) => text.slice(text.indexOf("\n") + 1));
      expect([first, ...rest].join("").replaceAll("\n", "")).toBe(instructions.replaceAll("\n", ""));
    },
  );

  it("a window limits the part of a guide that the model gets, and the guide is not told again", async () => {
    const instructions = "A line of the guide.\n".repeat(1_500);
    const inner = { ...scriptedModel([[activate("long")], "ok"]), window: 8_000 };
    const model = recordingModel(inner);
    const { ask } = createTestApp(model, { skills: [{ ...testSkill("long", []), instructions }] });
    await ask("go");
    const given = toolResults(model.asked[1]?.messages ?? [])[0] ?? "";
    expect(given.length).toBeLessThan(16_000);
    expect(given).toMatch(
      /skill_guide skill="long">\n\[cut: the first \d+ of the guide's 31499 characters; read_skill_file/,
    );
    expect(systemTexts(model.asked[1]).join("\n")).not.toContain("A line of the guide");
  });

  it("a skill that is put away can be activated again, and its guide comes again with the result", async () => {
    const { ask, model } = bot([[activate("echo")], [offload("echo")], [activate("echo")], "ok"]);
    await ask("go");
    const texts = toolResults(model.asked[3]?.messages ?? []);
    expect(texts.map((text) => text.match(guides)?.length ?? 0)).toEqual([1, 0, 1]);
    const added = model.asked[3]?.messages.flatMap((message) =>
      message.role === "system" ? (message.add ?? []).map(({ name }) => name) : [],
    );
    expect(added).toEqual(["offload_skill", "echo", "echo"]);
  });
});

describe("a change while a call waits for a person", () => {
  it("a change while a call waits for a person is told after the results, once the turn continues", async () => {
    const deploy = testSkill("deploy", [{ name: "deploy", effect: "side_effect", run: () => "deployed" }], {
      active: true,
      risk: "high",
    });
    const { app, ask, say, until, events, model } = bot(
      [[{ call: "deploy" }, { call: "echo" }], "done"],
      [deploy, echo, poems],
    );
    await app.run("skill.set", {
      input: { ns: home.namespace, id: "deploy", state: "pinned" },
      asker: { by: ada, namespace: home.namespace },
    });
    const turnId = await say("deploy it");
    const end = events(turnId);
    const asked = await until(turnId, "approval_requested");
    await ask("/skill enable poems", { thread: "elsewhere" });
    await approve(app, asked.approval_id, true, ada);
    await end;
    const roles = model.asked[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "tool", "system"]);
    expect(systemTexts(model.asked[1])[0]).toContain("The skill poems is active now:");
    expectPrefixes(model.asked);
  });
});

describe("a call that waits for a person while the bot is started again", () => {
  it("a call that waits for a person across a restart continues in the same transcript, with the results so far", async () => {
    const shared = { log: createMemoryTurnLog(), store: createMemoryKeyValue() };
    const tools = [{ name: "deploy", effect: "side_effect" as const, run: () => "deployed" }];
    const skills = [testSkill("deploy", tools, { active: true, risk: "high" }), echo, poems];
    const asks: Line = [{ call: "echo", with: { text: "a" } }, { call: "deploy" }, activate("poems")];
    const before = bot([asks], skills, {}, shared);
    const turnId = await before.say("deploy it");
    const { approval_id } = await before.until(turnId, "approval_requested");
    await before.until(turnId, "turn_waiting");
    await before.stop(0);
    const after = bot(["done"], skills, {}, shared);
    const end = after.events(turnId);
    await approve(after.app, approval_id, true, ada);
    await end;
    const [first] = after.model.asked;
    expectPrefixes([...before.model.asked, ...after.model.asked]);
    expect(first?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool"]);
    const texts = toolResults(first?.messages ?? []);
    expect(texts[1]).toBe("deployed");
    expect(texts.join("\n").match(/Guide of (echo|poems)\./g)).toEqual(["Guide of poems."]);
  });
});

describe("five people at once", () => {
  const people = ["ada", "ben", "cem", "dora", "eve"].map((id) => ({
    id,
    name: id,
    trust: "member" as const,
  }));

  it("five people in one thread are answered one after the other, each turn knowing the previous ones", async () => {
    const { ask, model } = bot(["ok"]);
    await Promise.all(people.map((by) => ask(`this is ${by.id}`, { by })));
    expect(model.asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9]);
    const said = model.asked.at(-1)?.messages.flatMap(({ role, text }) => (role === "user" ? text : []));
    expect(said?.toSorted()).toEqual(people.map(({ id }) => `this is ${id}`));
    expectPrefixes(model.asked);
  });

  it("five people in five threads have the same opening, and no thread hears of another", async () => {
    const { ask, model } = bot([[activate("echo")], "ok"]);
    await Promise.all(
      people.flatMap((by) => [
        ask(`this is ${by.id}`, { by, thread: by.id }),
        ask("and on", { by, thread: by.id }),
      ]),
    );
    expect(new Set(model.asked.map(({ system, tools }) => JSON.stringify([system, tools]))).size).toBe(1);
    for (const { id } of people) {
      const own = model.asked.filter(({ messages }) => messages[0]?.text === `this is ${id}`);
      expectPrefixes(own.toSorted((a, b) => a.messages.length - b.messages.length));
      expect(
        JSON.stringify(own)
          .match(/this is \w+/g)
          ?.every((text) => text === `this is ${id}`),
      ).toBe(true);
    }
  });
});
