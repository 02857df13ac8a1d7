import { describe, expect, it } from "vitest";
import { deniesAction, hasOwnTool } from "../../../../src/core/skill/make-offer.ts";
import { agentNamedIn, type Profile, priorityOf } from "../../../../src/core/values/profile.ts";

const agent = (more: Partial<Profile>): Profile => ({ id: "a", description: "", prompt: "", ...more });

describe("an agent named in a message", () => {
  const agents = ["chat", "research", "data", "image"].map((id) => ({ ...agent({}), id }));
  it.each([
    ["research: which is the tallest tower?", "research"],
    ["Data: 3, 4, 5", "data"],
    ["/image: a cat", "image"],
    ["draw a cat in image mode", "image"],
    ["Zeichne das im Image-Modus", "image"],
    ["In data mode, compute the mean of 3 and 5", "data"],
    ["Find out in research mode, please!", "research"],
    ["The camera hangs in image mode since yesterday. Why?", undefined],
    [`${"a pasted log ".repeat(5_000)} in data mode ${"x".repeat(200)}`, undefined],
    ["research is hard", undefined],
    ["my research: it is late", undefined],
    ["https://example.com: what is it?", undefined],
    ["in dark mode please", undefined],
    ["image:", undefined],
    ["data:text/plain,hello", undefined],
  ])("the agent named in a message is found: %s → %s", (text, id) => {
    expect(agentNamedIn(text, agents)?.id).toBe(id);
  });
});

describe("skills of an agent", () => {
  it.each<[Profile["skills"], { id: string; parent?: string }, number | false]>([
    [undefined, { id: "x" }, 0],
    [{ x: 5 }, { id: "x" }, 5],
    [{ x: 5 }, { id: "x#part", parent: "x" }, 5],
    [{ x: 5, "x#part": false }, { id: "x#part", parent: "x" }, false],
    [{ x: 5 }, { id: "y" }, 0],
    [{ x: 5, "*": false }, { id: "y" }, false],
    [{ "*": 2 }, { id: "y" }, 2],
  ])("the skills %j of an agent give %j the priority %s", (skills, skill, priority) => {
    expect(priorityOf(agent({ skills }), skill)).toBe(priority);
  });
});

describe("actions an agent may not do", () => {
  const send = { name: "chat_send", skill_id: "chat#send" };
  const act = { name: "chat_act", skill_id: "chat#act" };
  const server = {
    name: "github_delete_repo",
    skill_id: "github#delete_repo",
    server: { server: "github", tool: "delete_repo" },
  };
  it.each<[string, Profile["black_tool_actions"], Parameters<typeof deniesAction>[1], unknown, boolean]>([
    ["nothing is denied", undefined, send, {}, false],
    ["a part of a skill", { chat: ["send"] }, send, {}, true],
    ["another part of it", { chat: ["send"] }, act, { do: "react" }, false],
    ["all of a skill", { chat: ["*"] }, act, { do: "react" }, true],
    ["a tool by its name", { chat_send: ["*"] }, send, {}, true],
    ["a tool of a server", { github: ["delete_repo"] }, server, {}, true],
    ["another tool of a server", { github: ["create_issue"] }, server, {}, false],
    ["a value of the parameter do", { chat_act: ["delete"] }, act, { do: "delete" }, true],
    ["another value of it", { chat_act: ["delete"] }, act, { do: "react" }, false],
    [
      "an action that only the input tells, before there is one",
      { chat_act: ["delete"] },
      act,
      undefined,
      false,
    ],
    ["a value of the parameter action", { chat: ["remove"] }, act, { action: "remove" }, true],
    ["a tool of the bot's own", { run_code: ["*"] }, { name: "run_code", skill_id: "" }, {}, true],
  ])("an agent's actions are denied or allowed: %s", (_name, black_tool_actions, tool, input, denied) => {
    expect(deniesAction(agent({ black_tool_actions }), tool, input)).toBe(denied);
  });
});

it("an agent has the bot's own tools of its categories, and those without one", () => {
  const reader = agent({ tools: ["search"] });
  expect(hasOwnTool(reader, { name: "run_code", category: "code_exec" })).toBe(false);
  expect(hasOwnTool(reader, { name: "read_file" })).toBe(true);
  expect(hasOwnTool(agent({}), { name: "run_code", category: "code_exec" })).toBe(true);
});
