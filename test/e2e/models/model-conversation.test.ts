import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/core/values/inbound.ts";
import { forgetTurn } from "../../support/bot/ask-app.ts";
import { serverWithManyTools } from "../../support/skills/many-tools.ts";
import { ada, ben, home } from "../../support/test-app.ts";
import { prefixDifference } from "../../support/vendors/prefix-stable.ts";
import { cachedShare, type RecordedRequest } from "../../support/vendors/recording.ts";
import {
  type Conversation,
  type ConversationOptions,
  startConversation,
  talkingModels,
  toolSkill,
} from "../support/vendor-conversation.ts";

const mia: Author = { id: "mia", name: "Mia", trust: "manager" };

const profiles = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "research", description: "Reads sources.", prompt: "You research." },
] as const;

/** The requests of the conversation itself; summaries and the like have no tools, sub-runs a conversation of their own. */
function turnsOf({ vendors }: Conversation): RecordedRequest[] {
  return vendors.requests(
    ({ view }) => view.tools.length > 0 && !view.instructions.includes("You research."),
  );
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

/** The name of a model without its provider. */
function nameOf(choice: string): string {
  return choice.slice(choice.indexOf("/") + 1);
}

/** Reasoning that was sent and that the vendor dropped, because what came before it had changed. */
function lostReasoning(conversation: Conversation): number {
  return conversation.vendors.requests().reduce((sum, one) => sum + one.reasoning_lost, 0);
}

/** Reasoning that the model gave and was not sent back. */
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

/** With the tools of small skills there from the opening, and with none. */
const cases = talkingModels.flatMap((model) => [
  { ...model, open: 3_000, tools: "open tools" },
  { ...model, open: 0, tools: "no open tools" },
]);

describe.each(cases)("a conversation with $choice and $tools", ({ choice, in_place, takes_out, open }) => {
  // A model to which tools cannot be added in place gets them in `tools`, which stands before everything.
  const keepsPrefix = in_place || open > 0;

  const start = (options: ConversationOptions = {}) =>
    startConversation(choice, { ...options, limits: { open_tools_tokens: open, ...options.limits } });

  /** Nothing refused, nothing broken, no reasoning lost; and what was sent stays as it was. */
  function expectKept(conversation: Conversation, { addsTools = false } = {}): void {
    expect(complaints(conversation)).toEqual([]);
    if (!in_place && (addsTools || !keepsPrefix)) return;
    expect(breaks(conversation)).toEqual([]);
    expect(lostReasoning(conversation)).toBe(0);
    expect(omittedReasoning(conversation)).toBe(0);
  }

  it("a conversation lasts ten turns by three people", async () => {
    const conversation = await start();
    const people = [ada, ben, mia];
    for (let turn = 0; turn < 10; turn += 1) {
      const words = turn % 3 === 0 ? "[use weather]" : "what do you think?";
      const { end } = await conversation.ask(`${turn}: ${words}`, { by: people[turn % 3] ?? ada });
      expect(end.outcome).toBe("completed");
    }
    expectKept(conversation);
    expect(cachedShare(turnsOf(conversation))).toBeGreaterThan(0);
  });

  it("a conversation continues after a skill was activated and put away again", async () => {
    const conversation = await start();
    const { end } = await conversation.ask("[use weather]");
    expect(end.text).toContain("weather says 42");
    await conversation.ask("[offload weather]");
    await conversation.ask("thanks");
    expectKept(conversation);
  });

  it("a conversation says that the tools of a skill that was put away are gone, takes them out where the vendor can, and refuses them", async () => {
    const alerts = { ...toolSkill("alerts"), active: true };
    const conversation = await start({ more: [alerts] });
    await conversation.ask("[offload alerts]");
    await conversation.ask("[try alerts]");
    const last = turnsOf(conversation).at(-1)?.view;
    const isThere = last?.tools.some(({ name }) => name === "alerts");
    expect(isThere).toBe(takes_out !== true);
    expect(last?.instructions).toContain("Tools that are gone, do not call them: alerts.");
    expect(last?.results.at(-1)?.text).toContain("You offloaded the skill alerts");
    expectKept(conversation);
  });

  it("a conversation opens without the tools of a skill that was activated in it and put away", async () => {
    const more = [toolSkill("alerts")].map((skill) => ({ ...skill, direct: false }));
    const conversation = await start({ more, limits: { transcript_tokens: 4_000 } });
    await conversation.ask("[use alerts]");
    await conversation.ask("[offload alerts]");
    for (let turn = 0; turn < 6; turn += 1)
      await conversation.ask(`${turn}: ${"and tell me more ".repeat(200)}`);
    expect(turnsOf(conversation).at(-1)?.view.instructions).not.toContain("are gone");
    expect(
      turnsOf(conversation)
        .at(-1)
        ?.view.tools.map(({ name }) => name),
    ).not.toContain("alerts");
    expect(complaints(conversation)).toEqual([]);
  });

  it("a conversation continues after people enabled and disabled skills in the middle", async () => {
    const conversation = await start();
    await conversation.ask("hello");
    await conversation.app.run("skill.set", {
      input: { ns: home.namespace, id: "stocks", state: "pinned" },
      asker: { by: ada, namespace: home.namespace },
    });
    expect((await conversation.ask("[use stocks]")).end.text).toContain("stocks says 42");
    await conversation.app.run("skill.set", {
      input: { ns: home.namespace, id: "stocks", state: "blocked" },
      asker: { by: ada, namespace: home.namespace },
    });
    expect((await conversation.ask("[use stocks] again")).end.text).not.toContain("stocks says 42");
    await conversation.app.run("skill.set", {
      input: { ns: home.namespace, id: "stocks", state: "pinned" },
      asker: { by: ada, namespace: home.namespace },
    });
    expect((await conversation.ask("[use stocks] once more")).end.text).toContain("stocks says 42");
    expectKept(conversation);
  });

  it("a conversation continues after a skill was installed in the middle", async () => {
    const conversation = await start();
    await conversation.ask("hello");
    conversation.source.skills = [...conversation.source.skills, toolSkill("trains")];
    expect((await conversation.ask("[use trains]")).end.text).toContain("trains says 42");
    await conversation.ask("thanks");
    expectKept(conversation, { addsTools: true });
  });

  it("a conversation continues after a sub-run, whose calls go on in its own conversation", async () => {
    const conversation = await start({ profiles });
    await conversation.ask("hello");
    const { events } = await conversation.ask("[handoff research]");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_started", tool: "weather", parent_call_id: expect.anything() }),
    );
    await conversation.ask("and now?");
    expectKept(conversation);
  });

  it("a conversation continues after a message that another agent answered directly, without its reasoning", async () => {
    const conversation = await start({ profiles });
    await conversation.ask("hello");
    await conversation.ask("research: [use weather]");
    await conversation.ask("thanks");
    expect([...complaints(conversation), ...breaks(conversation)]).toEqual([]);
    if (keepsPrefix) expect(lostReasoning(conversation)).toBe(0);
  });

  it("a conversation continues with another model when its own fails, and comes back", async () => {
    const other = choice.startsWith("anthropic/") ? "openai/gpt-6.1-terra" : "anthropic/claude-sonnet-5-5";
    const conversation = await start({ failover: [other] });
    await conversation.ask("[use weather]");
    conversation.vendors.fail({ kind: 529, model: nameOf(choice) });
    await conversation.ask("[use stocks]");
    const { end } = await conversation.ask("are you back?");
    expect(end.outcome).toBe("completed");
    expect(complaints(conversation)).toEqual([]);
    const answered = conversation.vendors.requests(({ outcome }) => outcome === "answered");
    expect(answered.some(({ model }) => other.endsWith(model))).toBe(true);
    expect(choice.endsWith(answered.at(-1)?.model ?? "none")).toBe(true);
    if (keepsPrefix) expect(lostReasoning(conversation)).toBe(0);
  });

  it("a conversation continues after a restart", async () => {
    const before = await start();
    await before.ask("[use weather]");
    const conversation = await before.restart();
    await conversation.ask("[use stocks]");
    await conversation.ask("thanks");
    expectKept(conversation);
  });

  it("a conversation continues after a compaction, and keeps its reasoning from there on", async () => {
    const conversation = await start({ limits: { transcript_tokens: 4_000 } });
    for (let turn = 0; turn < 8; turn += 1) {
      await conversation.ask(`${turn}: [use weather] ${"and tell me more ".repeat(40)}`);
    }
    expect(complaints(conversation)).toEqual([]);
    if (keepsPrefix) expect(lostReasoning(conversation)).toBe(0);
  });

  it("a conversation keeps the tools that were found for it over each compaction", async () => {
    const more = serverWithManyTools(1, () => "issue ".repeat(300));
    const conversation = await start({ more, limits: { transcript_tokens: 6_000 } });
    const calls: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const { events } = await conversation.ask(`${turn}: [find list_issue_1]`);
      for (const event of events) if (event.type === "tool_started") calls.push(event.tool);
    }
    expect(complaints(conversation)).toEqual([]);
    expect(calls).toEqual(["find_tools", ...Array.from({ length: 12 }, () => "list_issue_1")]);
    const summaries = conversation.vendors.requests(({ view }) => view.instructions.startsWith("Summarise"));
    expect(summaries.length).toBeGreaterThan(1);
    if (in_place) expect(lostReasoning(conversation)).toBe(0);
  });

  it("a conversation continues after a turn was deleted", async () => {
    const conversation = await start();
    await conversation.ask("hello");
    const { turnId } = await conversation.ask("[use weather] the secret", { by: ben });
    await conversation.ask("[use stocks]");
    await forgetTurn(conversation.app, turnId, ben);
    await conversation.ask("what was it?");
    await conversation.ask("[use stocks] again");
    expect(complaints(conversation)).toEqual([]);
    expect(JSON.stringify(turnsOf(conversation).at(-1)?.body)).not.toContain("the secret");
    if (keepsPrefix) expect(lostReasoning(conversation)).toBe(0);
  });
});
