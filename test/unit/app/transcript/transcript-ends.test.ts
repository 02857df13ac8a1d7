import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { Model } from "../../../../src/core/ports/model.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import {
  type Asked,
  expectPrefixes,
  recordingModel,
  systemTexts,
} from "../../../support/models/recording-model.ts";
import type { Line, ScriptedModelOptions } from "../../../support/models/scripted-model.ts";
import { isSummary, summarisingModel } from "../../../support/models/summarising-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, type TestAppOptions } from "../../../support/test-app.ts";

const summary = "They spoke of apples.";
const asSummarised = `<earlier_in_this_thread>\n${summary}\n</earlier_in_this_thread>`;
/** About 200 tokens. */
const words = "word ".repeat(200);

interface Options extends TestAppOptions, Pick<ScriptedModelOptions, "usage" | "gate"> {
  model?: Partial<Model>;
}

/** A bot whose model summarises when it is asked to, and otherwise answers line by line. */
function bot(script: readonly Line[], { model: facts = {}, usage, gate, ...more }: Options = {}) {
  const lines = summarisingModel(script, summary, {
    ...(usage === undefined ? {} : { usage }),
    ...(gate === undefined ? {} : { gate }),
  });
  const model = recordingModel({ ...lines, ...facts }, (round) => [{ signature: `s${round}` }]);
  const app = createTestApp(model, { limits: { transcript_tokens: 4_000 }, ...more });
  const { openings } = readOpenings();
  return {
    ...app,
    model,
    openings,
    summaries: () => model.asked.filter(isSummary),
    async ask(text: string, how?: Parameters<typeof app.ask>[1]) {
      const result = await app.ask(text, how);
      openings.push(...(await app.log.read(result.turnId)).filter(isOpening));
      return result;
    },
  };
}

type Opened = Extract<TurnEvent, { type: "transcript_opened" }>;
const isOpening = (event: TurnEvent): event is Opened => event.type === "transcript_opened";
const readOpenings = () => ({ openings: [] as Opened[] });

/** Requests by transcript: one begins where the request is no longer. */
function byTranscript(requests: readonly Asked[]): Asked[][] {
  const all: Asked[][] = [];
  for (const request of requests) {
    const last = all.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || request.messages.length <= before.messages.length)
      all.push([request]);
    else last.push(request);
  }
  return all;
}

describe("a transcript that is full", () => {
  it("a full transcript ends, and the next one has a summary, the latest turns whole, and half the budget", async () => {
    const { ask, model, openings, summaries } = bot(["fine"]);
    for (let at = 0; at < 40; at += 1) await ask(`question ${at} ${words}`);
    const transcripts = byTranscript(model.ofTurns());
    expect(openings.map(({ because }) => because)).toEqual([
      "first",
      ...transcripts.slice(1).map(() => "full"),
    ]);
    expect(transcripts.length).toBeGreaterThan(2);
    expect(summaries()).toHaveLength(transcripts.length - 1);
    for (const requests of transcripts) {
      expectPrefixes(requests);
      expect(requests.length).toBeGreaterThan(3);
    }
    const [first] = transcripts.at(-1) ?? [];
    expect(first?.messages[0]).toEqual({ role: "user", text: asSummarised, said: "" });
    const kept = first?.messages.flatMap(({ role, text }) => (role === "user" ? text.split(" word")[0] : []));
    const last = Number(kept?.at(-1)?.split(" ")[1]);
    expect(kept?.slice(1)).toEqual(
      Array.from(
        { length: (kept?.length ?? 0) - 1 },
        (_, at) => `question ${last + 2 - (kept?.length ?? 0) + at}`,
      ),
    );
  });

  it("a full transcript hands its summary on: the next one is made from it and what came since", async () => {
    const { ask, summaries } = bot(["fine"]);
    for (let at = 0; at < 40; at += 1) await ask(`question ${at} ${words}`);
    const [first, second] = summaries().map(({ messages }) => messages[0]?.text ?? "");
    expect(first).toMatch(/^Conversation:\nuser: question 0 /);
    expect(second).toMatch(new RegExp(`^Summary so far:\n${summary}\n\nConversation:\nuser: question `));
    const numbers = (text = "") => [...text.matchAll(/question (\d+)/g)].map(([, number]) => Number(number));
    expect(numbers(second)[0]).toBe((numbers(first).at(-1) ?? 0) + 1);
  });

  it("a full transcript opens no other one right away, even if the provider counts far more than the estimate", async () => {
    let characters = 0;
    const { ask, model, openings } = bot(["fine"], {
      limits: { transcript_tokens: 12_000 },
      usage: () => ({ input_tokens: Math.ceil(characters / 1.5), output_tokens: 1 }),
      gate: async ({ system, tools, messages }) => {
        characters = JSON.stringify([system, tools, messages]).length;
      },
    });
    for (let at = 0; at < 50; at += 1) await ask(`question ${at} ${words}`);
    expect(openings.length).toBeGreaterThan(2);
    for (const requests of byTranscript(model.ofTurns()).slice(0, -1))
      expect(requests.length).toBeGreaterThan(2);
  });

  it("a transcript never has more than 70 % of what the model can read", async () => {
    const { ask, openings } = bot(["fine"], {
      limits: { transcript_tokens: 1_000_000 },
      model: { window: 6_000 },
    });
    for (let at = 0; at < 40; at += 1) await ask(`question ${at} ${words}`);
    expect(openings.map(({ because }) => because)).toContain("full");
  });

  it("a full transcript says how much is left out where no summary can be made", async () => {
    const { ask, model } = bot(["fine"], { model: { generative: false } });
    const failing = bot(["fine"], {
      gate: async (request) => {
        if (isSummary(request)) throw new Error("down");
      },
    });
    for (let at = 0; at < 20; at += 1) {
      await ask(`question ${at} ${words}`);
      await failing.ask(`question ${at} ${words}`);
    }
    for (const requests of [model.ofTurns(), failing.model.ofTurns()]) {
      expect(requests.at(-1)?.messages[0]?.text).toMatch(
        /^<earlier_in_this_thread>\n\(\d+ earlier turns of this thread are not shown\.\)/,
      );
    }
  });
});

