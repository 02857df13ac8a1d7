import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { emptyTurnView, foldTurn, ownSteps } from "../../../../src/core/log/turn-view.ts";
import { ModelError, type ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { approve, forgetTurn, stopTurn } from "../../../support/bot/ask-app.ts";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "reader", description: "Reads <all>.", prompt: "You read.", tools: ["search", "handoff"] },
  { id: "maker", description: "Makes.", prompt: "You make." },
  { id: "lead", description: "Leads.", prompt: "You lead.", supervisor: true },
  { id: "rhyme", description: "A mode.", prompt: "You rhyme.", preset_of: "chat" },
];
const skills = [
  testSkill("weather", [{ name: "weather" }], { active: true }),
  testSkill(
    "post",
    [
      {
        name: "post",
        effect: "side_effect",
        approval: () => ({ approver: "asker", reason: "It is seen." }),
        run: () => "posted",
      },
    ],
    { active: true },
  ),
  testSkill("printed", [{ name: "printed", run: () => ({ status: "ok", output: "12 mm", direct: true }) }], {
    active: true,
  }),
  testSkill(
    "paint",
    [
      {
        name: "paint",
        run: async (_input, context) => {
          await context.file({
            name: "sea.txt",
            media_type: "text/plain",
            data: new TextEncoder().encode("~"),
          });
          return "painted";
        },
      },
    ],
    { active: true },
  ),
];
const ask = (to: string, reason: string) => ({ call: "handoff", with: { to, reason } });

/** The agent that a request is for, by its instructions as they are at the end. */
const agentOf = ({ system }: ModelRequest) =>
  ["You read.", "You make.", "You rhyme.", "You lead.", "You chat."].find((prompt) =>
    system.includes(prompt),
  ) ?? "";
const lastOf = ({ messages }: ModelRequest) => messages.at(-1)?.text ?? "";

function bot(
  lines: Parameters<typeof scriptedModel>[0],
  more: Parameters<typeof createTestApp>[1] = {},
  options: Parameters<typeof scriptedModel>[1] = {},
) {
  const model = scriptedModel(lines, options);
  return {
    model,
    ...createTestApp(model, { profiles, skills, limits: { open_tools_tokens: 3_000 }, ...more }),
  };
}

/** A main agent that hands these tasks over and then says what it got; `helper` answers for the others. */
const leading =
  (tasks: readonly ReturnType<typeof ask>[], helper: (request: ModelRequest) => Line) =>
  (request: ModelRequest): Line => {
    if (agentOf(request) !== "You chat." && agentOf(request) !== "You lead.") return helper(request);
    const results = toolResults(request.messages);
    return results.length === 0 ? [...tasks] : `Got ${results.join(" and ")}.`;
  };

const viewOf = (events: readonly TurnEvent[]) => events.reduce(foldTurn, emptyTurnView("x"));

