import { describe, expect, it } from "vitest";
import { isEphemeral, type TurnEvent } from "../../../../src/core/log/turn-event.ts";
import {
  emptyTurnView,
  foldTurn,
  noticeLine,
  type TurnView,
  toldLine,
} from "../../../../src/core/log/turn-view.ts";
import type { Model, ModelEvent } from "../../../../src/core/ports/model.ts";
import { recordingModel } from "../../../support/models/recording-model.ts";
import { createTestApp } from "../../../support/test-app.ts";

const usage = { input_tokens: 10, output_tokens: 5 };
const answer = (text: string, model = "vendor/big"): ModelEvent => ({
  type: "finished",
  message: { role: "assistant", text, tool_calls: [] },
  usage,
  model,
});

/** A model that answers with these events each time. */
function modelOf(...events: readonly ModelEvent[]): Model {
  return {
    id: "vendor/big",
    generative: true,
    async *stream() {
      yield* events;
    },
  };
}

/** A turn whose model answers so, and what the log kept of it. */
async function turnWith(...events: readonly ModelEvent[]) {
  const model = recordingModel(modelOf(...events), () => []);
  const bot = createTestApp(model);
  const { turnId, end } = await bot.ask("do it");
  const kept = await bot.log.read(turnId);
  return { bot, model, end, kept };
}

/** What people see after each of these events of a running turn. */
function seen(...bodies: readonly object[]): TurnView {
  const events = bodies.map((body, seq) => ({ turn_id: "t", seq, at: seq, ...body }) as TurnEvent);
  return events.reduce(foldTurn, emptyTurnView("t"));
}

describe("what a model thinks", () => {
  it("a model's thinking is not part of the answer, the log or what the model is sent again", async () => {
    const thoughts: ModelEvent[] = [
      { type: "thought", text: "I look at the secret plan. " },
      { type: "thought", text: "Then I answer. " },
    ];
    const { bot, model, end, kept } = await turnWith(
      ...thoughts,
      { type: "text", text: "Done." },
      answer("Done."),
    );
    expect(end.text).toBe("Done.");
    expect(JSON.stringify(kept)).not.toContain("secret plan");
    await bot.ask("and again");
    expect(JSON.stringify(model.asked[1]?.messages)).not.toContain("secret plan");
  });

  it("a model's thinking is the progress line until the model says or does something else", () => {
    const thinking = [
      { type: "turn_started", profile: "chat", model: "m" },
      { type: "model_thought", text: "Reading the page" },
    ];
    expect(toldLine(seen(...thinking), 0)).toBe("Reading the page");
    expect(seen(...thinking, { type: "model_thought", text: "Comparing" }).thought).toBe("Comparing");
    expect(seen(...thinking, { type: "text_delta", text: "The" }).thought).toBeUndefined();
    const call = { type: "tool_started", call_id: "c", tool: "t", title: "T", skill_id: "s", input: {} };
    expect(seen(...thinking, call).thought).toBeUndefined();
    const end = { type: "turn_finished", outcome: "completed", text: "x" };
    expect(seen(...thinking, end).thought).toBeUndefined();
  });

  it("the note with which a model calls a tool is its remark, whatever block it came in", async () => {
    const call = { id: "c", name: "list_files", arguments: "{}" };
    const note = "I look which files there are. Then I count the late orders.";
    const rounds: ModelEvent[][] = [
      [
        { type: "thought", text: "Hm, what is this about?\n\n" },
        { type: "thought", text: note },
        { ...answer(""), message: { role: "assistant", text: "", tool_calls: [call] } } as ModelEvent,
      ],
      [{ type: "thought", text: "The rest is clear." }, answer("Three are late.")],
    ];
    const model: Model = {
      ...modelOf(),
      async *stream() {
        yield* rounds.shift() ?? [];
      },
    };
    const bot = createTestApp(model);
    const { turnId, end } = await bot.ask("how many are late?");
    const kept = await bot.log.read(turnId);
    const view = kept.reduce(foldTurn, emptyTurnView(turnId));
    expect(view.remarks).toEqual([note]);
    expect(end.text).toBe("Three are late.");
    const atCall = kept.slice(
      0,
      kept.findIndex(({ type }) => type === "tool_finished"),
    );
    expect(toldLine(atCall.reduce(foldTurn, emptyTurnView(turnId)), 0)).toBe(note);
  });

  it("a model's thinking stays out of the log", () => {
    expect(isEphemeral({ type: "model_thought", text: "x" })).toBe(true);
    expect(isEphemeral({ type: "model_delayed", text: "x" })).toBe(true);
  });
});

describe("a delay of the model", () => {
  it("a model's delay is shown with its reason and the time left, and gone with the next sign", () => {
    const delayed = { type: "model_delayed", text: "The model is overloaded.", until: 12_400 };
    const view = seen({ type: "turn_started", profile: "chat", model: "m" }, delayed);
    expect(noticeLine(view, 400)).toBe("The model is overloaded. Trying again in 12 s.");
    expect(noticeLine(view, 7_400)).toBe("The model is overloaded. Trying again in 5 s.");
    expect(noticeLine(view, 13_000)).toBe("The model is overloaded.");
    expect(seen(delayed, { type: "model_thought", text: "On it" }).notice).toBeUndefined();
    expect(seen(delayed, { type: "text_delta", text: "On it" }).notice).toBeUndefined();
  });

  it("a model's delay alone does not void the text so far", async () => {
    const { end } = await turnWith(
      { type: "delayed", text: "Slow." },
      { type: "text", text: "Done." },
      answer("Done."),
    );
    expect(end.text).toBe("Done.");
  });
});

describe("the model of an answer", () => {
  it("the model of an answer is the one that gave it, even after a failover", () => {
    const started = { type: "turn_started", profile: "chat", model: "vendor/big" };
    const own = { type: "usage", model: "other/model", round: 1, ...usage };
    const inner = { type: "usage", model: "vendor/small", ...usage };
    expect(seen(started, own, inner).model).toBe("other/model");
  });
});
