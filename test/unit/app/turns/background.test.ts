import { describe, expect, it } from "vitest";
import { emptyTurnView, foldTurn } from "../../../../src/core/log/turn-view.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { isOfOutsiders } from "../../../../src/core/values/untrusted.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { approve, forgetTurn, stopTurn } from "../../../support/bot/ask-app.ts";
import { expectPrefixes, recordingModel } from "../../../support/models/recording-model.ts";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat.", black_tool_actions: { secret: ["*"] } },
  { id: "maker", description: "Makes.", prompt: "You make." },
];
const post = {
  name: "post",
  effect: "side_effect" as const,
  approval: () => ({ approver: "asker" as const, reason: "It is seen." }),
  run: () => "posted",
};
const skills = [
  testSkill("look", [{ name: "look" }], { active: true }),
  testSkill("secret", [{ name: "secret" }], { active: true }),
  testSkill("post", [post], { active: true }),
];

const begin = (reason: string, background = true) => ({
  call: "handoff",
  with: { to: "maker", reason, background },
});
const isMaker = ({ system }: ModelRequest) => system.includes("You make.");
const saidIn = ({ messages }: Pick<ModelRequest, "messages">) =>
  messages.findLast(({ role }) => role === "user")?.text ?? "";
const taskIn = ({ messages }: ModelRequest) => messages[0]?.text.split("\n")[1] ?? "";

/** Begins what a message says, one task a line, then says what came of it; `maker` answers for the other agent. */
const leading =
  (maker: (request: ModelRequest) => Line) =>
  (request: ModelRequest): Line => {
    if (isMaker(request)) return maker(request);
    const last = request.messages.at(-1);
    if (last?.role === "tool") return toolResults(request.messages).slice(-5).join(" | ");
    const tasks = [...saidIn(request).matchAll(/^do (.*)$/gm)].map(([, task = ""]) => begin(task));
    return tasks.length > 0
      ? tasks
      : request.messages
          .slice(-2)
          .map(({ text }) => text)
          .join(" | ");
  };

function bot(
  maker: (request: ModelRequest) => Line,
  more: Parameters<typeof createTestApp>[1] = {},
  options: Parameters<typeof scriptedModel>[1] = {},
) {
  const model = recordingModel(scriptedModel(leading(maker), options));
  const made = createTestApp(model, { profiles, skills, limits: { open_tools_tokens: 3_000 }, ...more });
  /** Ids of the turns that a turn has begun in the background. */
  const begunBy = async (turnId: string) =>
    (await made.log.read(turnId)).flatMap((event) =>
      event.type === "handoff" ? (event.background ?? []) : [],
    );
  return { model, begunBy, ...made };
}

const held = () => {
  const gate = Promise.withResolvers<void>();
  return {
    open: gate.resolve,
    options: { gate: (request: ModelRequest) => (isMaker(request) ? gate.promise : Promise.resolve()) },
  };
};

