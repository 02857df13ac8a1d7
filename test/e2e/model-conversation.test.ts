import { describe, expect, it } from "vitest";
import type { Author } from "../../src/core/inbound.ts";
import { ada, ben, home } from "../support/test-app.ts";
import { prefixDifference } from "../support/vendors/prefix-stable.ts";
import { cachedShare, type RecordedRequest } from "../support/vendors/recording.ts";
import {
  type Conversation,
  startConversation,
  talkingModels,
  toolSkill,
} from "./support/vendor-conversation.ts";

const mia: Author = { id: "mia", name: "Mia", trust: "manager" };

const profiles = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "research", description: "Reads sources.", prompt: "You research." },
] as const;

/** The requests of the conversation itself; summaries and the like have no tools. */
function turnsOf({ vendors }: Conversation): RecordedRequest[] {
  return vendors.requests(({ view }) => view.tools.length > 0);
}

/** What is wrong with the requests so far, in words. */
function complaints(conversation: Conversation): string[] {
  return conversation.vendors
    .requests()
    .filter(({ outcome }) => outcome === "refused" || outcome === "broken")
    .map(
      ({ outcome, status, refused, reply }) =>
        `${outcome} ${status}: ${refused[0]?.message ?? JSON.stringify(reply)}`,
    );
}

const inPlace = new Set(talkingModels.filter((one) => one.in_place).map(({ choice }) => nameOf(choice)));

function nameOf(choice: string): string {
  return choice.slice(choice.indexOf("/") + 1);
}

/** Reasoning that came back behind a changed prefix, of models whose prefix need not change. */
function lostReasoning(conversation: Conversation): number {
  const sent = conversation.vendors.requests(({ model }) => inPlace.has(model));
  return sent.reduce((sum, one) => sum + one.reasoning_lost, 0);
}

/** Answers that came back without the reasoning they were given with. */
function omittedReasoning(conversation: Conversation): number {
  return turnsOf(conversation).reduce((sum, one) => sum + one.reasoning_omitted, 0);
}

/** Where a request does not begin with the one before it. */
function breaks(conversation: Conversation): string[] {
  const all = turnsOf(conversation);
  return all.slice(1).flatMap((later, index) => {
    const earlier = all[index];
    return earlier === undefined ? [] : (prefixDifference(earlier, later) ?? []);
  });
}

describe.each(talkingModels)("a conversation with $choice", ({ choice, in_place }) => {
  /** Nothing refused, nothing broken; and what was sent stays as it was where the model can be told of changes. */
  function expectKept(conversation: Conversation): void {
    expect(complaints(conversation)).toEqual([]);
    if (!in_place) return;
    expect(breaks(conversation)).toEqual([]);
    expect(lostReasoning(conversation) + omittedReasoning(conversation)).toBe(0);
  }

  it("lasts ten turns by three people", async () => {
    const conversation = await startConversation(choice);
    const people = [ada, ben, mia];
    for (let turn = 0; turn < 10; turn += 1) {
      const words = turn % 3 === 0 ? "[use weather]" : "what do you think?";
      const { end } = await conversation.ask(`${turn}: ${words}`, { by: people[turn % 3] ?? ada });
      expect(end.outcome).toBe("completed");
    }
    expectKept(conversation);
    expect(cachedShare(turnsOf(conversation))).toBeGreaterThan(0);
  });

  it("goes on after a skill was activated and put away again", async () => {
    const conversation = await startConversation(choice);
    const { end } = await conversation.ask("[use weather]");
    expect(end.text).toContain("weather says 42");
    await conversation.ask("[offload weather]");
    await conversation.ask("thanks");
    expectKept(conversation);
  });

  it("goes on after people enabled and disabled skills in the middle", async () => {
    const conversation = await startConversation(choice);
    await conversation.ask("hello");
    await conversation.app.setSkill(home.namespace, "stocks", "pinned", ada);
    expect((await conversation.ask("[use stocks]")).end.text).toContain("stocks says 42");
    await conversation.app.setSkill(home.namespace, "stocks", "blocked", ada);
    expect((await conversation.ask("[use stocks] again")).end.text).not.toContain("stocks says 42");
    await conversation.app.setSkill(home.namespace, "stocks", "pinned", ada);
    expect((await conversation.ask("[use stocks] once more")).end.text).toContain("stocks says 42");
    expectKept(conversation);
  });

  it("goes on after a skill was installed in the middle", async () => {
    const conversation = await startConversation(choice);
    await conversation.ask("hello");
    conversation.source.skills = [...conversation.source.skills, toolSkill("trains")];
    expect((await conversation.ask("[use trains]")).end.text).toContain("trains says 42");
    await conversation.ask("thanks");
    expectKept(conversation);
  });

  it("goes on after a handoff", async () => {
    const conversation = await startConversation(choice, { profiles });
    await conversation.ask("hello");
    const { events } = await conversation.ask("[handoff research]");
    expect(events.some(({ type }) => type === "handoff")).toBe(true);
    await conversation.ask("and now?");
    expect(turnsOf(conversation).at(-1)?.view.instructions).toContain("You research.");
    expectKept(conversation);
  });

  it("goes on with another model when its own fails, and comes back", async () => {
    const other = choice.startsWith("anthropic/") ? "openai/gpt-6.1-terra" : "anthropic/claude-sonnet-5-5";
    const conversation = await startConversation(choice, { failover: [other] });
    await conversation.ask("[use weather]");
    conversation.vendors.fail({ kind: 529, model: nameOf(choice) });
    await conversation.ask("[use stocks]");
    const { end } = await conversation.ask("are you back?");
    expect(end.outcome).toBe("completed");
    expect(complaints(conversation)).toEqual([]);
    const answered = conversation.vendors.requests(({ outcome }) => outcome === "answered");
    expect(answered.some(({ model }) => model === nameOf(other))).toBe(true);
    expect(answered.at(-1)?.model).toBe(nameOf(choice));
    expect(lostReasoning(conversation)).toBe(0);
  });

  it("goes on after a restart", async () => {
    const before = await startConversation(choice);
    await before.ask("[use weather]");
    const conversation = await before.restart();
    await conversation.ask("[use stocks]");
    await conversation.ask("thanks");
    expectKept(conversation);
  });

  it("goes on after a compaction, and keeps its reasoning from there on", async () => {
    const conversation = await startConversation(choice, { history_tokens: 1_000 });
    for (let turn = 0; turn < 8; turn += 1) {
      await conversation.ask(`${turn}: [use weather] ${"and tell me more ".repeat(40)}`);
    }
    expect(complaints(conversation)).toEqual([]);
    expect(lostReasoning(conversation)).toBe(0);
  });

  it("goes on after a turn was deleted", async () => {
    const conversation = await startConversation(choice);
    await conversation.ask("hello");
    const { turnId } = await conversation.ask("[use weather] the secret", { by: ben });
    await conversation.ask("[use stocks]");
    await conversation.app.forget(turnId, ben);
    await conversation.ask("what was it?");
    await conversation.ask("[use stocks] again");
    expect(complaints(conversation)).toEqual([]);
    expect(JSON.stringify(turnsOf(conversation).at(-1)?.body)).not.toContain("the secret");
    expect(lostReasoning(conversation)).toBe(0);
  });
});
