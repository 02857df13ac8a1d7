import { describe, expect, it } from "vitest";
import { ModelError } from "../../../../src/core/ports/model.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { stopTurn } from "../../../support/bot/ask-app.ts";
import { createMemoryFileStore } from "../../../support/fakes/memory-stores.ts";
import {
  expectPrefixes,
  type RecordingModel,
  recordingModel,
} from "../../../support/models/recording-model.ts";
import { type Line, scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import {
  ada,
  ben,
  createTestApp,
  home,
  type TestApp,
  type TestAppOptions,
} from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "research", description: "Reads sources.", prompt: "You research." },
];

const echo = testSkill("echo", [{ name: "echo" }]);
const poems = testSkill("poems", []);
const orders = testSkill("orders", [{ name: "orders", run: () => "order ".repeat(3_000) }]);
const table = testSkill("table", [
  { name: "table", run: () => ({ status: "ok" as const, output: "a | b", direct: true }) },
]);
const hang = testSkill("hang", [{ name: "hang", run: () => new Promise<never>(() => {}) }]);
const own = testSkill("own", [{ name: "own_tool", run: () => "own result" }], { active: true });

/** What the storage of one bot keeps over a restart, and its workers share. */
function createStorage() {
  return { log: createMemoryTurnLog(), store: createMemoryKeyValue(), files: createMemoryFileStore() };
}

type Storage = ReturnType<typeof createStorage>;

interface Scene {
  app: TestApp;
  source: ReturnType<typeof testSource>;
}

interface Step {
  name: string;
  script: Line[];
  act(scene: Scene): Promise<void>;
}

const said = async (scene: Scene, text: string, by = ada) => void (await scene.app.ask(text, { by }));
const call = (name: string, input: unknown = {}) => ({ call: name, with: input });

/** Everything that can happen to a thread, a turn or more each. */
const steps: Step[] = [
  { name: "a plain answer", script: ["hello"], act: (scene) => said(scene, "hi") },
  {
    name: "activation by the agent",
    script: [[call("activate_skill", { skill_name: "echo" })], [call("echo", { text: "a" })], "done"],
    act: (scene) => said(scene, "use echo"),
  },
  {
    name: "parallel calls, one of a skill that is not active, one unknown, one with a cut output",
    script: [
      [call("orders"), call("echo", { text: "b" }), call("nothing"), call("poems"), call("list_skills")],
      "done",
    ],
    act: (scene) => said(scene, "list the orders", ben),
  },
  {
    name: "offloading",
    script: [[call("offload_skill", { skill_name: "echo" })], "put away"],
    act: (scene) => said(scene, "put echo away"),
  },
  {
    name: "a person enabling one skill and disabling another",
    script: ["seen"],
    act: async (scene) => {
      await said(scene, "/skill enable poems");
      await said(scene, "/skill disable orders");
      await said(scene, "what now?");
    },
  },
  {
    name: "an edited guide, an installed skill and a removed one",
    script: ["seen"],
    act: async (scene) => {
      const edited = testSkill("poems", [], { instructions: "New guide of poems.", hash: "new" });
      const added = testSkill("added", [{ name: "added_tool" }]);
      scene.source.skills = [echo, edited, orders, table, hang, own, added];
      await said(scene, "and now?");
    },
  },
  {
    name: "a sub-run",
    script: [[call("handoff", { to: "research", reason: "find out" })], "found", "told", "chatting"],
    act: async (scene) => {
      await said(scene, "look it up");
      await said(scene, "thanks");
    },
  },
  {
    name: "a message that names another agent",
    script: ["researched", "chatting"],
    act: async (scene) => {
      await said(scene, "research: who was it?");
      await said(scene, "thanks");
    },
  },
  {
    name: "a pinned fact",
    script: ["noted"],
    act: async (scene) => {
      const key = `skill:${home.namespace}:memory:pinned`;
      await scene.app.store.set(key, [{ text: "Deploys are on Tuesdays.", by: "Ada" }]);
      await said(scene, "remember");
    },
  },
  {
    name: "a direct output",
    script: [[call("table")], "after the table"],
    act: async (scene) => {
      await said(scene, "show the table");
      await said(scene, "and?");
    },
  },
  {
    name: "a stop in the middle of a call",
    script: [[call("hang"), call("echo", { text: "c" })], "after the stop"],
    act: async (scene) => {
      const turnId = await scene.app.say("hang");
      await scene.app.until(turnId, "stage");
      await stopTurn(scene.app.app, turnId, ada);
      await scene.app.events(turnId);
      await said(scene, "go on");
    },
  },
  {
    name: "a model that fails",
    script: [new ModelError("overloaded", "Too many requests."), "back again"],
    act: async (scene) => {
      await said(scene, "are you there?");
      await said(scene, "and now?");
    },
  },
  {
    name: "a limit on rounds",
    script: [
      ...[1, 2, 3, 4].map((text): Line => [call("own_tool", { text })]),
      "that is what I have",
      "on it goes",
    ],
    act: async (scene) => {
      await said(scene, "work");
      await said(scene, "continue");
    },
  },
];