describe("a sub-run in the background", () => {
  it("the turn that begins it ends, and the thread goes on while it works", async () => {
    const { open, options } = held();
    const { ask, begunBy, log, events, model } = bot(() => "A boat.", {}, options);
    const first = await ask("do build a boat");
    expect(first.end.text).toContain("Begun.");
    const [id = ""] = await begunBy(first.turnId);
    expect((await ask("meanwhile")).end.text).toContain("meanwhile");
    expect((await log.get(id))?.status).toBe("running");
    open();
    const end = (await events(id)).at(-1);
    expect(end).toMatchObject({ type: "turn_finished", outcome: "completed", text: "A boat." });
    const own = model.asked.find(({ system }) => system.includes("You make."));
    expect(own?.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^\[.* UTC, for "Ada" \(ada\); what you write last is posted in the thread as it is\]\nbuild a boat$/,
      ),
    ]);
  });

  it("its answer is told once, after what was said before, and what was sent is only appended to", async () => {
    const { open, options } = held();
    const { ask, begunBy, events, model } = bot(() => "A boat <attached_file >.", {}, options);
    const { turnId } = await ask("do build a boat");
    await ask("meanwhile");
    open();
    await events((await begunBy(turnId))[0] ?? "");
    await ask("and now?");
    await ask("thanks");
    const read = model.ofTurns().find((request) => saidIn(request).includes("and now?"));
    expect(read?.messages.at(-2)?.text).toBe(
      '<background_result agent="maker" task="build a boat" note="posted already">\nA boat &lt;attached_file >.\n</background_result>',
    );
    const main = model.asked.filter(({ system }) => system.includes("You chat."));
    expectPrefixes(main);
    const results = main
      .at(-1)
      ?.messages.filter(({ role, text }) => role === "user" && text.includes("<background_result"));
    expect(results).toHaveLength(1);
  });

  it("its answer is told again when the conversation that it was told in fills up in the same turn", async () => {
    const looking = ({ messages }: ModelRequest): Line => {
      const looked = toolResults(messages).filter((text) => text.includes("wave")).length;
      return looked < 3 ? [{ call: "look", with: { text: String(looked) } }] : "seen";
    };
    const lines = (request: ModelRequest): Line => {
      if (request.system.startsWith("Summarise")) return "They talked.";
      return saidIn(request) === "what is there?" ? looking(request) : leading(() => "A boat.")(request);
    };
    const look = testSkill(
      "look",
      [{ name: "look", run: (input) => `wave ${JSON.stringify(input)} `.repeat(500) }],
      {
        active: true,
      },
    );
    const model = recordingModel(scriptedModel(lines));
    const limits = { open_tools_tokens: 3_000, transcript_tokens: 6_000, tool_output_tokens: 2_500 };
    const { ask, until, events, log } = createTestApp(model, { profiles, skills: [look], limits });
    const { turnId } = await ask("do build");
    await events((await until(turnId, "handoff")).background ?? "");
    const later = await ask("what is there?");
    const types = (await log.read(later.turnId)).map(({ type }) => type);
    expect(types.filter((type) => type === "transcript_opened").length).toBeGreaterThan(0);
    expect(types.filter((type) => type === "background_ended").length).toBeGreaterThan(1);
    const results = model
      .ofTurns()
      .at(-1)
      ?.messages.filter(({ text }) => text.includes("A boat.\n</background_result>"));
    expect(results).toHaveLength(1);
  });

  it("its answer counts as untrusted text", async () => {
    const { ask, begunBy, events, log } = bot(() => "See https://evil.example/x.");
    const { turnId } = await ask("do look");
    await events((await begunBy(turnId))[0] ?? "");
    const { turnId: later } = await ask("hi");
    const told = (await log.read(later)).find(({ type }) => type === "background_ended");
    expect(told?.type === "background_ended" && isOfOutsiders(told.message)).toBe(true);
  });

  it("the agent gets no more than the one that began it, no handoff, and asks nobody", async () => {
    const { ask, begunBy, events, model } = bot(() => [{ call: "secret" }]);
    const { turnId } = await ask("do look");
    const all = await events((await begunBy(turnId))[0] ?? "");
    const names = model.asked
      .find(({ system }) => system.includes("You make."))
      ?.tools.map(({ name }) => name);
    expect(names).toContain("post");
    expect(names).not.toContain("secret");
    expect(names).not.toContain("handoff");
    expect(names).not.toContain("ask_user");
    expect(all.some((event) => event.type === "tool_finished" && event.status === "ok")).toBe(false);
  });

  it("a thread has at most three at once", async () => {
    const { open, options } = held();
    const { ask, begunBy, events } = bot(taskIn, {}, options);
    const { turnId, end } = await ask("do 1\ndo 2\ndo 3\ndo 4");
    expect(end.text.match(/Begun\./g)).toHaveLength(3);
    expect(end.text).toContain("3 agents work in this thread already");
    expect((await ask("do 5")).end.text).toContain("3 agents work in this thread already");
    expect((await ask("do 6", { thread: "t2" })).end.text).toContain("Begun.");
    open();
    for (const id of await begunBy(turnId)) await events(id);
    expect((await ask("do 7")).end.text).toContain("Begun.");
  });

  it("three that wait for approvals at once each go on with their own decision", async () => {
    const maker = (request: ModelRequest): Line => {
      const [result] = toolResults(request.messages);
      return result === undefined ? [{ call: "post", with: { text: taskIn(request) } }] : result.slice(0, 6);
    };
    const { app, ask, begunBy, events, until, log } = bot(maker);
    const { turnId } = await ask("do 1\ndo 2\ndo 3");
    const ids = await begunBy(turnId);
    for (const id of ids) await until(id, "turn_waiting");
    // The thread is free meanwhile.
    expect((await ask("hi")).end.outcome).toBe("completed");
    const ends: string[] = [];
    for (const [at, id] of ids.entries()) {
      const asked = (await log.read(id)).find((event) => event.type === "approval_requested");
      await approve(app, asked?.approval_id ?? "", at !== 1, ada);
      const end = (await events(id)).at(-1);
      ends.push(end?.type === "turn_finished" ? end.text : "");
    }
    expect(ends).toEqual(["posted", '{"erro', "posted"]);
  });

  it("an approval for good holds for the channel, not for the one run", async () => {
    const maker = (request: ModelRequest): Line => toolResults(request.messages)[0] ?? [{ call: "post" }];
    const { app, ask, begunBy, events, until } = bot(maker);
    const [id = ""] = await begunBy((await ask("do 1")).turnId);
    const { approval_id } = await until(id, "approval_requested");
    await approve(app, approval_id, "always", ada);
    await events(id);
    const [next = ""] = await begunBy((await ask("do 2")).turnId);
    expect((await events(next)).at(-1)).toMatchObject({ text: "posted" });
  });

  it("a stop of the turn that began it stops it, and so does a stop of the thread by its asker", async () => {
    const { options } = held();
    const lines = leading(() => "never");
    const gate = async (request: ModelRequest) => {
      const isAfter = request.messages.at(-1)?.role === "tool";
      if (isMaker(request) || isAfter) await new Promise(() => {});
    };
    const stopped = createTestApp(scriptedModel(lines, { ...options, gate }), { profiles, skills });
    const turnId = await stopped.say("do build");
    const { background = "" } = await stopped.until(turnId, "handoff");
    await stopped.until(background, "run");
    await stopTurn(stopped.app, turnId, ada);
    expect((await stopped.events(background)).at(-1)).toMatchObject({ outcome: "stopped" });

    const { ask, begunBy, events } = bot(() => "never", {}, options);
    const [id = ""] = await begunBy((await ask("do build", { by: ben })).turnId);
    await ask("/agent stop", { by: ada });
    await ask("/agent stop", { by: ben });
    expect((await events(id)).at(-1)).toMatchObject({ outcome: "stopped", text: "Stopped." });
    expect((await ask("hi", { by: ben })).end.text).toContain("Stopped.\n</background_result>");
  });

  it("it stops and says so when the money of its channel is spent", async () => {
    const maker = (): Line => [{ call: "look", with: { text: String(Math.random()) } }];
    const usage = { input_tokens: 400, output_tokens: 100 };
    const spending = { per_channel_day_tokens: 1_200 };
    const { ask, begunBy, events } = bot(maker, { spending }, { usage });
    const [id = ""] = await begunBy((await ask("do build")).turnId);
    expect((await events(id)).at(-1)).toMatchObject({
      outcome: "limit_reached",
      text: expect.stringMatching(
        /^This turn ends here: this channel has used [\d,]+ of 1,200 tokens of models without a price for today/,
      ),
    });
  });

  it("a deleted answer leaves nothing in the conversation that it was told in", async () => {
    const { app, ask, begunBy, events, log } = bot(() => "The word is plum.");
    const [id = ""] = await begunBy((await ask("do build")).turnId);
    await events(id);
    const { turnId } = await ask("hi");
    expect(JSON.stringify(await log.read(turnId))).toContain("background_ended");
    await forgetTurn(app, id, ada);
    const kept = (await log.read(turnId)).filter(({ type }) => type !== "model_message");
    expect(kept.some((event) => event.type === "background_ended")).toBe(false);
    expect((await ask("now")).end.text).toContain("This was deleted.");
  });

  it("an agent that was named begins one too, and the agent of the thread is told", async () => {
    const lines = (request: ModelRequest): Line => {
      if (isMaker(request)) return "A boat.";
      if (request.messages.at(-1)?.role === "tool") return "begun";
      return saidIn(request) === "lead: go" ? [begin("build")] : (request.messages.at(-2)?.text ?? "");
    };
    const lead: Profile = { id: "lead", description: "Leads.", prompt: "You lead.", supervisor: true };
    const { ask, log, events } = createTestApp(scriptedModel(lines), {
      profiles: [...profiles, lead],
      skills,
    });
    const { turnId } = await ask("lead: go");
    const handoff = (await log.read(turnId)).find((event) => event.type === "handoff");
    await events(handoff?.background ?? "");
    expect((await ask("hi")).end.text).toContain("A boat.\n</background_result>");
  });

  it("it goes on where its log ends when its process died, and is begun once", async () => {
    const log = createMemoryTurnLog();
    const dead = createTestApp(
      scriptedModel(
        leading(() => "never"),
        {
          gate: (request) =>
            isMaker(request) || request.messages.at(-1)?.role === "tool"
              ? new Promise(() => {})
              : Promise.resolve(),
        },
      ),
      { profiles, skills, log },
    );
    const turnId = await dead.say("do build a boat");
    const { background = "" } = await dead.until(turnId, "handoff");
    await dead.until(background, "run");
    await dead.stop(0);
    const next = bot(() => "A boat.", { log, owner: "next" });
    expect((await next.events(turnId)).at(-1)).toMatchObject({ text: expect.stringContaining("Begun.") });
    expect((await next.events(background)).at(-1)).toMatchObject({ text: "A boat." });
    expect(await next.begunBy(turnId)).toEqual([background]);
    expect((await log.list({})).map(({ text }) => text).sort()).toEqual(["build a boat", "do build a boat"]);
  });

  it("people see whose work it is", async () => {
    const { ask, begunBy, events } = bot(() => "A boat.");
    const [id = ""] = await begunBy((await ask("do build")).turnId);
    const view = (await events(id)).reduce(foldTurn, emptyTurnView(id));
    expect(view).toMatchObject({
      background: "maker",
      said: "build",
      text: "A boat.",
      author: { name: "Ada" },
    });
  });
});
