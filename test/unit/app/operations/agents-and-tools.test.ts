import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "reader", description: "Reads.", prompt: "You read.", tools: ["search", "handoff"] },
  { id: "picky", description: "Picks.", prompt: "", skills: { "*": false, weather: 5 } },
  {
    id: "careful",
    description: "Cares.",
    prompt: "",
    black_tool_actions: { notes: ["clear"], files: ["delete"], list_files: ["*"], manual: ["*"] },
  },
  { id: "quick", description: "Mode.", prompt: "You are quick.", preset_of: "chat" },
];
const origin = { source: "bundled", precedence: 2, path: "/skills/notes" };
const skills = [
  testSkill("web", [{ name: "web_find" }], { tool_category: "search" }),
  testSkill("weather", [{ name: "weather" }]),
  testSkill("notes", [
    { name: "notes_add", skill_id: "notes#add" },
    { name: "notes_clear", skill_id: "notes#clear" },
  ]),
  testSkill("notes#add", [{ name: "notes_add", skill_id: "notes#add" }], { parent: "notes", origin }),
  testSkill("notes#clear", [{ name: "notes_clear", skill_id: "notes#clear" }], { parent: "notes", origin }),
  testSkill("manual"),
  testSkill("files", [
    { name: "files", parameters: { type: "object", properties: { do: { type: "string" } } } },
  ]),
];
const toolsIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];

function bot(lines: Parameters<typeof scriptedModel>[0], more: Parameters<typeof createTestApp>[1] = {}) {
  const model = scriptedModel(lines);
  const app = createTestApp(model, { profiles, skills, limits: { open_tools_tokens: 3_000 }, ...more });
  return { model, ...app };
}

describe("the tools of an agent", () => {
  it("an agent has the tools of its categories and those that read files", async () => {
    const { ask, model } = bot(["ok"]);
    await ask("/agent use reader");
    await ask("hi");
    const tools = toolsIn(model.requests[0]);
    expect(tools).toEqual(expect.arrayContaining(["web_find", "handoff", "read_file"]));
    expect(tools).not.toEqual(expect.arrayContaining(["weather"]));
    for (const name of ["weather", "list_skills", "invoke_skill", "ask_user"])
      expect(tools).not.toContain(name);
    expect(model.requests[0]?.system).not.toContain("weather");
  });

  it.each([
    ["a skill of another category", "reader", [{ call: "weather", with: {} }], /not found/],
    [
      "one of the bot's own tools of another category",
      "reader",
      [{ call: "invoke_skill", with: { skill_id: "weather" } }],
      /not found/,
    ],
    [
      "a skill that is not for it",
      "picky",
      [{ call: "invoke_skill", with: { skill_id: "web" } }],
      /not for the agent picky/,
    ],
    [
      "a part that is denied",
      "careful",
      [{ call: "invoke_skill", with: { skill_id: "notes#clear" } }],
      /not found|may not/,
    ],
    ["a tool that is denied", "careful", [{ call: "notes_clear", with: {} }], /not found/],
    [
      "the guide of a skill that is denied",
      "careful",
      [{ call: "activate_skill", with: { skill_name: "manual" } }],
      /careful may not use it/,
    ],
    ["a tool of the bot's own that is denied", "careful", [{ call: "list_files", with: {} }], /not found/],
    [
      "an action of a tool",
      "careful",
      [{ call: "files", with: { do: "delete" } }],
      /careful may not call files so/,
    ],
  ])("an agent does not run %s", async (_name, agent, calls, words) => {
    const { ask, model } = bot([calls, "ok"]);
    await ask(`/agent use ${agent}`);
    const { events } = await ask("go");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(words);
    expect(events.filter((event) => event.type === "tool_finished" && event.status === "ok")).toEqual([]);
  });

  it("a person's command does not give an agent a skill or guide outside its categories", async () => {
    const { ask, model } = bot(["ok"]);
    expect((await ask("/skill run weather {}")).end).toMatchObject({ outcome: "completed" });
    await ask("/agent use reader");
    const skill = await ask("/skill run weather {}");
    expect(skill.end.text).toContain("This skill is not for the agent reader");
    const { end } = await ask("/skill run manual do it");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain("This skill is not for the agent reader");
    await ask("do it with $manual");
    expect(JSON.stringify(model.requests)).not.toContain("Guide of manual");
  });

  it("an agent has all tools except the denied ones", async () => {
    const { ask, model } = bot([
      [{ call: "files", with: { do: "read" } }],
      [{ call: "notes_add", with: {} }],
      "ok",
    ]);
    await ask("/agent use careful");
    const { events } = await ask("go");
    expect(events.filter((event) => event.type === "tool_finished" && event.status === "ok")).toHaveLength(2);
    expect(toolsIn(model.requests[0])).not.toContain("notes_clear");
  });

  it("a sub-run has the tools of its agent, and no others", async () => {
    const { ask, model } = bot([
      [{ call: "handoff", with: { to: "reader", reason: "read" } }],
      [{ call: "weather", with: {} }],
      "ok",
    ]);
    await ask("go");
    expect(toolsIn(model.requests[0])).toContain("weather");
    expect(toolsIn(model.requests[1])).not.toContain("weather");
    expect(toolResults(model.requests[2]?.messages ?? []).at(-1)).toMatch(/not found/);
  });

  it("the opening has the tools of open skills, and first those of skills that the agent prefers", async () => {
    const long = "x ".repeat(200);
    const many = [
      testSkill("aaa", [{ name: "aaa", description: long }], { direct: false }),
      testSkill("bbb", [{ name: "bbb", description: long }]),
      testSkill("ccc", [{ name: "ccc", description: long }], { direct: false }),
    ];
    const prefers = [{ id: "chat", description: "", prompt: "", skills: { ccc: 500 } }] as const;
    const opened = async (more: object) => {
      const { ask, model } = bot(["ok"], { skills: many, limits: { open_tools_tokens: 300 }, ...more });
      await ask("hi");
      return toolsIn(model.requests[0]).filter((name) => /^(.)\1\1$/.test(name));
    };
    expect(await opened({})).toEqual(["bbb"]);
    expect(await opened({ profiles: prefers })).toEqual(["ccc"]);
  });
});

