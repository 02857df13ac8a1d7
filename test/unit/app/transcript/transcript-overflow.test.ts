import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import {
  type Asked,
  expectPrefixes,
  recordingModel,
  systemTexts,
} from "../../../support/models/recording-model.ts";
import { type Line, toolResults } from "../../../support/models/scripted-model.ts";
import { isSummary, summarisingModel } from "../../../support/models/summarising-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const lines = testSkill("lines", [{ name: "lines", repeatable: true, run: (input) => long(input) }]);
const echo = testSkill("echo", [{ name: "echo" }]);
const activate = (skill_name: string): Line => [{ call: "activate_skill", with: { skill_name } }];

/** About 400 tokens that name what was asked for. */
const long = (input: unknown) => `result ${JSON.stringify(input)} ${"word ".repeat(400)}`;
const read = (text: string, id?: string): Line => [{ call: "lines", with: { text }, ...(id ? { id } : {}) }];

function bot(script: readonly Line[], transcript_tokens = 4_000, skills = [lines, echo]) {
  const lines = summarisingModel(script, "A summary.");
  const model = recordingModel(lines, (round) => [{ signature: `s${round}` }]);
  const app = createTestApp(model, { skills, limits: { transcript_tokens } });
  return { ...app, model };
}

const numbered = Array.from({ length: 2_000 }, (_, at) => `line ${at + 1}`);
const reasons = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "transcript_opened" ? event.because : []));
const texts = ({ messages }: Asked) => messages.map(({ text }) => text);

describe("a turn that outgrows the transcript", () => {
  const rounds = Array.from({ length: 12 }, (_, at) => read(`part ${at}`));

  async function overflown() {
    const made = bot([activate("echo"), ...rounds, "all read", "next answer"]);
    const { turnId } = await made.ask("Read all of it, please.");
    return { ...made, turnId, events: await made.log.read(turnId) };
  }

  it("a turn that outgrows the transcript keeps the question and last rounds whole and summarises the rest", async () => {
    const { model, events } = await overflown();
    expect(reasons(events).slice(0, 2)).toEqual(["first", "full"]);
    const turns = model.ofTurns();
    const at = turns.findIndex((request) => texts(request)[0]?.startsWith("<earlier_in_this_thread>"));
    const [before, after] = [turns[at - 1], turns[at]];
    expect(after?.messages.slice(0, 3).map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
    expect(after?.messages[1]).toEqual(before?.messages[0]);
    const results = toolResults(after?.messages ?? []);
    const all = rounds.map((_, part) => long({ text: `part ${part}` }));
    expect(results.at(-1)).toContain(all[at - 2]);
    expect(results.length).toBeGreaterThan(1);
    expect(results.every((text, part) => text.startsWith(all[at - 1 - results.length + part] ?? "?"))).toBe(
      true,
    );
  });

  it("a turn that outgrows the transcript keeps its skills: guides and tools are told again after the results", async () => {
    const { model } = await overflown();
    const turns = model.ofTurns();
    const at = turns.findIndex((request) => texts(request)[0]?.startsWith("<earlier_in_this_thread>"));
    const last = turns[at]?.messages.at(-1);
    expect(last).toMatchObject({ role: "system", add: [{ name: "offload_skill" }, { name: "echo" }] });
    expect(last?.text).toContain("Guide of echo.");
    expect(
      texts(turns[at] as Asked)
        .join("\n")
        .match(/Guide of echo\./g),
    ).toHaveLength(1);
  });

  it("a turn that outgrew the transcript is not summarised again for the next turn", async () => {
    const { ask, model } = await overflown();
    const summaries = model.asked.filter(isSummary).length;
    const before = model.ofTurns().at(-1) as Asked;
    await ask("Thanks. And now?");
    expect(model.asked.filter(isSummary)).toHaveLength(summaries);
    expectPrefixes([before, model.ofTurns().at(-1) as Asked]);
  });

  it("a turn that outgrew the transcript is told whole to a later one, including the part once summarised", async () => {
    const { app, ask, turnId, log } = await overflown();
    const { turnId: later } = await ask("Thanks. And now?");
    expect(reasons(await log.read(later))).toEqual([]);
    expect((await app.turn(turnId))?.answer).toBe("all read");
    const summary = (await log.read(turnId)).findLast((event) => event.type === "transcript_opened");
    expect(summary).toMatchObject({ own: expect.any(Number), active: ["echo"] });
    expect(summary).not.toHaveProperty("summary");
  });
});

describe("skills in a new transcript", () => {
  it("skills stay active while turns that used them are carried over, and no longer", async () => {
    const filler = `tell me ${"word ".repeat(300)}`;
    const { ask, model } = bot([activate("echo"), "learned", "ok"]);
    await ask("learn echo");
    const active: boolean[] = [];
    let request = model.ofTurns().at(-1) as Asked;
    for (let at = 0; at < 30; at += 1) {
      const before = request;
      await ask(`${at} ${filler}`);
      request = model.ofTurns().at(-1) as Asked;
      const isNew = request.messages.length <= before.messages.length;
      if (isNew) active.push(systemTexts(request).some((text) => text.includes("Guide of echo.")));
    }
    expect(active.length).toBeGreaterThan(1);
    expect(active.at(-1)).toBe(false);
  });

  it("skills used in a carried-over turn are told with guide and tools", async () => {
    const filler = "word ".repeat(1_000);
    const { ask, model } = bot(["ok", "ok", "ok", activate("echo"), "learned", "ok"]);
    for (const text of ["a", "b", "c"]) await ask(`${text} ${filler}`);
    await ask("learn echo");
    await ask(`d ${"word ".repeat(500)}`);
    await ask("go on");
    const first = model.ofTurns().find(({ messages }) => messages[0]?.text.startsWith("<earlier")) as Asked;
    expect(texts(first)).toContain("learn echo");
    expect(systemTexts(first)).toEqual([
      'The skill echo is active now:\n<skill_guide skill="echo">\nGuide of echo.\n</skill_guide>\n\nTools you can call from now on: offload_skill, echo.',
    ]);
    expect(toolResults(first.messages)[0]).toBe(
      "skill echo activated, current skills: [echo]\n(the guide was here)\nTools now available: echo",
    );
  });
});

describe("outputs that were cut", () => {
  it("outputs that were cut can be read further in later turns and after a new opening", async () => {
    const many = testSkill("many", [{ name: "many", run: () => numbered.join("\n") }]);
    const readOn: Line = [{ call: "read_file", with: { path: "the-call", line: 1_500, lines: 1 } }];
    const fill = Array.from({ length: 12 }, (): Line => "ok");
    const script: Line[] = [[{ call: "many", id: "the-call" }], "read", readOn, "on", ...fill, readOn, "on"];
    const { ask, model } = bot(script, 4_000, [many]);
    await ask("read it");
    expect(toolResults(model.ofTurns().at(-1)?.messages ?? [])[0]?.length).toBeLessThan(5_000);
    await ask("read on");
    const last = () => toolResults(model.ofTurns().at(-1)?.messages ?? []).at(-1);
    expect(last()).toMatch(/^\[lines 1500 to 1500 of 2000, .*\]\nline 1500\n$/);
    const before = last();
    for (const _ of fill) await ask("word ".repeat(300));
    expect(JSON.stringify(model.ofTurns().at(-1))).not.toContain("the-call");
    await ask("read on");
    expect(texts(model.ofTurns().at(-1) as Asked)[0]).toContain("<earlier_in_this_thread>");
    expect(last()).toBe(before);
  });
});
