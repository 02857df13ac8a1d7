/** What a call makes after it has read another channel is for its asker alone, whoever reads within it: no word of it reaches Dora. */
import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { CodeRequest } from "../../../src/core/skill/programs.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import { isPrivateTurn, sharingReason } from "../../../src/core/transcript/audience.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { approve } from "../../support/bot/ask-app.ts";
import {
  agents,
  ann,
  ask,
  createWorld,
  dora,
  general,
  inBackground,
  type TestWorld,
} from "../../support/fakes/chat-world.ts";
import { exited, fakeCode, means } from "../../support/fakes/fake-code.ts";
import { writes } from "../../support/fakes/folder-code.ts";
import { follow } from "../../support/follow.ts";
import type { Line } from "../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../support/skills/test-skill.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";

const secret = "Pizza on Friday";
const read = { call: "chat_read", with: { channel: "#random" } };

interface Call {
  call: string;
  with: JsonObject;
}

/** What others could see of a call. */
const made: Record<string, Call> = {
  "a file": { call: "write_file", with: { name: "lunch.txt", content: secret } },
  "a file of code": { call: "run_code", with: { language: "python", code: secret } },
  "a document": { call: "document_write", with: { title: "Lunch", markdown: secret, formats: ["md"] } },
  "a fact": { call: "memory_remember", with: { text: secret } },
  "knowledge of the channel": {
    call: "memory_learn",
    with: { title: "Lunch", text: `${secret}. `.repeat(40) },
  },
  "a message": { call: "chat_send", with: { to: "here", text: secret } },
  "a task": { call: "schedule_add", with: { what: "task", text: secret, cron: "0 9 * * 1" } },
  "a result": { call: "text_analyze", with: { text: secret } },
};

interface Lines {
  says?: string;
  /** What the turn's model does, and its helper. */
  chat: Line[];
  maker: Line[];
}

/** Who reads and goes on within one call. */
const within: Record<string, (out: Call) => Lines> = {
  "an agent it hands over to": (out) => ({
    chat: [[{ call: "handoff", with: { to: "maker", reason: "Read." } }], "Done."],
    maker: [[read], [out], secret],
  }),
  "an agent in the background": (out) => ({
    chat: [[inBackground("Read.")], "Done."],
    maker: [[read], [out], secret],
  }),
  "an agent that the message names": (out) => ({
    says: "maker: what is new in #random?",
    chat: [[read], [out], secret],
    maker: [],
  }),
  "a skill": () => ({ chat: [[{ call: "both", with: {} }], "Done."], maker: [] }),
  "a flow": () => ({ chat: [[{ call: "lunch_plan", with: {} }], "Done."], maker: [] }),
};

/** What the code of a skill does itself. */
type Work = (context: ToolContext) => Promise<unknown>;

function createOffice({ chat, maker }: Lines, out: Call, work?: Work, late?: Work) {
  const flow = {
    name: "lunch plan",
    description: "Plans lunch.",
    steps: [
      { type: "start", config: { variables: [] } },
      { type: "tool", config: { tool: "chat#read", input: read.with } },
      { type: "tool", config: { tool: out.call, input: out.with } },
    ],
  };
  const root = temporaryFolder({ "lunch.json": JSON.stringify(flow) });
  const run = async (_: unknown, context: ToolContext) => {
    await context.invoke("chat#read", read.with);
    return work === undefined ? context.invoke(out.call, out.with) : ((await work(context)) as string);
  };
  const code = fakeCode(async ({ working, code: text }) => {
    if (working !== undefined) await writes({ "notes.txt": text })(working);
    return exited("Wrote it.");
  });
  let later: Line[] | undefined;
  const script = ({ system }: ModelRequest): Line =>
    (later ?? (system.includes("You work beside") ? maker : chat)).shift() ?? "Nothing.";
  const runLate = async (_: unknown, context: ToolContext) => (await late?.(context)) as string;
  const tools = [
    { name: "both", run },
    { name: "late", run: runLate },
  ];
  const sources = [
    createFlowSource({ source: "workspace", precedence: 5, root, ports: {} }),
    testSource([testSkill("both", tools)]),
  ];
  const world = createWorld(script, {}, { profiles: agents, code, sources });
  const next = (lines: Line[]) => {
    later = lines;
  };
  return { ...world, world, next };
}

/** The events of a turn of Ann, who refuses whatever she is asked. */
async function refused({ app }: TestWorld, turnId: string): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of follow(app.app, turnId)) {
    events.push(event);
    if (event.type === "approval_requested") await approve(app.app, event.approval_id, false, ann);
  }
  return events;
}

async function openApprovals({ log }: TestWorld["app"], turnId: string) {
  const events = await log.read(turnId);
  return events.flatMap((event) => (event.type === "approval_requested" ? [event] : []));
}

/** The calls of a turn as they end. Ann approves whatever she is asked. */
async function* endedCalls(app: TestWorld["app"], turnId: string, asked: () => void) {
  for await (const event of follow(app.app, turnId)) {
    if (event.type === "approval_requested") asked();
    if (event.type === "turn_waiting")
      for (const { approval_id } of await openApprovals(app, turnId))
        await approve(app.app, approval_id, true, ann);
    if (event.type === "tool_finished") yield event;
  }
}

