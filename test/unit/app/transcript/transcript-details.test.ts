import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createMemoryFileStore } from "../../../support/fakes/memory-stores.ts";
import { expectPrefixes, recordingModel } from "../../../support/models/recording-model.ts";
import { type Line, scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

const echo = testSkill("echo", [{ name: "echo" }]);

/** Bots that share a log one after another; each begins with an empty memory of past turns. */
function bots(script: readonly Line[]) {
  const shared = {
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
    files: createMemoryFileStore(),
  };
  let at = 0;
  const model = recordingModel(
    scriptedModel(() => {
      at += 1;
      return script[Math.min(at, script.length) - 1] ?? "";
    }),
    (round) => [{ signature: `s${round}` }],
  );
  return { ...shared, model, start: () => createTestApp(model, { ...shared, skills: [echo] }) };
}

const openingsIn = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "transcript_opened" ? event : []));

describe("a turn whose details were removed", () => {
  it("a turn without details continues as question and answer in a new transcript, to which later turns append", async () => {
    const { log, model, start } = bots([[{ call: "echo" }], "hello", "again", "third", "fourth"]);
    const one = start();
    const first = await one.ask("first");
    const second = await one.ask("second");
    await one.stop(0);
    await log.removeDetails([first.turnId, second.turnId], 9_000);
    const two = start();
    const third = await two.ask("third?");
    const sent = model
      .ofTurns()
      .at(-1)
      ?.messages.map(({ text }) => text);
    expect(sent).toEqual(['"Ada" (ada):\nfirst', "hello", '"Ada" (ada):\nsecond', "again", "third?"]);
    const [opening] = openingsIn(await log.read(third.turnId));
    expect(opening).toMatchObject({ because: "first", untrusted: ["summary"] });
    const fourth = await two.ask("fourth?");
    expect(openingsIn(await log.read(fourth.turnId))).toEqual([]);
    expectPrefixes(model.ofTurns().slice(3));
  });

  it("a turn reads as question and answer even if a crash left some of its details", async () => {
    const { log, model, start } = bots(["third"]);
    const place = { namespace: home.namespace, thread: home.thread };
    await log.accept({ key: "k", ...place, author: ada, kind: "message", text: "first" }, "t1", 1);
    await log.claim("w", 1_000);
    const stamp = (seq: number) => ({ turn_id: "t1", seq, at: 1 });
    const call = { call_id: "c", tool: "echo", status: "ok", output: "left behind", duration_ms: 1 } as const;
    await log.append("t1", "w", [
      { type: "details_removed", ...stamp(1) },
      { type: "tool_finished", ...call, ...stamp(2) },
      { type: "turn_finished", outcome: "completed", text: "hello", ...stamp(3) },
    ]);
    await start().ask("second");
    const sent = model
      .ofTurns()
      .at(-1)
      ?.messages.map(({ text }) => text);
    expect(sent).toEqual(['"Ada" (ada):\nfirst', "hello", "second"]);
  });

  it("a turn without details leaves a transcript opened by a later turn alone", async () => {
    const { log, model, start } = bots(["hello", "again", "third", "fourth"]);
    const one = start();
    const first = await one.ask("first");
    await log.removeDetails([first.turnId], 9_000, { forgets: true });
    const second = await one.ask("second");
    expect(openingsIn(await log.read(second.turnId))).toMatchObject([{ because: "first" }]);
    await one.stop(0);
    await log.removeDetails([first.turnId], 9_000);
    const two = start();
    const third = await two.ask("third?");
    expect(openingsIn(await log.read(third.turnId))).toEqual([]);
    expectPrefixes(model.ofTurns().slice(1));
  });
});
