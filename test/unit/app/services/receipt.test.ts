import { describe, expect, it } from "vitest";
import { createReceipts } from "../../../../src/app/services/receipt.ts";
import type { TurnEvent, TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { TurnRecord } from "../../../../src/core/log/turn-log.ts";
import { noUsage } from "../../../../src/core/log/usage.ts";
import type { ChannelAccess, ChatActions } from "../../../../src/core/ports/chat-actions.ts";
import type { Author, Inbound } from "../../../../src/core/values/inbound.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const channel = "slack:T:C1";
const sales = "slack:T:C2";
const asker: Author = { id: "U1", name: "Una", trust: "member" };
const member: Author = { id: "U2", name: "Max", trust: "member" };
const salesMember: Author = { id: "U3", name: "Sal", trust: "member" };
const manager: Author = { id: "U4", name: "Mia", trust: "manager" };
const operator: Author = { id: "operator", name: "Op", trust: "operator" };

const members: Readonly<Record<string, readonly string[]>> = { [sales]: [asker.id, salesMember.id] };

function actions(inSales = members[sales] ?? []): ChatActions {
  return {
    access: async (namespace: string, person: string) =>
      namespace === sales && inSales.includes(person) ? ({ namespace } as ChannelAccess) : undefined,
    link: async (_namespace: string, reference: string) => `https://chat.example/${reference}`,
  } as unknown as ChatActions;
}

const record: TurnRecord = {
  turn_id: "t",
  namespace: channel,
  thread: "1",
  kind: "message",
  author: asker,
  text: "what sold?",
  status: "finished",
  outcome: "completed",
  accepted_at: 0,
  finished_at: 5_000,
  ...noUsage,
  input_tokens: 900,
  output_tokens: 100,
  cost_usd: 0.02,
};

function called(
  call_id: string,
  tool: string,
  input: Json,
  output: Json,
  more: object = {},
): TurnEventBody[] {
  const {
    deed,
    effect = "read_only",
    hosts,
  } = more as { deed?: string; effect?: "side_effect"; hosts?: string[] };
  const started = {
    type: "tool_started",
    call_id,
    tool,
    title: tool,
    skill_id: "s",
    input,
    effect,
    deed,
  } as const;
  const done = { type: "tool_finished", call_id, tool, status: "ok", output, duration_ms: 1, hosts } as const;
  return [started, done];
}

const inbound: Inbound = {
  key: "k",
  namespace: channel,
  thread: "1",
  author: asker,
  kind: "message",
  text: "what sold?",
};

const page = called(
  "c1",
  "scrape",
  { url: "https://a.example/x" },
  { text: "words", url: "https://a.example/x" },
  { hosts: ["a.example"] },
);
const search = called(
  "c2",
  "web_search",
  { words: "x" },
  { results: [{ title: "A page", url: "https://b.example/" }] },
);
const elsewhere: TurnEventBody[] = [
  { type: "answer_private", call_id: "c3", because: "it tells what is said in #sales", from: sales },
  ...called(
    "c3",
    "chat_read",
    { channel: "sales" },
    {
      channel: "sales",
      messages: [{ id: "9", from: "Sal", text: "secret", link: "https://chat.example/9" }],
    },
  ),
];
const sent: TurnEventBody[] = [
  {
    type: "approval_requested",
    approval_id: "t:1",
    call_id: "c4",
    tool: "chat_send",
    skill_id: "chat",
    input: {},
    says: { deed: "send a message to #sales" },
    approver: "asker",
    expires_at: 1,
  },
  { type: "approval_decided", approval_id: "t:1", approved: true, by: "U1", name: "Una" },
  ...called(
    "c4",
    "chat_send",
    { to: "#sales" },
    { sent: true },
    { deed: "send a message to #sales", effect: "side_effect", hosts: ["slack.example"] },
  ),
  {
    type: "message_sent",
    call_id: "c4",
    did: "sent",
    place: { namespace: sales, thread: "channel" },
    reference: "77",
    link: "https://chat.example/77",
  },
];
const heard: TurnEventBody = {
  type: "context_read",
  thread: [{ id: "5", by: "Max", author: "max", text: "hello", at: 1 }],
  files: [
    { name: "plan.pdf", media_type: "application/pdf", bytes: 5 },
    { name: "lost.pdf", media_type: "application/pdf", bytes: 5, problem: "gone" },
  ],
};
const made: TurnEventBody = {
  type: "file",
  call_id: "c1",
  name: "out.csv",
  media_type: "text/csv",
  bytes: 3,
  url: "/f",
};
const spent: TurnEventBody[] = [
  { type: "usage", model: "openai/big", round: 1, input_tokens: 800, output_tokens: 90, cost_usd: 0.019 },
  { type: "usage", model: "openai/small", input_tokens: 100, output_tokens: 10, cost_usd: 0.001 },
  { type: "usage", model: "openai/big", round: 2, input_tokens: 0, output_tokens: 0 },
];

function receiptOf(bodies: readonly TurnEventBody[], reader: Author, inSales?: readonly string[]) {
  const all: TurnEventBody[] = [{ type: "inbound", inbound }, ...bodies];
  const events = all.map((body, seq) => ({ ...body, turn_id: "t", seq, at: seq }) as TurnEvent);
  return createReceipts({ log: { read: async () => events } }, () => actions(inSales))(record, reader);
}

const end: TurnEventBody = { type: "turn_finished", outcome: "completed", text: "It sold." };
const open = [heard, ...page, ...search, made, ...spent, ...sent, end];
const aside = [...page, ...elsewhere, ...sent, made, ...spent, { ...end, private: true } as TurnEventBody];

describe("the receipt of a turn", () => {
  it("a receipt has its sources with links, hosts, files, approvals and who decided, and what each model cost", async () => {
    const { sources, tools, hosts, files, approvals, models, usage, hidden, effects } = await receiptOf(
      open,
      asker,
    );
    expect(sources).toEqual([
      { kind: "message", title: "Max", link: "https://chat.example/5" },
      { kind: "file", title: "plan.pdf" },
      { kind: "page", title: "https://a.example/x", link: "https://a.example/x" },
      { kind: "result", title: "A page", link: "https://b.example/" },
    ]);
    expect(tools.map(({ tool }) => tool)).toEqual(["scrape", "web_search", "chat_send"]);
    expect(hosts).toEqual(["a.example", "slack.example"]);
    expect(files.map(({ name }) => name)).toEqual(["out.csv"]);
    expect(approvals).toEqual([
      { what: "send a message to #sales", state: "approved", by: "U1", name: "Una" },
    ]);
    expect(effects).toMatchObject([
      { what: "send a message to #sales", status: "ok", to: { namespace: sales } },
    ]);
    expect(models).toEqual([
      { model: "openai/big", calls: 2, input_tokens: 800, output_tokens: 90, cost_usd: 0.019 },
      { model: "openai/small", calls: 1, input_tokens: 100, output_tokens: 10, cost_usd: 0.001 },
    ]);
    expect(usage).toEqual({ input_tokens: 900, output_tokens: 100, cost_usd: 0.02, unpriced_tokens: 0 });
    expect(Object.values(hidden).every((count) => count === 0)).toBe(true);
  });

  const everything = { sources: 0, places: 0, tools: 0, effects: 0, hosts: 0, approvals: 0, files: 0 };
  const numbers = { sources: 2, places: 1, tools: 3, effects: 1, hosts: 2, approvals: 1, files: 1 };
  it.each([
    ["its asker", open, asker, everything],
    ["a member, who is not in the other channel", open, member, { ...everything, effects: 1 }],
    ["a member of the other channel", open, salesMember, everything],
    ["an operator", open, operator, everything],
    ["its asker, if it is private", aside, asker, everything],
    ["a member, if it is private", aside, member, numbers],
    ["a member of the place it read, if it is private", aside, salesMember, numbers],
    ["a manager, if it is private", aside, manager, numbers],
    ["an operator, if it is private", aside, operator, { ...numbers, effects: 0, hosts: 1 }],
  ] as const)(
    "a receipt shows %s what they may see, and counts the rest",
    async (_who, events, reader, hidden) => {
      const seen = await receiptOf(events, reader);
      expect(seen.hidden).toEqual(hidden);
      const isHidden = hidden.sources > 0;
      const told = JSON.stringify({ ...seen, effects: [] });
      expect(told.includes("Sal") || told.includes("a.example")).toBe(!isHidden);
      expect(JSON.stringify(seen)).not.toContain("secret");
      expect(seen.usage.input_tokens).toBe(900);
    },
  );

  it("a receipt hides what its asker read in a channel that they may no longer read [record-3]", async () => {
    const seen = await receiptOf(aside, asker, []);
    expect(seen.hidden).toMatchObject({ sources: 1, places: 1, tools: 1 });
    expect(seen.places).toEqual([]);
    expect((await receiptOf(aside, asker)).places).toEqual([
      { namespace: sales, because: "it tells what is said in #sales" },
    ]);
  });

  it.each<[string, readonly TurnEventBody[], RegExp]>([
    ["was merged", [{ ...end, text: "", merged_into: "t2" } as TurnEventBody], /taken into the turn t2/],
    ["was deleted", [{ ...end, text: "", forgotten_by: "U1" } as TurnEventBody], /was deleted/],
    ["lost its details", [{ type: "details_removed" }, end], /details were deleted/],
    [
      "failed",
      [{ type: "error", code: "x", message: "No model." }, { ...end, outcome: "failed" } as TurnEventBody],
      /failed: No model/,
    ],
    ["has not finished", [], /not finished/],
    [
      "began work in the background",
      [{ type: "handoff", from: "a", to: "b", call_id: "c", background: "t3" }, end],
      /the turn t3/,
    ],
  ])("a receipt says what it cannot have of a turn that %s", async (_what, events, note) => {
    expect((await receiptOf(events, asker)).notes).toEqual([expect.stringMatching(note)]);
  });

  it("a receipt links to its sources in Markdown that their titles and addresses cannot break", async () => {
    const found = { results: [{ title: "A](https://evil.example) **b**", url: "https://a.example/(c)" }] };
    const skills = [testSkill("look", [{ name: "look", run: () => found }], { active: true })];
    const { app, ask } = createTestApp(scriptedModel([[{ call: "look" }], "Seen."]), { skills });
    const { turnId } = await ask("look");
    const asker = { by: ada, namespace: home.namespace };
    const made = await app.run("turn.receipt", { input: { id: turnId }, asker });
    const link = "[A\\](https://evil.example) \\*\\*b\\*\\*](https://a.example/%28c%29)";
    expect(made).toMatchObject({
      ok: true,
      value: { text: expect.stringContaining(`- Sources: ${link}\n`) },
    });
  });

  it("a receipt is not for people of other channels, who learn nothing of the turn [record-3]", async () => {
    const skills = [testSkill("look", [{ name: "look" }], { active: true })];
    const { app, ask } = createTestApp(scriptedModel([[{ call: "look" }], "Seen."]), { skills });
    const { turnId } = await ask("look", { by: ben });
    const read = (by: Author, namespace: string, id = turnId) =>
      app.run("turn.receipt", { input: { id }, asker: { by, namespace } });
    expect(await read({ ...ben, id: "eve" }, "console:local:other")).toMatchObject({
      ok: false,
      status: 404,
    });
    expect(await read(ada, "console:local:other", "none")).toMatchObject({ ok: false, status: 404 });
    const text = expect.stringContaining("- Tools: look");
    for (const [by, namespace] of [
      [{ ...ben, id: "eve" }, home.namespace],
      [ada, "console:local:other"],
    ] as const)
      expect(await read(by, namespace)).toMatchObject({ ok: true, value: { text } });
  });
});