/** Ann asks, and refuses whatever she is asked. Returns everything that Dora can see afterwards. */
async function seenByDora(lines: Lines, out: Call, work?: Work, late?: Work) {
  const { world, app, model, platform, kept, next } = createOffice(lines, out, work, late);
  const first = await ask(world, lines.says ?? "what is new in #random?", { verdict: false });
  const begun = first.events.find((event) => event.type === "handoff")?.background;
  const turns = [first.turnId, ...(begun === undefined ? [] : [begun])];
  const events = (await Promise.all(turns.map((turn) => refused(world, turn)))).flat();
  expect(isPrivateTurn(events)).toBe(true);
  const reads = ["notes.txt", "lunch.txt", "lunch.md", "Lunch.md"].map((path) => ({
    call: "read_file",
    with: { path },
  }));
  const asked = [
    { call: "list_files", with: {} },
    { call: "memory_recall", with: { query: "Friday" } },
    { call: "chat_read", with: { channel: "#general" } },
    ...events.flatMap((event) =>
      event.type === "tool_finished" ? { call: "read_file", with: { path: event.call_id } } : [],
    ),
    ...reads,
  ];
  next([asked, "Done."]);
  const from = model.requests.length;
  await ask(world, "what did you tell Ann?", { by: dora, verdict: false });
  const shown = model.requests
    .slice(from)
    .flatMap(({ messages }) => messages.filter(({ role }) => role !== "assistant"));
  const asker = { by: dora, namespace: general };
  const receipts = turns.map((id) => app.app.run("turn.receipt", { input: { id }, asker }));
  const inChannel = platform
    .visible()
    .filter(({ place, only_for }) => place.namespace === general && !only_for);
  return JSON.stringify([shown, await Promise.all(receipts), inChannel, await kept()]);
}

describe("what is made in one call after a private reading", () => {
  const isMeta = (what: string) => ["a file", "a file of code"].includes(what);
  const cases = Object.keys(within).flatMap((how) =>
    Object.keys(made)
      // Skills and flows call skills, not the agent's own tools.
      .filter((what) => !isMeta(what) || how.startsWith("an agent"))
      .map((what) => [how, what] as const),
  );
  it.each(cases)("a private reading by %s is for nobody else in %s [private-9]", async (how, what) => {
    const out = made[what] as Call;
    const lines = within[how]?.(out) ?? { chat: [], maker: [] };
    expect(await seenByDora(lines, out)).not.toContain(secret);
  });

  const works: Record<string, Work> = {
    "a file of the answer": ({ file }) =>
      file({ name: "lunch.txt", media_type: "text/plain", data: new TextEncoder().encode(secret) }),
    "a file of the thread": ({ inFolder }) => inFolder("x", writes({ "notes.txt": secret })),
    "what the skill keeps": ({ store }) => store.set("lunch", secret),
    progress: async ({ progress }) => progress(secret),
    "a step": async ({ step }) => step(secret, () => secret),
  };
  it.each(Object.keys(works))(
    "a private reading by the code of a skill is for nobody else in %s [private-9]",
    async (what) => {
      const lines = within["a skill"]?.(read) ?? { chat: [], maker: [] };
      expect(await seenByDora(lines, read, works[what])).not.toContain(secret);
    },
  );

  it.each(Object.keys(works))(
    "a private reading by two calls at the same time is for nobody else in %s [private-9]",
    async (what) => {
      const isRead = Promise.withResolvers<void>();
      const late: Work = async (context) => {
        await isRead.promise;
        await context.invoke("chat#read", read.with);
        return works[what]?.(context);
      };
      const both = ["both", "late"].map((call) => ({ call, with: {} }));
      const work = async () => isRead.resolve();
      expect(await seenByDora({ chat: [both, "Done."], maker: [] }, read, work, late)).not.toContain(secret);
    },
  );

  it.each([
    ["running code", [], false],
    ["code that asks meanwhile", ["api.example"], false],
    ["code that waits for an approval", ["api.example"], true],
  ])(
    "a private reading beside %s is not told to the code unless its card says so [private-8]",
    async (_what, hosts, asksFirst) => {
      const isAsked = Promise.withResolvers<void>();
      const isRead = Promise.withResolvers<void>();
      const work = async ({ onCall }: CodeRequest) => {
        await isRead.promise;
        return exited(String(await onCall?.("read_file", { path: "call_2_1" }).catch(String)));
      };
      const code = fakeCode(work, { ok: true, ...means, hosts });
      const recall = { call: "memory_recall", with: { query: "lunch" } };
      const run = { call: "run_code", with: { language: "python", code: "x" } };
      const { app, chat } = createWorld([[recall], [run, read], "Done."], {}, { code });
      const { access } = chat;
      const gate = asksFirst ? isAsked.promise : undefined;
      chat.access = async (...of) => {
        await gate;
        return access(...of);
      };
      const turnId = await app.say("what is new in #random?", { by: ann, namespace: general });
      const told: [string, boolean][] = [];
      for await (const { tool, output } of endedCalls(app, turnId, isAsked.resolve)) {
        if (tool === "chat_read") isRead.resolve();
        told.push([tool, JSON.stringify(output).includes(secret)]);
      }
      const asked = (await openApprovals(app, turnId)).map(({ reason = "" }) => reason);
      const isAllowed = asked.some((reason) => reason.includes(sharingReason));
      if (asksFirst) expect(isAllowed).toBe(false);
      expect(told).toContainEqual(["chat_read", true]);
      expect(told).toContainEqual(["run_code", isAllowed]);
    },
  );
});
