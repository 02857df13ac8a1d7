import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { answerTurn, stopTurn } from "../../../support/bot/ask-app.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

/** A gate that holds the model until `open` is called. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: () => promise, open: resolve };
}

const unmatched = (events: readonly TurnEvent[]) => {
  const finished = new Set(
    events.filter((event) => event.type === "tool_finished").map((event) => event.call_id),
  );
  return events.filter((event) => event.type === "tool_started" && !finished.has(event.call_id));
};

describe("stopping", () => {
  it("stopping aborts the model within a second and answers that the turn was stopped", async () => {
    const { app, say, until, events } = createTestApp(
      scriptedModel(["never"], { gate: () => new Promise(() => {}) }),
    );
    const turnId = await say("think for ever");
    await until(turnId, "turn_started");
    const before = Date.now();
    expect(await stopTurn(app, turnId, ada)).toEqual({ ok: true, value: { stopped: true } });
    const all = await events(turnId);
    expect(all.at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
    expect(Date.now() - before).toBeLessThan(1000);
  });

  it("stopping keeps what was said so far", async () => {
    const model = scriptedModel(["unused"]);
    const talking: typeof model = {
      ...model,
      async *stream({ signal }) {
        yield { type: "text", text: "The first half" };
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    const { app, say, until, events } = createTestApp(talking);
    const turnId = await say("tell me");
    await until(turnId, "text_delta");
    await stopTurn(app, turnId, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({
      outcome: "stopped",
      text: "The first half\n\nStopped.",
    });
  });

  it("stopping ends running tools with a result each and aborts their signal [turn-1]", async () => {
    let aborted = false;
    const skill = testSkill(
      "hang",
      [
        {
          name: "hang",
          run: (_input, context) =>
            new Promise<never>(() =>
              context.signal.addEventListener("abort", () => {
                aborted = true;
              }),
            ),
        },
      ],
      { active: true },
    );
    const { app, say, until, events } = createTestApp(scriptedModel([[{ call: "hang" }]]), {
      skills: [skill],
    });
    const turnId = await say("go");
    await until(turnId, "stage");
    await stopTurn(app, turnId, ada);
    const all = await events(turnId);
    expect(aborted).toBe(true);
    expect(unmatched(all)).toEqual([]);
    expect(all.at(-1)).toMatchObject({ outcome: "stopped" });
  });

  it("stopping ends a queued turn without running it", async () => {
    const gate = createGate();
    const model = scriptedModel(["answer"], { gate: gate.wait });
    const { app, say, until, events } = createTestApp(model);
    const first = await say("first");
    await until(first, "turn_started");
    const second = await say("second", { by: ben });
    await stopTurn(app, second, ben);
    gate.open();
    expect((await events(second)).at(-1)).toMatchObject({ outcome: "stopped" });
    expect(model.requests).toHaveLength(1);
  });

  it("only the asker and managers can stop a turn", async () => {
    const gate = createGate();
    const { app, say, until } = createTestApp(scriptedModel(["answer"], { gate: gate.wait }));
    const turnId = await say("mine");
    await until(turnId, "turn_started");
    expect(await stopTurn(app, turnId, ben)).toMatchObject({ ok: false, status: 403 });
    gate.open();
  });

  it.each(["/agent stop", "@Knack stop", "@knack agent stop", "stop", " Stop. "])(
    "a stop written as %s is understood while every worker is busy",
    async (text) => {
      const { say, ask, until, events } = createTestApp(
        scriptedModel(["never"], { gate: () => new Promise(() => {}) }),
        { concurrent: 1 },
      );
      const turnId = await say("think for ever");
      await until(turnId, "turn_started");
      const { end } = await ask(text);
      expect(end).toMatchObject({ outcome: "completed", text: "Stopped." });
      expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
    },
  );

  it("a stop in a direct message means what the person runs there, in whatever thread", async () => {
    const { say, ask, until, events } = createTestApp(
      scriptedModel(["never"], { gate: () => new Promise(() => {}) }),
    );
    const namespace = "console:local:dm";
    const mine = await say("think for ever", { namespace, thread: "one" });
    const elsewhere = await say("think for ever", { thread: "one" });
    await Promise.all([until(mine, "turn_started"), until(elsewhere, "turn_started")]);
    expect((await ask("stop", { namespace, thread: "two" })).end.text).toBe("It is stopped.");
    expect((await events(mine)).at(-1)).toMatchObject({ outcome: "stopped" });
    expect((await ask("stop", { thread: "two" })).end.text).toBe("Nothing is running here.");
  });

  it("a turn that reaches its deadline says so", async () => {
    const { ask } = createTestApp(scriptedModel(["never"], { gate: () => new Promise(() => {}) }), {
      max_duration_ms: 50,
    });
    const { end } = await ask("think for ever");
    expect(end).toMatchObject({ outcome: "limit_reached", text: expect.stringContaining("time limit") });
  });

  it("a turn does not reach its deadline because somebody sets the machine's clock", async () => {
    const clock = createFakeClock();
    const look = testSkill("look", [{ name: "look" }], { active: true });
    const model = scriptedModel([[{ call: "look" }], "Done."], {
      gate: async (_request, round) => (round === 1 ? clock.jump(3_600_000) : undefined),
    });
    const { ask } = createTestApp(model, { skills: [look], clock, max_duration_ms: 60_000 });
    expect((await ask("look")).end).toMatchObject({ outcome: "completed", text: "Done." });
  });
});

describe("messages that arrive while a turn runs", () => {
  const slowTool = (gate: { wait(): Promise<void> }) =>
    testSkill(
      "slow",
      [
        {
          name: "slow",
          run: async () => {
            await gate.wait();
            return "slow result";
          },
        },
      ],
      { active: true },
    );

  it("messages of the asker steer the running turn and get no answer of their own", async () => {
    const gate = createGate();
    const model = scriptedModel([[{ call: "slow" }], "both answered"]);
    const { say, until, events } = createTestApp(model, { skills: [slowTool(gate)] });
    const first = await say("question");
    await until(first, "stage");
    const second = await say("and in French please");
    gate.open();
    expect((await events(first)).at(-1)).toMatchObject({ text: "both answered" });
    expect((await events(second)).at(-1)).toMatchObject({
      outcome: "completed",
      text: "",
      merged_into: first,
    });
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      text: "and in French please",
      said: "and in French please",
    });
    expect(model.requests).toHaveLength(2);
  });

  it("a message of the asker during the only model call is heard before the outdated answer is posted", async () => {
    const gate = createGate();
    const model = scriptedModel(["A poem about printers.", "A poem about coffee."], {
      gate: async (_request, round) => (round === 1 ? gate.wait() : undefined),
    });
    const { say, until, events } = createTestApp(model);
    const first = await say("a poem about the printer");
    await until(first, "round_started");
    const second = await say("no wait, about the coffee machine");
    gate.open();
    const all = await events(first);
    expect(all.at(-1)).toMatchObject({ outcome: "completed", text: "A poem about coffee." });
    expect((await events(second)).at(-1)).toMatchObject({ text: "", merged_into: first });
    expect(model.requests).toHaveLength(2);
    const texts = model.requests[1]?.messages.map(({ text }) => text) ?? [];
    expect(texts.at(-2)).toBe("A poem about printers.");
    expect(texts.at(-1)).toMatch(/answer above was not posted[\s\S]*no wait, about the coffee machine$/);
  });

  it("a turn at its limit of rounds gives the answer it has", async () => {
    const gate = createGate();
    const model = scriptedModel(["first", "second"], {
      gate: async (_request, round) => (round === 1 ? gate.wait() : undefined),
    });
    const { say, until, events } = createTestApp(model, { limits: { max_rounds: 1 } });
    const first = await say("question");
    await until(first, "round_started");
    const second = await say("another");
    gate.open();
    expect((await events(first)).at(-1)).toMatchObject({ outcome: "completed", text: "first" });
    expect((await events(second)).at(-1)).toMatchObject({ text: "second" });
  });

  it("steering messages of the asker say nothing once they are stopped", async () => {
    const gate = createGate();
    const model = scriptedModel([[{ call: "slow" }], "first answer"]);
    const { app, say, until, events } = createTestApp(model, { skills: [slowTool(gate)] });
    const first = await say("question");
    await until(first, "stage");
    const second = await say("forget that I said this");
    await stopTurn(app, second, ada);
    gate.open();
    await events(first);
    expect((await events(second)).at(-1)).toMatchObject({ outcome: "stopped" });
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain("I said this");
  });

  it("messages of others wait and are answered in order", async () => {
    const gate = createGate();
    const model = scriptedModel([[{ call: "slow" }], "first answer", "second answer"]);
    const { say, until, events } = createTestApp(model, { skills: [slowTool(gate)] });
    const first = await say("question");
    await until(first, "stage");
    const second = await say("another question", { by: ben });
    gate.open();
    expect((await events(first)).at(-1)).toMatchObject({ text: "first answer" });
    expect((await events(second)).at(-1)).toMatchObject({ text: "second answer" });
    expect(model.requests[2]?.messages.map((message) => message.text)).toContain("first answer");
  });

  it("messages of the asker wait, too, when the channel says so", async () => {
    const gate = createGate();
    const model = scriptedModel([[{ call: "slow" }], "first answer", "second answer"]);
    const { say, ask, until, events } = createTestApp(model, { skills: [slowTool(gate)] });
    expect((await ask("/agent steering off", { thread: "settings" })).end.outcome).toBe("completed");
    const first = await say("question");
    await until(first, "stage");
    const second = await say("one more");
    gate.open();
    await events(first);
    expect((await events(second)).at(-1)).toMatchObject({ text: "second answer" });
  });

  it("messages in other channels run at the same time, up to the limit", async () => {
    let running = 0;
    let most = 0;
    const gate = createGate();
    const model = scriptedModel(["ok"], {
      gate: async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 4) gate.open();
        await gate.wait();
        running -= 1;
      },
    });
    const { say, events } = createTestApp(model, { concurrent: 4 });
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        say("hello", { namespace: `console:local:c${i % 10}`, thread: `t${i}` }),
      ),
    );
    const ends = await Promise.all(ids.map((id) => events(id)));
    expect(ends.every((all) => all.at(-1)?.type === "turn_finished")).toBe(true);
    expect(most).toBe(4);
  });

  it("a message delivered twice is answered once", async () => {
    const model = scriptedModel(["answer"]);
    const { say, events } = createTestApp(model);
    const ids = await Promise.all([say("hello", { key: "m1" }), say("hello", { key: "m1" })]);
    expect(new Set(ids).size).toBe(1);
    await events(ids[0] ?? "");
    expect(await say("hello", { key: "m1" })).toBe(ids[0]);
    expect(model.requests).toHaveLength(1);
  });
});

describe("a question to the person", () => {
  const asking = () =>
    scriptedModel([
      [{ call: "ask_user", with: { question: "Which one?", choices: ["A", "B"] } }],
      "You chose.",
    ]);

  it("a question to the person frees the worker and continues with the answer", async () => {
    const model = asking();
    const { app, say, ask, until, events } = createTestApp(model, { concurrent: 1 });
    const turnId = await say("choose");
    const question = await until(turnId, "question_asked");
    await until(turnId, "turn_waiting");
    expect((await ask("other thread", { thread: "t2" })).end.outcome).toBe("completed");
    expect(await answerTurn(app, turnId, question.question_id, "B", ada)).toMatchObject({ ok: true });
    const all = await events(turnId);
    expect(all.find((event) => event.type === "tool_finished")).toMatchObject({ output: { answer: "B" } });
    expect(all.at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("a question to the person is answered by the asker's next message in the thread", async () => {
    const { say, until, events } = createTestApp(asking());
    const turnId = await say("choose");
    await until(turnId, "turn_waiting");
    const reply = await say("B, of course");
    const all = await events(turnId);
    expect(all.find((event) => event.type === "tool_finished")).toMatchObject({
      output: { answer: "B, of course" },
    });
    expect((await events(reply)).at(-1)).toMatchObject({ merged_into: turnId });
  });

  it("a question to the person is not answered by what was said before it", async () => {
    const looks = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const chooser = testSkill(
      "chooser",
      [
        {
          name: "choose",
          run: async (_input, context) => {
            begun.resolve();
            await looks.promise;
            return await context.ask({ text: "Which one?", choices: ["A", "B"] });
          },
        },
      ],
      { active: true },
    );
    const model = scriptedModel([[{ call: "choose", with: {} }], "You chose."]);
    const { say, until, events } = createTestApp(model, { skills: [chooser] });
    const turnId = await say("choose");
    await begun.promise;
    const early = await say("Take your time.");
    looks.resolve();
    await until(turnId, "turn_waiting");
    await say("B, of course");
    const all = await events(turnId);
    expect(all.find((event) => event.type === "tool_finished")).toMatchObject({ output: "B, of course" });
    expect(all.filter((event) => event.type === "steered").map(({ from_turn }) => from_turn)).toContain(
      early,
    );
  });

  it("a question to the person ends without an answer when nobody answers in time", async () => {
    const { ask } = createTestApp(asking(), { limits: { question_ms: 60, approval_ms: 60 } });
    const { events, end } = await ask("choose");
    expect(events.find((event) => event.type === "tool_finished")).toMatchObject({
      status: "error",
      output: { code: "no_answer" },
    });
    expect(end.outcome).toBe("completed");
  });

  it("a question to the person is not answered by somebody else, and can be stopped", async () => {
    const { app, say, until, events } = createTestApp(asking());
    const turnId = await say("choose");
    const { question_id } = await until(turnId, "question_asked");
    await until(turnId, "turn_waiting");
    expect(await answerTurn(app, turnId, question_id, "A", ben)).toMatchObject({ ok: false, status: 403 });
    await stopTurn(app, turnId, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
  });
});
