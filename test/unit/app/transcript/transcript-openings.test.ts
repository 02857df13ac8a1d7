import { describe, expect, it } from "vitest";
import type { Opening } from "../../../../src/core/log/transcript.ts";
import { createMetaTools } from "../../../../src/core/meta-tools/create-meta-tools.ts";
import type { KeyValue } from "../../../../src/core/ports/storage.ts";
import { type JsonObject, toJson } from "../../../../src/core/values/json.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { promptOf } from "../../../support/bot/ask-app.ts";
import { type Asked, recordingModel, systemTexts } from "../../../support/models/recording-model.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const tool = (name: string) => ({ name, run: () => name });
const skills = [
  testSkill("zebra", [tool("zebra_b"), tool("zebra_a")]),
  testSkill("alpha", [tool("alpha_tool")], { active: true }),
  testSkill("middle", [], { instructions: "Guide in the middle." }),
];

/** A store that knows which keys were ever written. */
function countingStore(): { store: KeyValue; written: string[] } {
  const inner = createMemoryKeyValue();
  const written: string[] = [];
  const store: KeyValue = {
    ...inner,
    get: (key) => inner.get(key),
    delete: (key) => inner.delete(key),
    scrub: () => inner.scrub(),
    keys: (prefix) => inner.keys(prefix),
    update: (key, change) => inner.update(key, change),
    close: () => inner.close(),
    set(key, value) {
      written.push(key);
      return inner.set(key, value);
    },
  };
  return { store, written };
}

const openingOf = ({ system, tools }: Asked) => ({ system, tools: JSON.stringify(tools) });
const openings = (keys: readonly string[]) => keys.filter((key) => key.startsWith("opening:"));

describe("the openings of a channel", () => {
  it("openings of a channel are the same whoever speaks, whatever is said first, and however sources order their skills [transcript-2]", async () => {
    const source = testSource(skills);
    const model = recordingModel(scriptedModel(["ok"]));
    const { ask } = createTestApp(model, { sources: [source], limits: { open_tools_tokens: 2_000 } });
    await ask("/skill enable middle");
    await ask("something about a zebra", { thread: "t1", by: ada });
    source.skills = [...skills].reverse();
    await ask("and now horses", { thread: "t2", by: ben });
    await ask("zebra, once more", { thread: "t1", by: ben });
    const [first, second, third] = model.asked.map(openingOf);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(model.asked[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("openings of a channel keep the agent's own tools first, then those of skills by id", async () => {
    const model = recordingModel(scriptedModel(["ok"]));
    const { ask } = createTestApp(model, { skills, limits: { open_tools_tokens: 2_000 } });
    await ask("hi");
    const names = model.asked[0]?.tools.map(({ name }) => name) ?? [];
    expect(names.slice(-3)).toEqual(["alpha_tool", "zebra_b", "zebra_a"]);
    expect(names[0]).toBe("activate_skill");
    expect(model.asked[0]?.system).not.toContain("Does zebra.");
  });

  it("openings of a channel are stored once, however many threads and apps begin with them", async () => {
    const { store, written } = countingStore();
    const log = createMemoryTurnLog();
    for (let times = 0; times < 2; times += 1) {
      const { ask, stop } = createTestApp(recordingModel(scriptedModel(["ok"])), { skills, store, log });
      for (const thread of ["a", "b", "c"]) await ask("hi", { thread: `${thread}${times}` });
      await stop(0);
    }
    expect(new Set(openings(written)).size).toBe(1);
  });

  it("openings differ between different channels, and are stored for each", async () => {
    const { store, written } = countingStore();
    const model = recordingModel(scriptedModel(["ok"]));
    const { ask } = createTestApp(model, { skills, store });
    await ask("/skill enable middle");
    await ask("hi");
    await ask("hi", { namespace: "console:local:random" });
    const [here, there] = model.asked;
    expect(here?.system).toContain("Guide in the middle.");
    expect(there?.system).not.toContain("Guide in the middle.");
    expect(openings(written)).toHaveLength(2);
  });

  it("openings made after a change begin with it, and earlier threads are told", async () => {
    const model = recordingModel(scriptedModel(["ok"]));
    const { ask } = createTestApp(model, { skills });
    await ask("hi", { thread: "old" });
    await ask("/skill enable middle");
    await ask("hi again", { thread: "old" });
    await ask("hi", { thread: "new" });
    const [before, old, fresh] = model.asked;
    expect(old?.system).toBe(before?.system);
    expect(old?.messages.at(-1)).toMatchObject({
      role: "system",
      text: 'The skill middle is active now:\n<skill_guide skill="middle">\nGuide in the middle.\n</skill_guide>',
    });
    expect(fresh?.system).toContain("Guide in the middle.");
    expect(fresh?.messages).toEqual([{ role: "user", text: "hi", said: "hi" }]);
  });
});

describe("the prompt that operators are shown", () => {
  it("the prompt shown to operators is what a new thread would begin with", async () => {
    const model = recordingModel(scriptedModel(["ok"]));
    const { app, ask } = createTestApp(model, { skills });
    const shown = await promptOf(app, home.namespace, "unused");
    await ask("hi", { thread: "new" });
    expect(openingOf({ ...shown, messages: [] })).toEqual(openingOf(model.asked[0] as Asked));
    expect(shown.messages).toBeUndefined();
    expect(shown.tokens).toBeGreaterThan(100);
  });

  it("the prompt shown to operators is what a thread's next model call gets, and showing it changes nothing", async () => {
    const store = createMemoryKeyValue();
    const model = recordingModel(scriptedModel(["ok"]));
    const { app, ask } = createTestApp(model, { skills, store });
    await ask("hi");
    await ask("/skill enable middle");
    const operator = { id: "operator", name: "operator", trust: "operator" } as const;
    const twice = [
      await promptOf(app, home.namespace, "next", "t1"),
      await promptOf(app, home.namespace, "next", "t1"),
    ];
    await ask("next", { by: operator });
    const next = model.asked.at(-1) as Asked;
    for (const shown of twice) {
      expect(openingOf({ ...shown, messages: [] })).toEqual(openingOf(next));
      expect(shown.messages).toEqual(next.messages.map(({ role, text }) => ({ role, text })));
    }
    expect(model.asked).toHaveLength(2);
  });
});

describe("an opening whose tools have changed", () => {
  it("a thread goes on with tools that new openings have no more, and is told what is gone", async () => {
    const shared = { store: createMemoryKeyValue(), log: createMemoryTurnLog() };
    const options = { ...shared, skills, limits: { open_tools_tokens: 2_000 } };
    const before = createTestApp(recordingModel(scriptedModel(["ok"])), options);
    await before.ask("hi");
    await before.stop(0);
    const own = createMetaTools().find(({ name }) => name === "list_skills");
    for await (const key of shared.store.keys("opening:"))
      await shared.store.update<JsonObject>(key, (value = {}) => {
        const opening = structuredClone(value) as unknown as Opening;
        const { name = "", description = "", parameters = {} } = own ?? {};
        const former = { name: "former-name", description: "Had another name.", parameters: {} };
        const tools = [{ name, description, parameters }, former, ...opening.tools];
        return toJson({ ...opening, tools }) as JsonObject;
      });
    const model = recordingModel(scriptedModel(["ok"]));
    await createTestApp(model, options).ask("and now?");
    expect(model.asked[0]?.tools.map(({ name }) => name).slice(0, 2)).toEqual(["list_skills", "former-name"]);
    expect(systemTexts(model.asked[0])).toEqual(["Tools that are gone, do not call them: former-name."]);
  });
});
