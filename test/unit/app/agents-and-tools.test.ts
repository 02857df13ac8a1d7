import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/core/model.ts";
import type { Profile } from "../../../src/core/profile.ts";
import { scriptedModel, toolResults } from "../../support/scripted-model.ts";
import { ben, createTestApp } from "../../support/test-app.ts";
import { testSkill } from "../../support/test-skill.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "reader", description: "Reads.", prompt: "You read.", tools: ["search", "handoff"] },
  { id: "picky", description: "Picks.", prompt: "", skills: { "*": false, weather: 5 } },
  {
    id: "careful",
    description: "Cares.",
    prompt: "",
    black_tool_actions: { notes: ["clear"], files: ["delete"], list_files: ["*"] },
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
  it("are those of its categories, and what reads files", async () => {
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
      /not found/,
    ],
    [
      "a part that is denied",
      "careful",
      [{ call: "invoke_skill", with: { skill_id: "notes#clear" } }],
      /not found|may not/,
    ],
    ["a tool that is denied", "careful", [{ call: "notes_clear", with: {} }], /not found/],
    ["a tool of the bot's own that is denied", "careful", [{ call: "list_files", with: {} }], /not found/],
    [
      "an action of a tool",
      "careful",
      [{ call: "files", with: { do: "delete" } }],
      /careful may not call files so/,
    ],
  ])("do not run what is not among them: %s", async (_name, agent, calls, words) => {
    const { ask, model } = bot([calls, "ok"]);
    await ask(`/agent use ${agent}`);
    const { events } = await ask("go");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(words);
    expect(events.filter((event) => event.type === "tool_finished" && event.status === "ok")).toEqual([]);
  });

  it("are all that are not denied", async () => {
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

  it("come and go with a handover", async () => {
    const { ask, model } = bot([
      [{ call: "handoff", with: { to: "reader" } }],
      [{ call: "weather", with: {} }],
      "ok",
    ]);
    await ask("go");
    expect(toolsIn(model.requests[0])).toContain("weather");
    expect(toolsIn(model.requests[1])).not.toContain("weather");
    expect(toolResults(model.requests[2]?.messages ?? []).at(-1)).toMatch(/not found/);
  });

  it("stand in the opening by priority, direct ones before the others", async () => {
    const long = "x ".repeat(200);
    const many = [
      testSkill("aaa", [{ name: "aaa", description: long }]),
      testSkill("bbb", [{ name: "bbb", description: long }], { direct: true }),
      testSkill("ccc", [{ name: "ccc", description: long }]),
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
  it("is chosen by a message for itself alone", async () => {
    const { ask, model } = bot(["ok"]);
    const { events } = await ask("quick: what is it?");
    await ask("and now?");
    expect(events.find(({ type }) => type === "turn_started")).toMatchObject({ profile: "quick" });
    expect(model.requests[0]?.system).toContain("You are quick.");
    expect(model.requests[1]?.system).toContain("You are chat now");
  });

  it("is none of the agents that a turn is handed to", async () => {
    const { ask, model } = bot([[{ call: "handoff", with: { to: "quick" } }], "ok"]);
    await ask("go");
    expect(model.requests[0]?.system).not.toContain("quick:");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("There is no agent quick");
  });
});

describe("an agent that is gone", () => {
  it("answers nothing: people are told which there are", async () => {
    const first = bot(["ok"]);
    await first.ask("/agent use reader");
    const [chat, ...others] = profiles.filter(({ id }) => id !== "reader");
    if (chat === undefined) throw new Error("no agent");
    const { ask, model } = bot(["ok"], { store: first.store, profiles: [chat, ...others] });
    const { end, events } = await ask("hi");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain("The agent reader that was chosen here is gone");
    expect(events.find(({ type }) => type === "error")).toMatchObject({ code: "unknown_agent" });
    expect(model.requests).toEqual([]);
  });
});

describe("a supervisor", () => {
  const lead: Profile = { id: "lead", description: "Leads.", prompt: "You lead.", supervisor: true };
  const team: [Profile, ...Profile[]] = [lead, ...profiles];

  it("gets the turn back with what the other agent answered, and says the last word", async () => {
    const { ask, model, app } = bot(
      [
        [{ call: "handoff", with: { to: "chat", reason: "count" } }],
        "There are 12.",
        "Twelve, said plainly.",
      ],
      { profiles: team },
    );
    const { end, events, turnId } = await ask("how many?");
    expect(end).toMatchObject({ outcome: "completed", text: "Twelve, said plainly." });
    expect(events.flatMap((event) => (event.type === "handoff" ? [[event.from, event.to]] : []))).toEqual([
      ["lead", "chat"],
      ["chat", "lead"],
    ]);
    const last = model.requests[2];
    expect(last?.messages.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["There are 12.", expect.stringContaining("You are lead again")]),
    );
    expect(last?.system).toContain("You are lead now");
    expect((await app.turn(turnId))?.outcome).toBe("completed");
  });

  it("leads at most five parts: after that, what the agent says is the answer", async () => {
    const { ask } = bot(
      ({ messages }) => {
        const last = messages.at(-1)?.text ?? "";
        return last.startsWith("Handed over") ? "part" : [{ call: "handoff", with: { to: "chat" } }];
      },
      { profiles: team },
    );
    const { end, events } = await ask("go");
    expect(end).toMatchObject({ outcome: "completed", text: "part" });
    expect(events.filter(({ type }) => type === "handoff")).toHaveLength(11);
  });

  it("gets a turn back that another agent handed to it", async () => {
    const { ask } = bot(
      [
        [{ call: "handoff", with: { to: "lead" } }],
        [{ call: "handoff", with: { to: "reader" } }],
        "read",
        "done",
      ],
      { profiles: [...profiles, lead] },
    );
    expect((await ask("go")).end.text).toBe("done");
  });
});

describe("rights", () => {
  const rights = {
    weather: { people: [], roles: ["manager"] },
    "notes#clear": { people: ["ben"], roles: [] },
    guide: { people: [], roles: ["manager"] },
  };
  const mia = { id: "mia", name: "Mia", trust: "manager" } as const;
  const guide = testSkill("guide", []);

  it.each([
    ["who stands too low", ben, "weather", false],
    ["who stands high enough", mia, "weather", true],
    ["who is named", ben, "notes_clear", true],
    ["who is not", mia, "notes_clear", false],
    ["an operator", undefined, "notes_clear", true],
    ["everybody, where nobody is named", ben, "notes_add", true],
  ])("are looked at when a tool is called: %s", async (_name, by, call, may) => {
    const { ask, model } = bot([[{ call, with: {} }], "ok"], { rights });
    const { events } = await ask("go", by === undefined ? {} : { by });
    const finished = events.find((event) => event.type === "tool_finished");
    expect(finished).toMatchObject({ status: may ? "ok" : "error" });
    if (!may) expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(/may not use/);
  });

  it("count for commands and guides too, and stand in /skill info", async () => {
    const { ask, model } = bot([[{ call: "activate_skill", with: { skill_name: "guide" } }], "ok"], {
      rights,
      skills: [...skills, guide],
    });
    expect((await ask("/skill run weather {}", { by: ben })).end.text).toContain("may not use weather");
    expect((await ask("/skill info weather")).end.text).toContain("Only for managers: `weather`");
    await ask("go", { by: ben });
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("may not use guide");
    expect(JSON.stringify(model.requests)).not.toContain("Guide of guide");
  });
});
