import { describe, expect, it, type TestOptions } from "vitest";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import { type StoreClock, systemTime } from "../../src/storage/store-clock.ts";
import { exited, fakeCode } from "../support/fakes/fake-code.ts";
import { bytesOf, pathsIn, textAt, writes } from "../support/fakes/folder-code.ts";
import { scriptedModel, toolResults } from "../support/models/scripted-model.ts";
import { temporaryDisk } from "../support/temporary-folders.ts";
import { ada, createTestApp, home, type TestApp } from "../support/test-app.ts";
import { createLife, type Death } from "./life.ts";
import { mortalCode, mortalFolders, mortalStores } from "./mortal-ports.ts";
import type { EmptyStorage } from "./stores.ts";

/** What outlives a bot to which somebody sends a file, and whose model runs code on it. */
async function createWorld(empty: EmptyStorage) {
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? `It said: ${toolResults(messages).at(-1)}`
      : [{ call: "run_code", id: "c1", with: { language: "python", code: "open('input/in.csv')" } }],
  );
  /** How much later it is for the stores than for the bot, ms. */
  const later = { ms: 0 };
  const clock: StoreClock = {
    now: () => systemTime.now() + later.ms,
    steady: () => systemTime.steady() + later.ms,
  };
  const storage = await empty(clock);
  return {
    storage,
    stores: storage.open("people"),
    disk: temporaryDisk(),
    model,
    later,
    lives: { count: 0 },
    runs: { count: 0 },
    taken: { times: 0 },
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

const leaseMs = 30_000;

/** One process of the bot, until the turn has ended or it dies and its leases have ended. */
async function live(world: World, death?: Death): Promise<readonly string[]> {
  const life = createLife(death);
  world.lives.count += 1;
  const owner = `process-${world.lives.count}`;
  const stores = world.storage.open(owner);
  await stores.log.reclaim();
  const code = fakeCode(async ({ working }) => {
    world.runs.count += 1;
    if (working !== undefined) await writes({ "output/out.csv": "c,d" })(working);
    return exited("done");
  });
  const app = createTestApp(world.model, {
    owner,
    lease_ms: leaseMs,
    ...mortalStores(life, stores),
    folders: mortalFolders(life, world.disk.open()),
    code: mortalCode(life, code),
  });
  await Promise.race([life.death, ended(app, world)]);
  if (!life.isOver()) await app.stop(0);
  // What a process does at its death still happens, and the next one begins after it.
  await life.idle();
  await stores.close();
  world.later.ms += leaseMs;
  expect(app.errors).toEqual([]);
  return life.points;
}

/** Resolves when the turn has ended. What was not acknowledged is sent again. */
async function ended({ app, events }: TestApp, { taken, stores }: World): Promise<void> {
  if (taken.times === 0) {
    const file = { name: "in.csv", media_type: "text/csv", data: bytesOf("a,b") };
    const submission = { ...home, text: "go", key: "k", author: ada, files: [file] };
    const outcome = await app.submit(submission);
    if (outcome.ok) taken.times += 1;
  }
  const [turn] = await stores.log.list(home);
  await events(turn?.turn_id ?? "");
}

/** What is wrong in the end: in words, empty where all is well. */
async function violations({ stores: { log, files }, disk, runs }: World): Promise<string[]> {
  const turns = await log.list({ ...home, limit: 10 });
  const events: TurnEvent[] = await log.read(turns[0]?.turn_id ?? "");
  const end = events.at(-1);
  const folder = disk.open().of(home);
  const text = end?.type === "turn_finished" ? end.text : "";
  const isUnknown = text.includes("outcome_unknown");
  const made = await textAt(folder, "output/out.csv");
  const posted = events.filter(({ type }) => type === "file");
  const context = events.find((event) => event.type === "context_read");
  const strays = await Array.fromAsync(files.turns(), ({ turn_id }) => turn_id);
  const found = [
    turns.length === 1 || `there are ${turns.length} turns`,
    (end?.type === "turn_finished" && end.outcome === "completed") || `it ended ${JSON.stringify(end)}`,
    context?.files[0]?.text === "a,b" || `the model was told ${JSON.stringify(context)}`,
    (await textAt(folder, "input/in.csv")) === "a,b" || "the file is not there",
    (await pathsIn(folder)).filter((path) => path.startsWith("/workspace/input/")).length === 1 ||
      "it is there twice",
    runs.count <= 1 || `code ran ${runs.count} times`,
    isUnknown || runs.count === 1 || "code did not run, and nobody was told",
    isUnknown || posted.length === 1 || `${posted.length} files were posted`,
    posted.length <= 1 || "a file was posted twice",
    !isUnknown ||
      made === undefined ||
      text.includes("/workspace/output/out.csv") ||
      `of what it made, this was told: ${text}`,
    // Stored before a message that was not taken: the sweep of retention finds them.
    strays.filter((id) => turns.every(({ turn_id }) => turn_id !== id)).length <= 1 || "files of nobody",
  ];
  return found.filter((each) => typeof each === "string");
}

export function describeFileDeaths(name: string, empty: EmptyStorage, options: TestOptions = {}): void {
  const describeEach = describe.each(["before", "after"] as const);
  describeEach(`a bot on ${name} that dies %s what it does with files`, options, (when) => {
    it("a bot that dies loses, doubles and hides nothing, wherever it dies", async () => {
      const whole = await createWorld(empty);
      const names = await live(whole);
      expect(await violations(whole)).toEqual([]);
      for (const name of [
        "files.put",
        "log.accept",
        "folder.attach",
        "folder.use",
        "code.run",
        "folder.handOver",
      ])
        expect(names.some((each) => each.startsWith(name))).toBe(true);
      const wrong: string[] = [];
      for (const [point, name] of names.entries()) {
        const world = await createWorld(empty);
        await live(world, { point, when });
        await live(world);
        wrong.push(...(await violations(world)).map((each) => `${when} ${point} ${name}: ${each}`));
      }
      expect(wrong).toEqual([]);
    });
  });
}
