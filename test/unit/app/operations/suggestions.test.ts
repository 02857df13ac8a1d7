import { describe, expect, it } from "vitest";
import { createCharts } from "../../../../src/charts/create-charts.ts";
import { type Json, objectOf } from "../../../../src/core/values/json.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";
import { ask as askInChannel, createWorld, general } from "../../../support/fakes/chat-world.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { ada, createTestApp, type TestApp } from "../../../support/test-app.ts";

const namespace = "console:local:dm";
const asker = { by: ada, namespace };

const suggested = async (app: TestApp) => {
  const { value } = (await app.app.run("bot.about", { input: {}, asker })) as unknown as {
    value: { suggestions: string[] };
  };
  return value.suggestions;
};

/** What a model calls for each example, by how it begins. */
const calls: Record<string, { skill_id: string; params: Json }> = {
  "Draw a bar": {
    skill_id: "data-visualization",
    params: {
      spec: {
        mark: "bar",
        encoding: { x: { field: "month", type: "nominal" }, y: { field: "sum", type: "quantitative" } },
      },
      rows: [
        { month: "January", sum: 12 },
        { month: "February", sum: 19 },
      ],
    },
  },
  "Write a one": { skill_id: "simple-writing", params: { title: "Report", markdown: "All is well." } },
  "Translate i": { skill_id: "translate", params: { text: "The meeting moves", to: "French" } },
  "What did I ": { skill_id: "channel-summary", params: { since: "2026-11-20", until: "2026-11-26" } },
  "Summarise t": { skill_id: "chat#read", params: { since: "2026-11-20", alone: true } },
  "Find where ": { skill_id: "chat#search", params: { words: "invoice bug" } },
};

const obedient = scriptedModel(({ messages, tools }) => {
  if (tools.length === 0) return messages.at(-1)?.text.includes("meeting") ? "La réunion est déplacée" : "{}";
  const last = messages.at(-1);
  const said = last?.role === "user" ? (last.said ?? last.text) : "";
  const call = Object.entries(calls).find(([start]) => said.includes(start))?.[1];
  return call === undefined ? "Done." : [{ call: "invoke_skill", with: call }];
});

async function succeeds(app: TestApp, text: string) {
  const { events, end } = await app.ask(text, { namespace, thread: `t${text.length}` });
  const results = events.flatMap((event) => (event.type === "tool_finished" ? [event] : []));
  const { status, output } = results.at(-1) ?? {};
  // What stands in the message is left to the model.
  const isLeft = objectOf(output).code === "in_conversation";
  expect(isLeft ? "ok" : status, text).toBe("ok");
  expect(end, text).toMatchObject({ outcome: "completed" });
  expect(end.text).not.toContain("did not work");
}

describe("what is suggested on an empty page", () => {
  it("suggestions on an empty page work with a model", async () => {
    const app = createTestApp(obedient, { sources: shippedSkills, means: { charts: createCharts() } });
    const texts = await suggested(app);
    expect(texts).toHaveLength(3);
    for (const text of texts) {
      expect(Object.keys(calls).some((start) => text.startsWith(start))).toBe(true);
      await succeeds(app, text);
    }
  });
});

describe("what is suggested in a channel", () => {
  const intakeOf = ({ app, platform }: ReturnType<typeof createWorld>) => app.chat.connect(platform);
  const prompts = async (world: ReturnType<typeof createWorld>) => {
    const found = await intakeOf(world).suggestions({ namespace: general, thread: "new" });
    return found.map(({ message }) => message);
  };

  it("suggestions in a channel read what people said there, where they said something", async () => {
    const first = createWorld(["Done."]);
    const texts = (await prompts(first)).filter((text) => /channel|miss here/.test(text));
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      const call = Object.entries(calls).find(([start]) => text.startsWith(start))?.[1];
      const digest = JSON.stringify({ decisions: [], open: [], topics: [] });
      const world = createWorld(({ tools, messages }) =>
        tools.length === 0
          ? digest
          : messages.at(-1)?.role === "user"
            ? [{ call: "invoke_skill", with: call }]
            : "Done.",
      );
      const { results } = await askInChannel(world, text);
      expect(results.at(-1), text).toMatchObject({ status: "ok" });
    }
  });

  it("suggestions in a channel read nothing and name no file where nobody said anything", async () => {
    const world = createWorld(["Done."]);
    world.chat.messages.length = 0;
    expect((await prompts(world)).join()).not.toMatch(/channel|miss here|attached/);
  });
});

describe("a skill that asks a model", () => {
  const needing = [
    "channel-summary",
    "code-execution",
    "code-generation",
    "code-review",
    "document-summarizer",
    "skill-maker",
    "translate",
    "web-research",
  ];
  const run = async (model: Parameters<typeof createTestApp>[0], text: string) => {
    const app = createTestApp(model, { sources: shippedSkills, limits: { tool_output_tokens: 4_000 } });
    return (await app.ask(text, { namespace })).end.text;
  };
  const listed = async (model: Parameters<typeof createTestApp>[0]) => {
    const { app } = createTestApp(model, { sources: shippedSkills });
    const { skills } = await app.skills.list(namespace);
    return skills
      .filter(({ reasons }) => reasons.join().includes("It needs a language model"))
      .map(({ id }) => id);
  };

  it("a skill that asks a model cannot be used without one, and says so wherever skills are listed or run", async () => {
    expect(await listed(createOfflineModel())).toEqual(needing);
    expect(await run(createOfflineModel(), "/skill list")).toMatch(/translate.*It needs a language model/);
    expect(await run(createOfflineModel(), "/skill run translate text=Hello to=French")).toMatch(
      /cannot be used here\. It needs a language model/,
    );
  });

  it("a skill that asks a model can be used where there is one", async () => {
    expect(await listed(obedient)).toEqual([]);
  });
});
