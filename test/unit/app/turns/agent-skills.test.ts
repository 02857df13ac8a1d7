import { describe, expect, it } from "vitest";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

const origin = { source: "managed", precedence: 3, path: "/skills/reader" };
const reader = testSkill("reader", [], {
  ...{ origin, hash: "r1", instructions: "You read drafts.", description: "Reads drafts." },
  agent: { tools: ["search"] },
});
const chat = testSkill("chat", [], { origin, hash: "c1", agent: {} });
const search = testSkill("find", [{ name: "find" }], { tool_category: "search", active: true });
const rule = testSkill("style", [], {
  origin,
  hash: "s1",
  instructions: "Be brief.",
  invocation: { by_people: false, by_model: true },
});

const handOver = { call: "handoff", with: { to: "reader", reason: "Read the draft." } };

function bot(more: Parameters<typeof createTestApp>[1] = {}) {
  const model = scriptedModel((request) => {
    if (request.system.includes("You work beside")) return "It is fine.";
    const results = toolResults(request.messages);
    return results.length === 0 && request.messages.at(-1)?.text.includes("go")
      ? [handOver]
      : `Got ${results.at(-1)}.`;
  });
  const app = createTestApp(model, { skills: [reader, chat, search, rule], ...more });
  return { ...app, model };
}

describe("an installed agent", () => {
  it("an installed agent does not exist until people enable it in the channel", async () => {
    const { ask, model } = bot();
    expect((await ask("go")).end.text).toContain("'handoff' not found");
    expect(model.requests[0]?.system).not.toMatch(/reader/);
  });

  it("an enabled agent does a task in a conversation of its own, with its prompt and its tools", async () => {
    const { ask, model } = bot();
    await ask("/skill enable reader");
    const { end, events } = await ask("go");
    expect(end.text).toBe("Got It is fine..");
    expect(events).toContainEqual(expect.objectContaining({ type: "handoff", to: "reader" }));
    const [main, sub] = model.requests;
    expect(main?.system).toContain("- reader: Reads drafts.");
    expect(main?.system).not.toContain("You read drafts.");
    expect(sub?.system).toContain("You read drafts.");
    expect(sub?.messages.at(0)?.text).toContain("Read the draft.");
    const names = (request = sub) => request?.tools.map(({ name }) => name) ?? [];
    expect(names()).toContain("find");
    expect(names()).not.toContain("invoke_skill");
    expect(names()).not.toContain("handoff");
    expect((await ask("go", { namespace: "console:local:elsewhere" })).end.text).toContain(
      "'handoff' not found",
    );
  });

  it("a message that begins with the name of an enabled agent asks it", async () => {
    const { ask, model } = bot();
    expect((await ask("/agent list")).end.text).not.toContain("**reader**");
    await ask("/skill enable reader");
    expect((await ask("/agent list")).end.text).toContain("- **reader** Reads drafts.");
    await ask("reader: what do you think?");
    expect(model.requests.at(-1)?.system).toContain("You read drafts.");
  });

  it("an agent never takes the name of one that is there [package-5]", async () => {
    const { ask, model } = bot();
    await ask("/skill enable chat");
    await ask("hello");
    expect(model.requests[0]?.system).not.toContain("Guide of chat.");
  });

  it("who may not use the skill of an agent reaches it neither through others nor by its name", async () => {
    const { ask, model } = bot({ rights: { reader: { people: [], roles: ["manager"] } } });
    await ask("/skill enable reader");
    expect((await ask("go", { by: ben })).end.text).toMatch(/Ben\W+ben\) may not use reader/);
    await ask("reader: what do you think?", { by: ben });
    expect(model.requests.every(({ system }) => !system.includes("You read drafts."))).toBe(true);
  });
});

it("an installed rule is part of the instructions where a manager enabled it, and nowhere else", async () => {
  const { ask, model } = bot();
  await ask("hello");
  await ask("/skill enable style");
  await ask("hello", { thread: "t2" });
  await ask("hello", { namespace: "console:local:elsewhere" });
  expect(model.requests.map(({ system }) => system.includes("Be brief."))).toEqual([false, true, false]);
});
