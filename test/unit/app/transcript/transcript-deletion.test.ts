import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { approve, forgetTurn } from "../../../support/bot/ask-app.ts";
import { createMemoryFileStore } from "../../../support/fakes/memory-stores.ts";
import { expectPrefixes, recordingModel } from "../../../support/models/recording-model.ts";
import type { Line, ScriptedModelOptions } from "../../../support/models/scripted-model.ts";
import { isSummary, summarisingModel } from "../../../support/models/summarising-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const echo = testSkill("echo", [{ name: "echo" }]);

interface Options extends TestAppOptions, Pick<ScriptedModelOptions, "gate"> {
  summary?: string;
}

function bot(script: readonly Line[], { gate, summary = "A summary.", ...more }: Options = {}) {
  const lines = summarisingModel(script, summary, gate === undefined ? {} : { gate });
  const model = recordingModel(lines, (round) => [{ signature: `s${round}` }]);
  return { ...createTestApp(model, { skills: [echo], ...more }), model };
}

/** Everything the log has of the thread. */
async function stored(log: TurnLog): Promise<string> {
  const turns = await log.list({ thread: home.thread, limit: 1_000 });
  return JSON.stringify([turns, await Promise.all(turns.map(({ turn_id }) => log.read(turn_id)))]);
}

const reasonsOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "transcript_opened" ? event.because : []));
const said = (model: ReturnType<typeof recordingModel>) => JSON.stringify(model.ofTurns().at(-1)?.messages);

