import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/core/ports/model.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { ann, ask, createWorld, dora, general, say } from "../../support/fakes/chat-world.ts";
import type { Line } from "../../support/models/scripted-model.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const call = (given: object) => [{ call: "channel-summary", with: given }];
const digest = {
  decisions: [{ text: "The release branch is cut.", who: "Ben", message: 1 }],
  open: [
    { text: "Who tests the invoice?", who: "Zoe", message: 2 },
    { text: "Made up.", who: "", message: 99 },
  ],
  topics: [],
};

/** A world in which the model calls the skill, answers it with `given`, and ends. */
const world = (input: object, given: object = digest) =>
  createWorld([call(input), JSON.stringify(given), "Done."]);
const outputOf = ({ results }: Awaited<ReturnType<typeof ask>>) =>
  results[0]?.output as Record<string, unknown>;

describe("the channel-summary skill", () => {
  it("the channel-summary skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/channel-summary")).toEqual({ valid: true, errors: [] });
  });

  it("a channel summary links each point to its message, names only people who are there, and drops unsupported points", async () => {
    const done = await ask(world({ since: "2026-11-20", until: "2026-11-26" }), "what did I miss?");
    expect(outputOf(done)).toMatchObject({
      channel: expect.stringContaining("general"),
      messages: 2,
      people: ["Ben"],
      decisions: [{ text: "The release branch is cut.", who: "Ben", link: "https://chat.example/m1" }],
      open: [{ text: "Who tests the invoice?", link: "https://chat.example/m2" }],
      note: expect.stringContaining("refer to no message were left out: 1"),
    });
    expect(JSON.stringify(outputOf(done).open)).not.toContain("Zoe");
  });

  it("a channel summary is only for its asker", async () => {
    const { events } = await ask(world({ since: "2026-11-20", until: "2026-11-26" }), "what did I miss?");
    expect(events.at(-1)).toMatchObject({ type: "turn_finished", private: true });
  });

  it("a channel summary knows what people asked the bot, what it answered, and the replies in threads", async () => {
    const nothing = { decisions: [], open: [], topics: [] };
    const own = world({ since: "2026-11-25T20:00", until: "2026-11-26T00:00" }, nothing);
    const [asked, answer] = ["@Knack how many orders were late?", "Three orders were late."];
    say(own.chat, general, "q", "U4DORA", "Dora", asked, "2026-11-25T20:01");
    say(own.chat, general, "a", "bot", "Knack", `${answer} ${"Details. ".repeat(100)}`, "2026-11-25T20:03");
    say(own.chat, general, "z", "U2BEN", "Ben", "Lunch?", "2026-11-25T20:02");
    for (const message of own.chat.messages) {
      if (message.id === "q") message.replies = 1;
      if (message.id === "a") message.thread = "q";
    }
    const done = await ask(own, "what did I miss?");
    const { messages = [] } = own.model.requests[1] ?? {};
    const lines = messages.at(-1)?.text.split("\n") ?? [];
    const from = lines.findIndex((line) => line.includes(asked));
    expect(lines[from + 1]).toMatch(/^\[2\] > Wed 21:03 Knack \(the bot\): Three orders were late/);
    expect(lines[from + 1]?.length).toBeLessThan(400);
    expect(lines[from + 2]).toContain("Lunch?");
    expect(outputOf(done)).toMatchObject({ messages: 2, people: ["Dora", "Ben"] });
  });

  it("a channel summary asks no model where only the bot wrote", async () => {
    const own = createWorld([call({ since: "2026-01-01", until: "2026-01-02" }), "Done."]);
    say(own.chat, general, "a", "bot", "Knack", "Good morning.", "2026-01-01T08:00");
    const done = await ask(own, "what was said?");
    expect(outputOf(done)).toMatchObject({ messages: 0, note: expect.stringContaining("no messages") });
    expect(own.model.requests).toHaveLength(2);
  });

  it("a channel summary asks no model where nobody said anything", async () => {
    const own = createWorld([call({ since: "2026-01-01", until: "2026-01-02" }), "Done."]);
    const done = await ask(own, "what was said?");
    expect(outputOf(done)).toMatchObject({
      messages: 0,
      note: "There are no messages of others in that time.",
    });
    expect(own.model.requests).toHaveLength(2);
  });

  it("a channel summary reads a busy channel to its beginning, in parts", async () => {
    const part = { decisions: [], open: [], topics: [{ text: "Long talk.", who: "", message: 1 }] };
    const own = createWorld([call({ since: "2026-11-20", until: "2026-11-26" }), JSON.stringify(part)]);
    for (let at = 0; at < 700; at += 1)
      say(
        own.chat,
        general,
        `x${at}`,
        "U2BEN",
        "Ben",
        `Message ${at} ${"word ".repeat(40)}`,
        `2026-11-25T${String(9 + Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`,
      );
    const done = await ask(own, "sum up");
    expect(outputOf(done)).toMatchObject({ messages: 702 });
  });

  it("a channel summary keeps what it has when the model fails at a part, and at joining them", async () => {
    const part = { decisions: [], open: [], topics: [{ text: "Long talk.", who: "", message: 1 }] };
    const down = new ModelError("unavailable", "away");
    const summedUp = async (...answers: Line[]) => {
      const own = createWorld([call({ since: "2026-11-20", until: "2026-11-26" }), ...answers, "Done."]);
      for (let at = 0; at < 480; at += 1)
        say(
          own.chat,
          ...([general, `x${at}`, "U2BEN", "Ben", `Message ${at} ${"word ".repeat(60)}`] as const),
          `2026-11-25T${String(9 + Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`,
        );
      return outputOf(await ask(own, "sum up"));
    };
    const text = JSON.stringify(part);
    const merged = JSON.stringify({ ...part, topics: [{ text: "All of it.", who: "", message: 2 }] });
    expect(await summedUp(text, down, text, merged)).toMatchObject({
      topics: [{ text: "All of it." }],
      note: expect.stringMatching(
        /^The model could not read the messages from Wed \d\d:\d\d to Wed \d\d:\d\d\.$/,
      ),
    });
    expect(await summedUp(text, text, text, down)).toMatchObject({
      topics: [{ text: "Long talk." }, {}, {}],
      note: expect.stringContaining("could not join the parts"),
    });
  });

  it("a channel summary does not tell of a channel the person is not in", async () => {
    const done = await ask(world({ channel: "board" }), "sum up", { by: dora });
    expect(done.results[0]).toMatchObject({ status: "error" });
    expect(ann.id).not.toBe(dora.id);
  });

  it("the channel-summary skill costs what its example costs", async () => {
    const bench = createSkillBench({ answers: [] });
    await bench.run("text-analyzer", { text: "x" });
    expect(await bench.cost("channel-summary")).toEqual({
      tools: 130,
      guide: 120,
      calls: 0,
      asked: 0,
      answered: 0,
    });
  });
});
