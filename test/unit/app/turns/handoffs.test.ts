import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "reader", description: "Reads <all>.", prompt: "You read.", tools: ["search", "handoff"] },
  { id: "loner", description: "Is alone.", prompt: "You are alone.", tools: ["search"] },
];
const lead: Profile = { id: "lead", description: "Leads.", prompt: "You lead.", supervisor: true };
const team: [Profile, ...Profile[]] = [lead, ...profiles];
const skills = [
  testSkill("weather", [{ name: "weather" }]),
  testSkill("printed", [{ name: "printed", run: () => ({ status: "ok", output: "12 mm", direct: true }) }]),
];
const handOver = (to: string, reason = "") => ({ call: "handoff", with: { to, reason } });

function bot(lines: Parameters<typeof scriptedModel>[0], more: Parameters<typeof createTestApp>[1] = {}) {
  const model = scriptedModel(lines);
  return {
    model,
    ...createTestApp(model, { profiles, skills, limits: { open_tools_tokens: 3_000 }, ...more }),
  };
}

const path = (events: readonly TurnEventBody[]) =>
  events.flatMap((event) => (event.type === "handoff" ? [`${event.from} → ${event.to}`] : []));

describe("a handover", () => {
  it("only one handover happens per step: further ones are told to wait", async () => {
    const { ask, model } = bot([[handOver("reader", "read"), handOver("loner", "sum")], "read", "done"], {
      profiles: team,
    });
    const { events } = await ask("go");
    expect(path(events)).toEqual(["lead → reader", "reader → lead"]);
    expect(toolResults(model.requests[1]?.messages ?? [])).toEqual([
      "Handed over: read",
      expect.stringContaining("reader has the turn now, so this part was not handed over to loner"),
    ]);
  });

  it("handovers end between two agents that each think the other fits", async () => {
    const { ask } = bot(({ messages }) => {
      const last = messages.at(-1)?.text ?? "";
      if (last.includes("handed over 10 times already")) return "What there is.";
      const handed = toolResults(messages).length;
      return [handOver(handed % 2 === 0 ? "reader" : "chat")];
    });
    const { end, events } = await ask("go");
    expect(end).toMatchObject({ outcome: "completed", text: "What there is." });
    expect(path(events)).toHaveLength(10);
  });

  it("a handover list goes to agents that were not told yet, and to none that cannot hand over", async () => {
    const { ask, model } = bot(["ok"]);
    for (const agent of ["loner", "reader", "loner"]) {
      await ask(`/agent use ${agent}`);
      await ask("hi");
    }
    const [first = "", second = "", third = ""] = model.requests.map(({ system }) => system);
    expect(first).not.toContain("chat: Chats.");
    expect(second.slice(first.length)).toContain(
      "You are reader now; go on.\nYou read.\nYou can hand over to: chat, loner.\n- chat: Chats.\n- loner: Is alone.",
    );
    expect(third.slice(second.length)).toContain("You are loner now");
    expect(third.slice(second.length)).not.toContain("hand over to");
  });

  it("new agents are announced to conversations that began before", async () => {
    const first = bot(["ok"], { profiles: [profiles[0]] });
    await first.ask("hi");
    const { ask, model } = bot(["ok"], { store: first.store, log: first.log });
    await ask("hi");
    expect(model.requests[0]?.system).toContain("- reader: Reads &lt;all&gt;.");
    await ask("hi");
    expect(model.requests[1]?.system).toBe(model.requests[0]?.system);
  });
});

describe("a supervisor", () => {
  it("a supervisor gets the turn back with the other agent's answer, and has the last word", async () => {
    const { ask, model, app } = bot(
      [
        [{ call: "handoff", with: { to: "chat", reason: "count" } }],
        "There are 12.",
        "Twelve, said plainly.",
      ],
      { profiles: team },
    );
    const { end, events, turnId } = await ask("how many?");
    expect(end).toMatchObject({ outcome: "completed", text: "Twelve, said plainly." });
    expect(events.flatMap((event) => (event.type === "handoff" ? [[event.from, event.to]] : []))).toEqual([
      ["lead", "chat"],
      ["chat", "lead"],
    ]);
    const last = model.requests[2];
    expect(last?.messages.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["There are 12.", expect.stringContaining("You are lead again")]),
    );
    expect(last?.system).toContain("You are lead now");
    expect((await app.turn(turnId))?.outcome).toBe("completed");
  });

  it("a supervisor leads at most five parts: after that, the agent's answer stands", async () => {
    const { ask } = bot(
      ({ messages }) => {
        const last = messages.at(-1)?.text ?? "";
        return last.startsWith("Handed over") ? "part" : [{ call: "handoff", with: { to: "chat" } }];
      },
      { profiles: team },
    );
    const { end, events } = await ask("go");
    expect(end).toMatchObject({ outcome: "completed", text: "part" });
    expect(events.filter(({ type }) => type === "handoff")).toHaveLength(11);
  });

  it("a supervisor gets back a turn that another agent handed to it", async () => {
    const { ask } = bot(
      [
        [{ call: "handoff", with: { to: "lead" } }],
        [{ call: "handoff", with: { to: "reader" } }],
        "read",
        "done",
      ],
      { profiles: [...profiles, lead] },
    );
    expect((await ask("go")).end.text).toBe("done");
  });

  it("a supervisor also gets what a tool answers in the agent's place", async () => {
    const { ask } = bot([[handOver("chat")], [{ call: "printed", with: {} }], "It rained 12 mm."], {
      profiles: team,
    });
    const { end, events } = await ask("how much?");
    expect(end.text).toBe("It rained 12 mm.");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "handoff", from: "chat", report: "12 mm" }),
    );
  });

  it.each([
    ["goes on where the bot went down", team, "reader", "You read."],
    ["goes on by itself where the agent is gone", [lead, profiles[0]], "lead", "You lead."],
  ] as const)("a supervised turn %s", async (_name, left, agent, prompt) => {
    const log = createMemoryTurnLog();
    const inbound = { key: "k", ...home, author: ada, kind: "message" as const, text: "go" };
    await log.accept(inbound, "left", Date.now());
    await log.claim("dead worker", 60_000);
    const call = { id: "c1", name: "handoff", arguments: '{"to":"reader"}' };
    const events: TurnEventBody[] = [
      { type: "turn_started", profile: "lead", model: "scripted/model" },
      { type: "round_started", round: 1 },
      {
        type: "model_message",
        round: 1,
        model: "scripted/model",
        message: { role: "assistant", text: "", tool_calls: [call] },
      },
      {
        type: "tool_started",
        call_id: "c1",
        tool: "handoff",
        title: "",
        skill_id: "",
        input: { to: "reader" },
      },
      { type: "handoff", from: "lead", to: "reader" },
    ];
    const at = Date.now();
    await log.append(
      "left",
      "dead worker",
      events.map((event, seq) => ({ ...event, turn_id: "left", seq: seq + 1, at })),
    );
    await log.reclaim();
    const app = bot(["part", "whole"], { log, profiles: left });
    const all = await app.events("left");
    expect(path(all)).toEqual(agent === "reader" ? ["lead → reader", "reader → lead"] : ["lead → reader"]);
    expect(app.model.requests[0]?.system).toContain(prompt);
    expect(all.at(-1)).toMatchObject({ outcome: "completed", text: agent === "reader" ? "whole" : "part" });
  });
});
