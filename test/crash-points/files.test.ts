import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { WorkingFolders } from "../../src/core/ports/working-folder.ts";
import { createMemoryFileStore } from "../../src/storage/memory-file-store.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { exited, fakeCode } from "../support/fakes/fake-code.ts";
import { bytesOf, pathsIn, textAt, writes } from "../support/fakes/folder-code.ts";
import { scriptedModel, toolResults } from "../support/models/scripted-model.ts";
import { pendingTurns } from "../support/pending-turns.ts";
import { temporaryDisk } from "../support/temporary-folders.ts";
import { ada, createTestApp, home } from "../support/test-app.ts";
import { createLife, type Death } from "./life.ts";
import { mortalCode, mortalFiles, mortalFolders, mortalLog } from "./mortal-ports.ts";

/** What outlives a bot to which somebody sends a file, and whose model runs code on it. */
function createWorld() {
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? `It said: ${toolResults(messages).at(-1)}`
      : [{ call: "run_code", id: "c1", with: { language: "python", code: "open('input/in.csv')" } }],
  );
  return {
    log: createMemoryTurnLog(),
    files: createMemoryFileStore(),
    disk: temporaryDisk(),
    model,
    runs: { count: 0 },
    taken: { times: 0 },
  };
}
type World = ReturnType<typeof createWorld>;

/** One process of the bot, until the turn has ended or it dies. What was not acknowledged is sent again. */
async function live(world: World, death?: Death): Promise<readonly string[]> {
  const life = createLife(death);
  // What a process does at its death still happens, and the next one begins after it.
  let last: Promise<unknown> = Promise.resolve();
  let begun: Promise<unknown> | undefined;
  const remembered: typeof life = {
    ...life,
    act: (name, work) =>
      life.act(name, () => {
        begun = undefined;
        const done = Promise.resolve(work());
        last = begun ?? done;
        return done;
      }),
  };
  // A run whose code is killed never ends: it has happened when its code begins.
  const folders = world.disk.open();
  const noticed: WorkingFolders = {
    ...folders,
    of(place) {
      const folder = folders.of(place);
      return {
        ...folder,
        use(how, work, signal) {
          const inside = Promise.withResolvers<void>();
          const done = folder.use(
            how,
            (working) => {
              inside.resolve();
              return work(working);
            },
            signal,
          );
          begun = Promise.race([inside.promise, done]);
          return done;
        },
      };
    },
  };
  await world.log.reclaim();
  const code = fakeCode(async ({ working }) => {
    world.runs.count += 1;
    if (working !== undefined) await writes({ "output/out.csv": "c,d" })(working);
    return exited("done");
  });
  const app = createTestApp(world.model, {
    log: mortalLog(remembered, world.log),
    files: mortalFiles(remembered, world.files),
    folders: mortalFolders(remembered, noticed),
    code: mortalCode(remembered, code),
  });
  if (world.taken.times === 0) {
    const file = { name: "in.csv", media_type: "text/csv", data: bytesOf("a,b") };
    const submission = { ...home, text: "go", key: "k", author: ada, files: [file] };
    void app.app.submit(submission).then((outcome) => {
      if (outcome.ok) world.taken.times += 1;
    });
  }
  const isDone = async () => world.taken.times > 0 && (await pendingTurns(world.log)) === 0;
  while (!life.isOver() && !(await isDone())) await new Promise((resolve) => setImmediate(resolve));
  if (!life.isOver()) await app.stop(0);
  await last.catch(() => undefined);
  expect(app.errors).toEqual([]);
  return life.points;
}

/** What is wrong in the end: in words, empty where all is well. */
async function violations({ log, files, disk, runs }: World): Promise<string[]> {
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

describe.each(["before", "after"] as const)("a bot that dies %s what it does with files", (when) => {
  it("a bot that dies loses, doubles and hides nothing, wherever it dies", async () => {
    const whole = createWorld();
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
      const world = createWorld();
      await live(world, { point, when });
      await live(world);
      wrong.push(...(await violations(world)).map((each) => `${when} ${point} ${name}: ${each}`));
    }
    expect(wrong).toEqual([]);
  });
});
