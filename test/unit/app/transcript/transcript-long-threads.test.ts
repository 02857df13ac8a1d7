import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { bytes, callable, fileOf } from "../../../support/bot/called-bot.ts";
import { expectPrefixes, recordingModel } from "../../../support/models/recording-model.ts";
import { type Line, scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

/** Adds a finished turn that is in no transcript. */
async function addTurn(
  log: TurnLog,
  id: string,
  text: string,
  events: readonly TurnEventBody[],
): Promise<void> {
  const at = Date.now();
  await log.accept({ key: id, ...home, author: ada, kind: "message", text }, id, at);
  await log.claim("another", 60_000);
  const stamped = events.map((event, before) => ({ ...event, turn_id: id, seq: before + 1, at }));
  await log.append(id, "another", stamped);
}

const started: TurnEventBody = { type: "turn_started", profile: "chat", model: "old/model" };
const answer = (text: string): TurnEventBody[] => [
  { type: "round_started", round: 1 },
  { type: "usage", model: "old/model", input_tokens: 10, output_tokens: 1 },
  {
    type: "model_message",
    round: 1,
    model: "old/model",
    message: { role: "assistant", text, tool_calls: [] },
  },
  { type: "turn_finished", outcome: "completed", text },
];

/** A log that remembers which turns were read of it. */
function watchedLog(inner: TurnLog): { log: TurnLog; read: string[] } {
  const read: string[] = [];
  const log = new Proxy(inner, {
    get(target, name: keyof TurnLog) {
      const value = target[name];
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "read") read.push(String(given[0]));
        return Reflect.apply(value, target, given);
      };
    },
  });
  return { log, read };
}

const eventsOf = async (log: TurnLog, ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => log.read(id)))).flat();
const openings = (events: readonly TurnEventBody[]) =>
  events.flatMap((event) => (event.type === "transcript_opened" ? event.because : []));

function bot(script: readonly Line[], more: Parameters<typeof createTestApp>[1] = {}) {
  const model = recordingModel(
    scriptedModel((request) => {
      if (request.system.startsWith("Summarise")) return "A summary.";
      return script[Math.min(model.ofTurns().length, script.length) - 1] ?? "";
    }),
  );
  return { ...createTestApp(model, more), model };
}

describe("a thread with files", () => {
  it("a thread with files is summarised and carried over with path and first lines of each", async () => {
    const text = (name: string) => `${name} begins here.\n${`A line of ${name}.\n`.repeat(150)}`;
    const asked: string[] = [];
    const model = scriptedModel((request) => {
      if (!request.system.startsWith("Summarise")) return "Seen.";
      asked.push(request.messages[0]?.text ?? "");
      return "A summary.";
    });
    const { platform, call: say } = callable({ limits: { transcript_tokens: 3_500 } }, model);
    for (let at = 1; at <= 16; at += 1) {
      platform.files.set(`f${at}`, bytes(text(`log${at}`)));
      await say("Look", { files: [fileOf(`f${at}`, `log${at}.txt`)], in_thread: false });
    }
    expect(asked.length).toBeGreaterThan(0);
    expect(asked[0]).toContain("log1 begins here.");
    expect(asked[0]).toContain("[cut: read_file has the rest]");
    expect(asked[0]?.length).toBeLessThan(3_000);
  });
});

describe("a long thread", () => {
  it("a long thread is read back to where its transcript opened, each turn once", async () => {
    const inner = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    for (let at = 0; at < 450; at += 1)
      await addTurn(inner, `old-${at}`, `q${at}`, [started, ...answer(`a${at}`)]);
    const limits = { transcript_tokens: 6_000 };
    const first = bot(["ok"], { log: inner, store, limits });
    const own: string[] = [];
    for (let at = 0; at < 50; at += 1) own.push((await first.ask(`question ${at}`)).turnId);
    await first.stop(0);
    expect(openings(await eventsOf(inner, own))).toEqual(["first"]);

    const { log, read } = watchedLog(inner);
    const second = bot(["ok"], { log, store, limits });
    for (const text of ["here again", "and again"]) await second.ask(text);
    expect(read.filter((id) => id.startsWith("old-"))).toEqual([]);
    expect(read.filter((id) => own.includes(id)).toSorted()).toEqual(own.toSorted());
    expectPrefixes([...first.model.ofTurns(), ...second.model.ofTurns()].slice(-3));
  });

  it("a long thread without a transcript is read only as far back as its summary needs", async () => {
    const inner = createMemoryTurnLog();
    for (let at = 0; at < 700; at += 1)
      await addTurn(inner, `old-${at}`, `q${at} ${"word ".repeat(50)}`, [started, ...answer(`a${at}`)]);
    const { log, read } = watchedLog(inner);
    const { ask, model } = bot(["ok"], { log, limits: { transcript_tokens: 6_000 } });
    await ask("hello");
    expect(read.length).toBeLessThan(600);
    expect(model.asked[0]?.messages[0]?.text).toMatch(/^Conversation:/);
  });

  it("a long thread has one transcript, sent whole, however many short turns it has", async () => {
    const log = createMemoryTurnLog();
    const { ask, model } = bot(["ok"], { log, limits: { transcript_tokens: 200_000 } });
    const ids: string[] = [];
    // More than are read of a log at a time, twice.
    for (let at = 0; at < 140; at += 1) ids.push((await ask(`q${at}`)).turnId);
    expect(openings(await eventsOf(log, ids))).toEqual(["first"]);
    expect(model.ofTurns().at(-1)?.messages).toHaveLength(279);
  });
});
