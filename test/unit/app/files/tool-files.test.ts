import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createMemoryFileStore } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const csv = (name: string, content: string) => ({ name, media_type: "text/csv", data: bytes(content) });

/** A skill whose tool does this with its context. */
function maker(
  work: (context: ToolContext) => Promise<unknown>,
  effect: "read_only" | "side_effect" = "read_only",
) {
  const run = async (_input: unknown, context: ToolContext) => {
    await work(context);
    return "made";
  };
  return testSkill("maker", [{ name: "make", effect, run }], { active: true });
}

const callsMake = () => scriptedModel([[{ call: "make" }], "Here it is."]);

describe("a file that a tool makes", () => {
  it("a tool's file belongs to the turn, under a safe name and an address where it is found", async () => {
    const skill = maker((context) => context.file(csv("../sales figures.csv", "a;b")));
    const app = createTestApp(callsMake(), { skills: [skill] });
    const { turnId, events } = await app.ask("make it");
    const file = events.find((event) => event.type === "file");
    const name = "_sales figures.csv";
    expect(file).toMatchObject({
      call_id: "call_1_0",
      name,
      media_type: "text/csv",
      bytes: 3,
      url: `/api/v1/turns/${turnId}/files/_sales%20figures.csv`,
    });
    expect(await app.app.file(turnId, name)).toEqual({ media_type: "text/csv", data: bytes("a;b") });
    expect(await app.app.file(turnId, "other.csv")).toBeUndefined();
  });

  it("a tool's file replaces one of the same name from the same call, but not one from another call", async () => {
    const named: string[] = [];
    const skill = maker(async (context) => {
      await context.file(csv("a.csv", context.call_id));
      named.push(await context.file(csv("a.csv", `${context.call_id} again`)));
    });
    const model = scriptedModel([
      [
        { call: "make", id: "one", with: { text: "1" } },
        { call: "make", id: "two", with: { text: "2" } },
      ],
      "Here they are.",
    ]);
    const app = createTestApp(model, { skills: [skill] });
    const { turnId } = await app.ask("make two");
    expect(named.toSorted()).toEqual(["a-2.csv", "a.csv"]);
    const contents = await Promise.all(
      ["a.csv", "a-2.csv", "a-3.csv"].map(async (name) => {
        const found = await app.app.file(turnId, name);
        return found && new TextDecoder().decode(found.data);
      }),
    );
    expect(contents.toSorted()).toEqual(["one again", "two again", undefined]);
  });

  it("a tool's file exists once, in its last form, when its call is run again after a crash", async () => {
    const log = createMemoryTurnLog();
    const files = createMemoryFileStore();
    const stuck = Promise.withResolvers<void>();
    const first = maker(async (context) => {
      await context.file(csv("a.csv", "before"));
      await context.file(csv("b.csv", "same"));
      stuck.resolve();
      await new Promise(() => {});
    });
    const before = createTestApp(callsMake(), { log, files, skills: [first] });
    const turnId = await before.say("make it");
    await stuck.promise;
    await before.stop(0);
    await log.reclaim();

    const second = maker(async (context) => {
      await context.file(csv("a.csv", "after the crash"));
      await context.file(csv("b.csv", "same"));
    });
    const after = createTestApp(scriptedModel(["Here it is."]), { log, files, skills: [second] });
    const events = await after.events(turnId);
    const told = events.filter((event) => event.type === "file").map(({ name, bytes: size }) => [name, size]);
    expect(told).toEqual([
      ["a.csv", 6],
      ["b.csv", 4],
      ["a.csv", 15],
    ]);
    expect((await files.get(turnId, "a.csv"))?.data).toEqual(bytes("after the crash"));
    expect(await files.get(turnId, "a-2.csv")).toBeUndefined();
    expect(await files.get(turnId, "b-2.csv")).toBeUndefined();
  });

  it("a tool's file that is too large is refused with a hint, and nothing is kept", async () => {
    const data = new Uint8Array(25_000_001);
    const skill = maker((context) => context.file({ name: "big.bin", media_type: "image/png", data }));
    const model = callsMake();
    const app = createTestApp(model, { skills: [skill] });
    const { turnId, events } = await app.ask("make it");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain(
      "big.bin has 26 MB; a file may have 25 MB",
    );
    expect(events.some((event) => event.type === "file")).toBe(false);
    expect(await app.app.file(turnId, "big.bin")).toBeUndefined();
    expect(app.errors).toEqual([]);
  });

  it("a turn gets at most fifty files from tools", async () => {
    const skill = maker(async (context) => {
      for (let at = 0; at < 60; at += 1) await context.file(csv(`${at}.csv`, "x"));
    });
    const model = callsMake();
    const app = createTestApp(model, { skills: [skill] });
    const { events } = await app.ask("make them");
    expect(events.filter((event) => event.type === "file")).toHaveLength(50);
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("a turn may have 50 files");
  });
});