describe("a deleted turn", () => {
  it.each([
    ["the question", "the secret word", "fine"],
    ["the answer", "what is it?", "the secret word"],
  ])(
    "a deleted turn is not sent any more, whether %s said it; what is kept has no reasoning",
    async (_what, question, answer) => {
      const { app, ask, model, log } = bot(["hello", answer, "ok"]);
      await ask("first");
      const secret = await ask(question);
      await ask("second");
      expect(said(model)).toContain("secret");
      await forgetTurn(app, secret.turnId, ada);
      const third = await ask("third");
      expect(
        model
          .ofTurns()
          .at(-1)
          ?.messages.map(({ text }) => text),
      ).toEqual(["first", "hello", "second", "ok", "third"]);
      expect(said(model)).not.toContain("signature");
      expect(reasonsOf(await log.read(third.turnId))).toEqual(["deleted"]);
      expect(await stored(log)).not.toContain("secret");
      await ask("fourth");
      expectPrefixes(model.ofTurns().slice(3));
    },
  );

  it("a deleted turn that read untrusted text leaves its mark: later answers may repeat the text [delete-5]", async () => {
    const { app, ask, log } = bot([[{ call: "echo", with: {} }], "read", "again", "third", "fourth"]);
    const read = await ask("read it");
    await ask("say it again");
    await forgetTurn(app, read.turnId, ada);
    const { turnId } = await ask("go on");
    const opened = (await log.read(turnId)).filter(({ type }) => type === "transcript_opened");
    expect(opened).toMatchObject([{ untrusted: ["summary"] }]);
  });

  it("a deleted turn is not brought back by another worker that had read it", async () => {
    const shared = {
      log: createMemoryTurnLog(),
      store: createMemoryKeyValue(),
      files: createMemoryFileStore(),
    };
    const one = bot(["ok"], shared);
    const first = await one.ask("the secret word");
    await one.ask("second");
    await one.stop(0);
    const two = bot(["ok"], shared);
    await forgetTurn(two.app, first.turnId, ada);
    await two.stop(0);
    const three = createTestApp(one.model, { ...shared, skills: [echo] });
    await three.ask("third");
    expect(said(one.model)).not.toContain("secret");
  });

  it("a deleted turn is not brought back by a worker that runs next to the one that deleted it", async () => {
    const shared = {
      log: createMemoryTurnLog(),
      store: createMemoryKeyValue(),
      files: createMemoryFileStore(),
    };
    const gate = Promise.withResolvers<void>();
    const one = bot(["ok"], {
      ...shared,
      concurrent: 1,
      gate: (_, round) => (round === 3 ? gate.promise : Promise.resolve()),
    });
    const first = await one.ask("the secret word");
    await one.ask("second");
    // The first worker is kept busy elsewhere, so that the other one takes the turns of the thread.
    const busy = await one.say("busy", { thread: "elsewhere" });
    await one.until(busy, "round_started");
    const two = bot(["ok"], shared);
    await two.ask("third");
    expect(said(two.model)).toContain("secret");
    await forgetTurn(one.app, first.turnId, ada);
    await two.ask("fourth");
    expect(said(two.model)).not.toContain("secret");
    gate.resolve();
    await one.events(busy);
  });

  it("a deleted turn takes along a merged message, and its words leave later openings, too", async () => {
    const gate = Promise.withResolvers<void>();
    const { app, ask, say, until, events, model, log } = bot([[{ call: "echo" }], "both", "ok"], {
      gate: (_request, round) => (round === 1 ? gate.promise : Promise.resolve()),
    });
    const turnId = await say("go");
    await until(turnId, "turn_started");
    const taken = await say("the secret part");
    gate.resolve();
    await events(turnId);
    await events(taken);
    await ask("second");
    expect(said(model)).toContain("secret");
    await forgetTurn(app, taken, ada);
    await ask("third");
    expect(
      model
        .ofTurns()
        .at(-1)
        ?.messages.map(({ text }) => text),
    ).toEqual(["second", "ok", "third"]);
    expect(await stored(log)).not.toContain("secret");
  });

  it("a turn deleted while another runs is gone from that one's next model call and log [delete-1, transcript-3]", async () => {
    const gate = Promise.withResolvers<void>();
    const { app, ask, say, until, events, model, log } = bot(["ok", "ok", [{ call: "echo" }], "done"], {
      gate: (_request, round) => (round === 3 ? gate.promise : Promise.resolve()),
    });
    const first = await ask("the secret word");
    await ask("second");
    const running = await say("third");
    await until(running, "round_started");
    await forgetTurn(app, first.turnId, ada);
    gate.resolve();
    await events(running);
    const [before, after] = model.ofTurns().slice(-2);
    expect(JSON.stringify(before)).toContain("secret");
    expect(JSON.stringify(after)).not.toContain("secret");
    expect(JSON.stringify(after)).not.toContain("signature");
    expect(after?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
    ]);
    expect(reasonsOf(await log.read(running))).toEqual(["deleted"]);
    expect(await stored(log)).not.toContain("secret");
  });

  it("a turn deleted while another waits for a person is gone when that one continues", async () => {
    const send = { name: "send", effect: "side_effect" as const, run: () => "sent" };
    const mail = testSkill("mail", [send], { active: true, risk: "high" });
    const { app, ask, say, until, events, model, log } = bot(["ok", "ok", [{ call: "send" }], "done"], {
      skills: [mail],
    });
    const first = await ask("the secret word");
    await ask("second");
    const waiting = await say("send it");
    const all = events(waiting);
    const { approval_id } = await until(waiting, "approval_requested");
    await forgetTurn(app, first.turnId, ada);
    await approve(app, approval_id, true, ada);
    await all;
    const last = model
      .ofTurns()
      .at(-1)
      ?.messages.map(({ role, text }) => [role, text]);
    expect(last).toEqual([
      ["user", "second"],
      ["assistant", "ok"],
      ["user", "send it"],
      ["assistant", ""],
      ["tool", "sent"],
    ]);
    expect(await stored(log)).not.toContain("secret");
  });

  it("a deleted turn is no longer in the summary that contained it, nor in any opening [delete-1]", async () => {
    const { app, ask, model, log } = bot(["ok"], {
      summary: "They spoke of the secret.",
      limits: { transcript_tokens: 3_000 },
    });
    const first = await ask(`the secret word ${"word ".repeat(100)}`);
    for (let at = 0; at < 16; at += 1) await ask(`question ${at} ${"word ".repeat(150)}`);
    expect(said(model)).toContain("They spoke of the secret.");
    await forgetTurn(app, first.turnId, ada);
    expect(await stored(log)).not.toContain("secret");
    const before = model.asked.length;
    await ask("and now?");
    const again = model.asked.slice(before).filter(isSummary);
    expect(again).toHaveLength(1);
    expect(JSON.stringify(again)).not.toContain("secret");
    expect(again[0]?.messages[0]?.text).toContain("question 0 ");
  });

  it("deleting the only turn leaves the thread as if it had just begun", async () => {
    const { app, ask, model } = bot(["ok"]);
    const { turnId } = await ask("the secret word");
    await forgetTurn(app, turnId, ada);
    await ask("hello");
    expect(model.ofTurns().at(-1)?.messages).toEqual([{ role: "user", text: "hello", said: "hello" }]);
    expect(model.ofTurns().at(-1)?.system).toBe(model.ofTurns()[0]?.system);
  });

  it("deleting a turn changes nothing for other threads", async () => {
    const { app, ask, model } = bot(["ok"]);
    const { turnId } = await ask("one", { thread: "a" });
    await ask("two", { thread: "b" });
    await forgetTurn(app, turnId, ada);
    await ask("three", { thread: "b" });
    expectPrefixes(model.ofTurns().slice(1));
  });
});