describe("a sub-run", () => {
  it("a sub-run has a short conversation of its own, and its answer is the result of the call", async () => {
    const { ask: say, model } = bot(leading([ask("maker", "Count the apples.")], () => "There are 12."));
    const { end, events } = await say("how many? And tell nobody else.");
    expect(end).toMatchObject({ outcome: "completed", text: "Got There are 12.." });
    const [first, second, third] = model.requests;
    expect(second?.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\[.* UTC, for "Ada" \(ada\)\]\nCount the apples\.$/),
    ]);
    expect(second?.system).toContain("You make.");
    expect(second?.system).not.toContain("You chat.");
    expect(third?.system).toBe(first?.system);
    expect(third?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(events).toContainEqual(expect.objectContaining({ type: "handoff", from: "chat", to: "maker" }));
  });

  it("a sub-run names its files, and cannot start another one", async () => {
    const { ask: say, model } = bot(
      leading([ask("maker", "Paint.")], (request) => {
        const results = toolResults(request.messages);
        return [[{ call: "paint" }], [ask("maker", "Paint.")], "Done."][results.length] ?? "Done.";
      }),
    );
    const { end } = await say("go");
    expect(end.text).toBe("Got Done.\n\nFiles: sea.txt.");
    expect(model.requests[1]?.tools.map(({ name }) => name)).not.toContain("handoff");
    expect(toolResults(model.requests[3]?.messages ?? []).at(-1)).toContain("Function 'handoff' not found");
  });

  it("the steps of a sub-run are shown below the step of its call", async () => {
    const { ask: say } = bot(
      leading([ask("maker", "Look.")], ({ messages }) =>
        toolResults(messages).length === 0 ? [{ call: "weather" }] : "Sunny.",
      ),
    );
    const view = viewOf((await say("go")).events);
    expect(ownSteps(view).map(({ title }) => title)).toEqual(["Asking maker: Look."]);
    expect(view.steps.map(({ title }) => title)).toEqual(["Asking maker: Look.", "Running weather"]);
    expect(view).toMatchObject({ input_tokens: 40, text: "Got Sunny.." });
  });

  it("several sub-runs work at once, at most three", async () => {
    let most = 0;
    let now = 0;
    const full = Promise.withResolvers<void>();
    const gate = async (request: ModelRequest) => {
      if (agentOf(request) !== "You make.") return;
      now += 1;
      most = Math.max(most, now);
      if (now === 3) full.resolve();
      await full.promise;
      now -= 1;
    };
    const tasks = ["1", "2", "3", "4", "5"].map((each) => ask("maker", each));
    const lines = leading(tasks, (request) => `<${lastOf(request).split("\n")[1]}>`);
    const { ask: say } = bot(lines, { limits: { max_concurrent: 10 } }, { gate });
    expect((await say("go")).end.text).toBe("Got <1> and <2> and <3> and <4> and <5>.");
    expect(most).toBe(3);
  });

  it("three sub-runs that wait for approvals at once each go on with their own decision", async () => {
    const tasks = ["1", "2", "3"].map((each) => ask("maker", each));
    const lines = leading(tasks, ({ messages }) => {
      const [result] = toolResults(messages);
      const number = messages[0]?.text.split("\n")[1];
      return result === undefined
        ? [{ call: "post", with: { text: number }, id: "same" }]
        : `${number} ${result.slice(0, 6)}`;
    });
    const { app, say, until, events, log, model } = bot(lines);
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    const asked = (await log.read(turnId)).filter((event) => event.type === "approval_requested");
    expect(asked.map(({ input }) => input)).toEqual(
      expect.arrayContaining([{ text: "1" }, { text: "2" }, { text: "3" }]),
    );
    for (const { approval_id, input } of asked)
      await approve(app, approval_id, JSON.stringify(input) !== '{"text":"2"}', ada);
    const all = await events(turnId);
    expect(all.at(-1)).toMatchObject({
      text: expect.stringMatching(/^Got 1 posted and 2 \{"erro and 3 posted\.$/),
    });
    expect(model.requests).toHaveLength(8);
  });

  it("a stop ends a turn with its sub-runs, and every call that started has a result", async () => {
    const { app, say, until, events } = bot(
      leading([ask("maker", "a"), ask("maker", "b")], () => "never"),
      {},
      {
        gate: (request) => (agentOf(request) === "You make." ? new Promise(() => {}) : Promise.resolve()),
      },
    );
    const turnId = await say("go");
    await until(turnId, "handoff");
    await stopTurn(app, turnId, ada);
    const all = await events(turnId);
    expect(all.at(-1)).toMatchObject({ outcome: "stopped" });
    const ids = (type: "tool_started" | "tool_finished") =>
      all.flatMap((event) => (event.type === type ? [event.call_id] : [])).sort();
    expect(ids("tool_finished")).toEqual(ids("tool_started"));
  });

  it("rounds of sub-runs count towards the limit of their turn [turn-5]", async () => {
    const { ask: say, model } = bot(
      leading([ask("maker", "loop")], ({ tools }) =>
        tools.length === 0 ? "Half." : [{ call: "weather", with: { text: String(Math.random()) } }],
      ),
      {
        limits: { max_rounds: 5 },
      },
    );
    const { end } = await say("go");
    expect(end).toMatchObject({
      outcome: "limit_reached",
      text: expect.stringContaining("Half.\n\nThis turn ends here"),
    });
    expect(model.requests.length).toBeLessThanOrEqual(7);
  });

  it("a turn waits while the model of a sub-run is unavailable, and goes on with it", async () => {
    let tries = 0;
    const lines = leading([ask("maker", "a")], () => {
      tries += 1;
      return tries === 1 ? new ModelError("unavailable", "down") : "made";
    });
    const { ask: say, model } = bot(lines, { limits: { away_retry_ms: 60_000 } });
    const { end, events } = await say("go");
    expect(end.text).toBe("Got made.");
    expect(events.filter(({ type }) => type === "turn_waiting")).toHaveLength(1);
    expect(model.requests).toHaveLength(4);
  });

  it("a failing sub-run is a result for its parent", async () => {
    const { ask: say } = bot(leading([ask("maker", "a")], () => new Error("broken")));
    expect((await say("go")).end).toMatchObject({
      outcome: "completed",
      text: expect.stringContaining("handoff failed: broken"),
    });
  });

  it("an answer that a tool gives ends the sub-run and not the turn", async () => {
    const { ask: say } = bot(leading([ask("maker", "a")], () => [{ call: "printed" }]));
    expect((await say("go")).end.text).toBe("Got 12 mm.");
  });

  it("a sub-run is denied what its parent is denied", async () => {
    const strict: Profile = {
      id: "chat",
      description: "",
      prompt: "You chat.",
      black_tool_actions: { weather: ["*"] },
    };
    const { ask: say } = bot(
      leading([ask("maker", "a")], ({ messages }) => toolResults(messages)[0] ?? [{ call: "weather" }]),
      {
        profiles: [strict, ...profiles.slice(1)],
      },
    );
    expect((await say("go")).end.text).toMatch(/Got .*not found|Got .*may not/);
  });

  it("modes, supervisors and unknown agents cannot be asked", async () => {
    const { ask: say, model } = bot([[ask("rhyme", "a"), ask("lead", "b"), ask("reeder", "c")], "done"]);
    await say("go");
    const results = toolResults(model.requests[1]?.messages ?? []);
    expect(results).toHaveLength(3);
    for (const result of results) expect(result).toContain("There is no agent");
    expect(results[2]).toContain("Did you mean reader?");
    expect(model.requests[0]?.system).toContain("- reader: Reads &lt;all&gt;.");
    expect(model.requests[0]?.system).not.toContain("- lead:");
  });

  it("a message during a sub-run reaches the agent that started it, after its result", async () => {
    const gate = Promise.withResolvers<void>();
    const { say, until, events, model } = bot(
      (request) => {
        if (agentOf(request) === "You make.") return "made";
        const results = toolResults(request.messages);
        return results.length === 0 ? [ask("maker", "a")] : `Heard: ${lastOf(request)}`;
      },
      {},
      { gate: (request) => (agentOf(request) === "You make." ? gate.promise : Promise.resolve()) },
    );
    const turnId = await say("go");
    await until(turnId, "handoff");
    await say("no wait");
    gate.resolve();
    expect((await events(turnId)).at(-1)).toMatchObject({ text: expect.stringContaining("Heard: no wait") });
    expect(model.requests[1]?.messages).toHaveLength(1);
  });
});

describe("a message while a sub-run acts", () => {
  const acting = (running: PromiseWithResolvers<void>, end: Promise<void>) => {
    let done = 0;
    const run = async () => {
      done += 1;
      running.resolve();
      await end;
      return "sent";
    };
    return {
      send: testSkill("send", [{ name: "send", effect: "side_effect", run }], { active: true }),
      done: () => done,
    };
  };
  const lines = (request: ModelRequest): Line => {
    const results = toolResults(request.messages);
    if (agentOf(request) === "You make.") return results[0] ?? [{ call: "send" }];
    return results.length === 0 ? [ask("maker", "a")] : `${results[0]}; heard: ${lastOf(request)}`;
  };

  it("a message while a sub-run posts is heard after its result, and nothing is posted twice", async () => {
    const [running, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { send, done } = acting(running, end.promise);
    const { say, events, model } = bot(lines, { skills: [send] });
    const turnId = await say("go");
    await running.promise;
    const second = await say("no wait");
    end.resolve();
    expect((await events(turnId)).at(-1)).toMatchObject({
      outcome: "completed",
      text: "sent; heard: no wait",
    });
    expect((await events(second)).at(-1)).toMatchObject({ merged_into: turnId });
    expect(done()).toBe(1);
    expect(model.requests).toHaveLength(4);
  });

  it("a message while a sub-run waits for an approval leaves the approval open, and is heard after it", async () => {
    const { app, say, until, events, log } = bot((request) => {
      const results = toolResults(request.messages);
      if (agentOf(request) === "You make.") return results[0] ?? [{ call: "post" }];
      return results.length === 0 ? [ask("maker", "a")] : `${results[0]}; heard: ${lastOf(request)}`;
    });
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    const { approval_id } = await until(turnId, "approval_requested");
    await say("no wait");
    await approve(app, approval_id, true, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ text: "posted; heard: no wait" });
    const asked = (await log.read(turnId)).filter(({ type }) => type === "approval_requested");
    expect(asked).toHaveLength(1);
  });

  it("a message while a sub-run posts in the background gets a turn of its own at once", async () => {
    const [running, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { send, done } = acting(running, end.promise);
    const { ask: talk, events } = bot(
      (request) => {
        const results = toolResults(request.messages);
        if (agentOf(request) === "You make.") return results[0] ?? [{ call: "send" }];
        const given = { to: "maker", reason: "a", background: true };
        return lastOf(request) === "go" ? [{ call: "handoff", with: given }] : lastOf(request);
      },
      { skills: [send] },
    );
    const { events: begun } = await talk("go");
    await running.promise;
    expect((await talk("no wait")).end).toMatchObject({ text: "no wait" });
    end.resolve();
    const id = begun.find((event) => event.type === "handoff")?.background ?? "";
    expect((await events(id)).at(-1)).toMatchObject({ text: "sent" });
    expect(done()).toBe(1);
  });
});

describe("a message that names an agent", () => {
  it("the agent answers directly, with what was said last and without the thread's conversation", async () => {
    const { ask: say, model } = bot(
      ({ messages, system }) => `${system.includes("You make.") ? "made" : "said"} ${messages.length}`,
    );
    await say("hi");
    const { end, events } = await say("maker: a boat");
    expect(end.text).toBe("made 3");
    expect(events.find((event) => event.type === "turn_started")).toMatchObject({
      profile: "maker",
      direct: true,
    });
    expect(model.requests[1]?.system).not.toContain("You chat.");
    const { end: last } = await say("thanks");
    expect(last.text).toBe("said 5");
    expect(model.requests[2]?.messages.map(({ text }) => text)).toEqual([
      "hi",
      "said 1",
      "maker: a boat",
      "made 3",
      "thanks",
    ]);
    expect(model.requests[2]?.system).toBe(model.requests[0]?.system);
    expect(viewOf(events)).toMatchObject({ text: "made 3", status: "finished" });
  });

  it("a deleted turn leaves nothing in what a later direct answer was told of it", async () => {
    const { app, ask: say, log } = bot(() => "ok");
    const { turnId } = await say("the code word is plum");
    const later = await say("maker: a boat");
    expect(JSON.stringify(await log.read(later.turnId))).toContain("plum");
    await forgetTurn(app, turnId, ada);
    expect(JSON.stringify(await log.read(later.turnId))).not.toContain("plum");
  });

  it("a mode answers directly, a channel set to an agent keeps the conversation of the thread", async () => {
    const { ask: say, model } = bot(({ system }) => (system.includes("You rhyme.") ? "rhymed" : "said"));
    expect((await say("a boat, in rhyme mode")).end.text).toBe("rhymed");
    await say("/agent use maker");
    await say("hi");
    await say("maker: more");
    expect(model.requests[2]?.messages.map(({ text }) => text)).toEqual([
      "a boat, in rhyme mode",
      "rhymed",
      "hi",
      "said",
      "maker: more",
    ]);
  });

  it("a supervisor has agents do the parts, and its answer is the turn's", async () => {
    const { ask: say, model } = bot(
      leading([ask("maker", "a"), ask("reader", "b")], (request) => agentOf(request)),
    );
    const { end, events } = await say("lead: all of it");
    expect(end.text).toBe("Got You make. and You read..");
    expect(model.requests).toHaveLength(4);
    expect(ownSteps(viewOf(events))).toHaveLength(2);
  });

  it("an agent that answers directly waits for an approval, and hears further messages", async () => {
    const lines = (request: ModelRequest): Line => {
      const results = toolResults(request.messages);
      return results.length === 0 ? [{ call: "post" }] : `${results[0]}, and ${lastOf(request)}`;
    };
    const { app, say, until, events } = bot(lines);
    const turnId = await say("maker: post it");
    await until(turnId, "turn_waiting");
    const { approval_id } = await until(turnId, "approval_requested");
    await approve(app, approval_id, true, ada);
    await say("twice");
    expect((await events(turnId)).at(-1)).toMatchObject({
      text: expect.stringMatching(/^posted, and (twice|posted)$/),
    });
  });
});