describe("a transcript whose cache is cold", () => {
  const cold = (tokens: number, cache_ms: number | undefined) => {
    const clock = createFakeClock();
    const usage = () => ({ input_tokens: tokens, output_tokens: 0 });
    const made = bot(["fine"], { clock, usage, model: { cache_ms } });
    return { ...made, clock };
  };

  it.each([
    ["is more than half full and was used long ago", 2_500, 60_000, 60_001, "cold"],
    ["is more than half full and was used just now", 2_500, 60_000, 60_000, undefined],
    ["is less than half full", 1_900, 60_000, 10_000_000, undefined],
    ["was used five minutes ago and nothing is known of the cache", 2_500, undefined, 300_001, "cold"],
    ["was used less than that ago", 2_500, undefined, 300_000, undefined],
  ] as const)(
    "a transcript with a cold cache ends, or continues, when it %s",
    async (_what, tokens, cache_ms, idle, expected) => {
      const { ask, openings, clock } = cold(tokens, cache_ms);
      await ask("one");
      await ask("two");
      clock.advance(idle);
      await ask("three");
      expect(openings[1]?.because).toBe(expected);
    },
  );

  it("a transcript does not end in the middle of a turn", async () => {
    const clock = createFakeClock();
    const run = () => {
      clock.advance(4_000);
      return "waited";
    };
    const waits = testSkill("waits", [{ name: "waits", run }], { active: true });
    const { ask, openings } = bot([[{ call: "waits" }], "done"], {
      clock,
      skills: [waits],
      usage: () => ({ input_tokens: 3_000, output_tokens: 0 }),
      model: { cache_ms: 1_000 },
    });
    await ask("one");
    expect(openings.map(({ because }) => because)).toEqual(["first"]);
    await ask("two");
    expect(openings.map(({ because }) => because)).toEqual(["first"]);
  });
});

describe("a transcript that is carried over", () => {
  it("a carried-over transcript leaves the reasoning behind, and later turns keep their own", async () => {
    const { ask, model } = bot(["fine"]);
    for (let at = 0; at < 20; at += 1) await ask(`question ${at} ${words}`);
    const transcripts = byTranscript(model.ofTurns());
    const [first] = transcripts.at(-1) ?? [];
    const last = model.ofTurns().at(-1);
    expect(JSON.stringify(first)).not.toContain("signature");
    expect(JSON.stringify(last)).toContain("signature");
    expect(systemTexts(first)).toEqual([]);
  });
});