describe("a mode", () => {
  it("a mode named in a message applies to that message only", async () => {
    const { ask, model } = bot(["ok"]);
    const { events } = await ask("quick: what is it?");
    await ask("and now?");
    expect(events.find(({ type }) => type === "turn_started")).toMatchObject({ profile: "quick" });
    expect(model.requests[0]?.system).toContain("You are quick.");
    expect(model.requests[1]?.system).toContain("You chat.");
    expect(model.requests[1]?.system).not.toContain("You are quick.");
  });

  it("a message with a mode gets its own turn when another turn is running", async () => {
    let later = "";
    const busy = testSkill("busy", [
      {
        name: "busy",
        async run() {
          await app.say("and be short");
          later = await app.say("quick: what is it?");
          return "done";
        },
      },
    ]);
    const app = bot([[{ call: "busy", with: {} }], "first", "second"], { skills: [busy] });
    const { events, end } = await app.ask("go");
    expect(events.flatMap((event) => (event.type === "steered" ? event.text : []))).toEqual(["and be short"]);
    expect(end.text).toBe("first");
    const own = await app.events(later);
    expect(own.find(({ type }) => type === "turn_started")).toMatchObject({ profile: "quick" });
  });

  it("a mode cannot be asked by another agent", async () => {
    const { ask, model } = bot([[{ call: "handoff", with: { to: "quick", reason: "a" } }], "ok"]);
    await ask("go");
    expect(model.requests[0]?.system).not.toContain("quick:");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("There is no agent quick");
  });
});

describe("an agent whose file is wrong", () => {
  const unusable = {
    where: "/srv/agents/legal.md",
    key: "tools",
    message: "Invalid option\n  → at tools[0]",
  };
  const broken: Profile = { id: "legal", description: "", prompt: "", tools: [], unusable };
  const withBroken: [Profile, ...Profile[]] = [...profiles, broken];

  it("an agent with an invalid file takes no turns and says what is wrong while the others work", async () => {
    const { ask, model } = bot([[{ call: "handoff", with: { to: "legal", reason: "a" } }], "ok"], {
      profiles: withBroken,
    });
    const why = "legal.md: tools: Invalid option → at tools[0].";
    expect((await ask("/agent list")).end.text).toContain("**legal** cannot be used until an operator");
    expect((await ask("/agent use legal")).end.text).toContain(why);
    const { end } = await ask("legal: is this binding?");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain(why);
    expect(end.text).not.toContain("/srv");
    expect(model.requests).toEqual([]);
    await ask("go");
    expect(model.requests[0]?.system).not.toContain("legal");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("There is no agent legal");
  });

  it("an agent's name may be written in any case, and an unknown name gets the nearest one", async () => {
    const { ask } = bot(["ok"]);
    expect((await ask("/agent use Reader")).end.text).toContain("**reader** answers");
    expect((await ask("/agent use raeder")).end.text).toContain("Did you mean reader?");
  });
});

describe("an agent that is gone", () => {
  it("an agent that is gone does not affect messages that name another agent", async () => {
    const first = bot(["ok"]);
    await first.ask("/agent use reader");
    const left = profiles.filter(({ id }) => id !== "reader") as [Profile, ...Profile[]];
    const { ask } = bot(["ok"], { store: first.store, profiles: left });
    expect((await ask("careful: hi")).end).toMatchObject({ outcome: "completed", text: "ok" });
  });

  it("an agent that is gone answers nothing, and people are told which agents exist", async () => {
    const first = bot(["ok"]);
    await first.ask("/agent use reader");
    const [chat, ...others] = profiles.filter(({ id }) => id !== "reader");
    if (chat === undefined) throw new Error("no agent");
    const { ask, model } = bot(["ok"], { store: first.store, profiles: [chat, ...others] });
    const { end, events } = await ask("hi");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain("The agent reader that was chosen here no longer exists");
    expect(events.find(({ type }) => type === "error")).toMatchObject({ code: "unknown_agent" });
    expect(model.requests).toEqual([]);
  });
});