function startApp(storage: Storage, script: readonly Line[], more: TestAppOptions = {}) {
  const source = testSource([echo, poems, orders, table, hang, own]);
  const model = recordingModel(scriptedModel(script), (round) => [{ signature: `s${round}`, thinking: "" }]);
  const limits = { max_rounds: 4, transcript_tokens: 1_000_000 };
  const app = createTestApp(model, { ...storage, sources: [source], profiles, limits, ...more });
  return { app, source, model };
}

async function play(scene: Scene, all: readonly Step[]): Promise<void> {
  for (const step of all) await step.act(scene);
}

const scriptOf = (all: readonly Step[]) => all.flatMap(({ script }) => script);

/** What the model was sent of the thread's own conversation, without those of sub-runs. */
const ofThread = (model: RecordingModel) =>
  model.ofTurns().filter(({ system }) => !system.includes("You research."));

describe("the requests of a thread", () => {
  it("each request of a thread is a prefix of the next one, whatever happens [transcript-1]", async () => {
    const { app, source, model } = startApp(createStorage(), scriptOf(steps));
    await play({ app, source }, steps);
    expect(app.errors).toEqual([]);
    expect(model.ofTurns()).toHaveLength(scriptOf(steps).length);
    expectPrefixes(ofThread(model));
    expect(model.ofTurns().at(-1)?.messages.at(-1)?.text).toBe("continue");
  });

  it.each(steps.slice(1).map((step, at) => [step.name, at + 1] as const))(
    "the requests of a thread continue unchanged after a restart behind %s",
    async (_name, at) => {
      const storage = createStorage();
      const before = startApp(storage, scriptOf(steps.slice(0, at + 1)));
      await play(before, steps.slice(0, at + 1));
      await before.app.stop(0);
      const after = startApp(storage, ["here again"]);
      after.source.skills = before.source.skills;
      await after.app.ask("who was that?");
      const [last, first] = [ofThread(before.model).at(-1), ofThread(after.model)[0]];
      expect(first?.messages.length).toBeGreaterThan(last?.messages.length ?? 0);
      expectPrefixes([...ofThread(before.model), ...ofThread(after.model)]);
    },
  );

  it("the requests of a thread are the same from workers that take turns", async () => {
    const storage = createStorage();
    let { skills } = testSource([echo, poems, orders, table, hang, own]);
    const asked = [];
    let answered = 0;
    for (const step of steps) {
      const worker = startApp(storage, step.script);
      worker.source.skills = skills;
      await play(worker, [step]);
      ({ skills } = worker.source);
      await worker.app.stop(0);
      answered += worker.model.ofTurns().length;
      asked.push(...ofThread(worker.model));
    }
    expect(answered).toBe(scriptOf(steps).length);
    expectPrefixes(asked);
    await storage.log.close();
  });
});
