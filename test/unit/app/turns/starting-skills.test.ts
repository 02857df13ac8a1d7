import { describe, expect, it } from "vitest";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { stopTurn } from "../../../support/bot/ask-app.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

/** A skill whose tools are known only after a while, as a server's or a package's of tools. */
function startingSkill(more: Partial<Skill> = {}, run: () => unknown = () => "added") {
  const started = Promise.withResolvers<void>();
  const skill = testSkill("kit", [], {
    kind: "imported",
    problems: ["Its tools are being read."],
    active: true,
    ready: () => started.promise,
    ...more,
  });
  const source = testSource([skill]);
  const tools = ["kit_add", "kit_drop"].map((name) => ({
    name,
    effect: "side_effect" as const,
    run: run as () => string,
  }));
  return {
    source,
    start() {
      source.skills = [testSkill("kit", tools, { kind: "imported", active: more.active ?? true })];
      started.resolve();
    },
  };
}

const script = (call: string) => scriptedModel([[{ call, id: "c1" }], "Done."]);

describe("a skill that is starting", () => {
  it("a turn waits for a starting skill that is active in its channel, and says so", async () => {
    const { source, start } = startingSkill();
    const model = script("kit_add");
    const { say, until, events } = createTestApp(model, { sources: [source] });
    const turnId = await say("go");
    expect(await until(turnId, "skills_starting")).toMatchObject({
      skill_ids: ["kit"],
      text: "Waiting for kit to start.",
    });
    expect(model.requests).toHaveLength(0);
    start();
    await events(turnId);
    expect(toolResults(model.requests.at(-1)?.messages ?? [])).toEqual(["added"]);
  });

  it("a turn does not wait for a starting skill that nobody uses", async () => {
    const { source } = startingSkill({ active: false });
    expect((await createTestApp(scriptedModel(["Done."]), { sources: [source] }).ask("go")).end.text).toBe(
      "Done.",
    );
  });

  it("a turn waits at most half a minute for a starting skill, and the model is told that it is starting", async () => {
    const { source } = startingSkill();
    const clock = createFakeClock();
    const model = script("kit_add");
    const { say, events } = createTestApp(model, { sources: [source], clock });
    await clock.advanceUntil(events(await say("go")), 1_000);
    const [result] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(result).toContain("kit is starting");
    expect(result).not.toContain("not found");
  });

  it("a turn can be stopped while it waits for a starting skill", async () => {
    const { source } = startingSkill();
    const { app, say, until, events } = createTestApp(script("kit_add"), { sources: [source] });
    const turnId = await say("go");
    await until(turnId, "skills_starting");
    await stopTurn(app, turnId, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
  });

  it("a command waits for the starting skill that it runs", async () => {
    const { source, start } = startingSkill({ active: false });
    const { say, events } = createTestApp(scriptedModel([]), { sources: [source] });
    const turnId = await say("/skill run kit#add {}");
    start();
    expect((await events(turnId)).at(-1)).not.toMatchObject({ text: expect.stringContaining("being read") });
  });
});

it("a killed call keeps an unknown outcome even if its tool never comes back", async () => {
  const log = createMemoryTurnLog();
  const reached = Promise.withResolvers<void>();
  const { source, start } = startingSkill({}, () => {
    reached.resolve();
    return new Promise(() => {});
  });
  start();
  const first = createTestApp(script("kit_add"), { sources: [source], log });
  const turnId = await first.say("go");
  await reached.promise;
  await first.stop(0);
  await log.reclaim();
  const model = scriptedModel(["Done."]);
  const second = createTestApp(model, { skills: [], log });
  await second.events(turnId);
  expect(toolResults(model.requests.at(-1)?.messages ?? [])).toEqual([
    expect.stringContaining("outcome_unknown"),
  ]);
});

it("a skill of several tools called by its id leads to its tools", async () => {
  const { source, start } = startingSkill({ active: false });
  start();
  const model = script("kit");
  await createTestApp(model, { sources: [source] }).ask("go", { namespace: home.namespace });
  expect(toolResults(model.requests.at(-1)?.messages ?? [])[0]).toContain(
    "call the one that fits: kit_add, kit_drop",
  );
});
