import { fileURLToPath } from "node:url";
import { beforeAll, expect, it, vi } from "vitest";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { importedSkills, place, useEveryKind } from "../support/every-kind-bot.ts";
import { familyOf, stillThere } from "../support/process-family.ts";
import { eventsOf, until } from "../support/turns.ts";

const kinds = useEveryKind({ shared: true, config: "turns: { concurrent: 20 }" });
const testServer = fileURLToPath(new URL("../../support/skills/mcp-server-process.ts", import.meta.url));

/** A flow whose steps follow the start. */
const flowOf = (name: string, steps: readonly object[]) =>
  JSON.stringify({
    ...{ name, description: `Does ${name}.`, active: true },
    steps: [{ type: "start", config: { variables: [] } }, ...steps],
  });
const visit = (path: string, method = "GET") => ({
  type: "apiCall",
  config: { url: kinds().site.url + path, method, responseVariable: "got" },
});
const approval = (question: string) => ({ type: "approval", config: { question } });

/** Requests that the bot that is killed gets no answer to. */
const held = ["/item/c", "/send/b", "/late"];

/** Skills of every kind whose calls are open when the bot is killed. */
async function writeSkills(): Promise<void> {
  const { home, copy } = kinds();
  await copy(importedSkills, "skills");
  const flows = {
    asking: [visit("/before", "POST"), approval("Go on with $" + "{got.path}?"), visit("/after", "POST")],
    rounds: [
      { type: "loop", config: { over: ["a", "b", "c", "d"], steps: [visit("/item/$" + "{item}")] } },
      visit("/end"),
    ],
    sending: [{ type: "loop", config: { over: ["a", "b"], steps: [visit("/send/$" + "{item}", "POST")] } }],
    late: [approval("Send it?"), visit("/late", "POST")],
  };
  for (const [name, steps] of Object.entries(flows))
    await home.write(`.knack-workspace/flows/${name}.json`, flowOf(name, steps));
  const plugin = {
    ...{ name: "Sender", hubId: "sender", active: true, description: "Sends." },
    entrypoint: { file: "handler.js" },
  };
  await home.write(".knack-workspace/skills/sender/plugin.json", JSON.stringify(plugin));
  await home.write(
    ".knack-workspace/skills/sender/handler.js",
    `module.exports.runtime = { handler: async function () {
      const { approved } = await this.requestToolApproval({ description: "Send it?" });
      this.introspect("sending " + approved);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    } };`,
  );
  await home.write(
    ".knack-workspace/skills/kit/SKILL.md",
    "---\nname: kit\ndescription: Adds and waits.\nmetadata:\n  skill_type: tool\n---\nUse it.\n",
  );
  await home.write(
    ".knack-workspace/skills/kit/index.js",
    `module.exports = [
      { name: "add", description: "Adds", parameters: {}, run: () => "added" },
      { name: "wait", description: "Waits", parameters: {}, run: () => new Promise((resolve) => setTimeout(resolve, 60_000)) },
    ];`,
  );
  const servers = { asker: { command: process.execPath, args: [testServer] } };
  await home.write("config/mcp.json", JSON.stringify({ mcpServers: servers }));
}

/** Turns of the bot that is killed, by their thread. */
const turns: Record<string, string> = {};
let first: BotProcess;
let second: BotProcess;

/** Has the first bot make a call in a thread of its own. */
async function begin(thread: string, tool: string, input: unknown = {}): Promise<string> {
  const turn = await kinds().submit(first, `${thread} begins`, [{ call: tool, with: input }], thread);
  turns[thread] = turn;
  return turn;
}

const decide = async ({ client }: BotProcess, id: string) =>
  (await client.call("approval.decide", { id, approve: true })).decided;

/** Confirms the call that the turn asks about first. */
async function confirm(turn: string): Promise<void> {
  const { approval_id } = await until(first.client, turn, "approval_requested");
  expect(await decide(first, approval_id)).toBe(true);
}

const arrived = (path: string) => kinds().site.reached(1, (request) => request.path === path);
const visited = (part: RegExp) => kinds().site.requests.flatMap(({ path }) => (part.test(path) ? path : []));
/** The end of a turn that the first bot began. */
const over = (thread: string) => kinds().over(second, turns[thread] ?? "");

const approvals = new Map<string, { approval_id: string; question?: string | undefined }>();
const waiting = (thread: string) => approvals.get(thread) ?? { approval_id: "", question: "" };
let asked: { question_id: string };

/** What is open when the bot is killed; each resolves when it is. */
const open: readonly (() => Promise<void>)[] = [
  async () => {
    const turn = await begin("note", "send-note", { to: "Ben" });
    const { approval_id, question } = await until(first.client, turn, "approval_requested");
    approvals.set("note", { approval_id, question });
    await until(first.client, turn, "turn_waiting");
  },
  async () => {
    const turn = await begin("ask", "asking");
    await confirm(turn);
    const { seq, approval_id, question } = await until(
      first.client,
      turn,
      "approval_requested",
      (event) => event.question !== undefined,
    );
    approvals.set("ask", { approval_id, question });
    await until(first.client, turn, "turn_waiting", (event) => event.seq > seq);
  },
  async () => {
    await confirm(await begin("late", "late"));
    await arrived("/late");
  },
  async () => {
    const turn = await begin("sender", "sender");
    const { approval_id } = await until(first.client, turn, "approval_requested");
    await until(first.client, turn, "turn_waiting");
    await decide(first, approval_id);
    await until(first.client, turn, "tool_progress", ({ note }) => note === "sending true");
  },
  async () => {
    await until(first.client, await begin("kit", "kit_wait"), "tool_started");
  },
  async () => {
    await begin("rounds", "rounds");
    await arrived("/item/c");
  },
  async () => {
    await confirm(await begin("sending", "sending"));
    await arrived("/send/b");
  },
  async () => {
    const turn = await begin("server", "asker__ask", { times: 1 });
    await confirm(turn);
    const { seq, question_id } = await until(first.client, turn, "question_asked");
    asked = { question_id };
    await until(first.client, turn, "turn_waiting", (event) => event.seq > seq);
  },
];

beforeAll(async () => {
  const { home, site } = kinds();
  await writeSkills();
  first = await home.start();
  await first.client.call("server.control", { name: "asker", action: "start" });
  const pin = (id: string) => first.client.call("skill.set", { ns: place.namespace, id, state: "pinned" });
  // Tools are read in the background: a skill of theirs can be pinned when they are known.
  for (const id of ["send-note", "asking", "rounds", "sending", "late", "sender", "kit", "mcp_asker"])
    await vi.waitFor(() => pin(id), { timeout: 20_000 });
  site.close(({ path }) => held.includes(path));
  await Promise.all(open.map((each) => each()));
  const family = await familyOf(first.pid);
  // kill -9: nothing of the bot is left running, and another one starts at the same place.
  await first.kill();
  await vi.waitFor(async () => expect(await stillThere(family)).toEqual([]), { timeout: 10_000 });
  site.open();
  second = await home.start();
});

it("a handler that waits for approval gets it after a crash, and answers once", async () => {
  const { approval_id, question } = waiting("note");
  expect(question).toBe("Send this note to Ben?");
  expect(await decide(second, approval_id)).toBe(true);
  expect(await decide(second, approval_id)).toBe(false);
  const { text, events } = await over("note");
  expect(text).toBe("done: Sent to Ben, draft 1: Hello!");
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok" }]);
});

it("a flow that waits for approval gets it after a crash, and does nothing before it twice", async () => {
  const { approval_id, question } = waiting("ask");
  expect(question).toBe("Go on with /before?");
  expect(await decide(second, approval_id)).toBe(true);
  const { events } = await over("ask");
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok", output: { success: true } }]);
  expect(visited(/before|after/)).toEqual(["/before", "/after"]);
});

it("a flow killed after its approval, while it sends something, does not send it again", async () => {
  const { events } = await over("late");
  expect(visited(/late/)).toEqual(["/late"]);
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
});

it("a handler killed after its approval is not run again", async () => {
  const { events } = await over("sender");
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
});

it("a package of tools killed in a call says that the outcome is unknown, and is there for the next turn", async () => {
  const { events } = await over("kit");
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
  const { text } = await kinds().say(second, "add it", [{ call: "kit_add", with: {} }]);
  expect(text).toBe("done: added");
});

it("a flow killed in the middle of a loop continues there, and requests nothing twice that had answered", async () => {
  const { events } = await over("rounds");
  const [{ status, output } = { status: "none", output: {} }] = eventsOf(events, "tool_finished");
  // A GET may be asked again; those that had answered may not.
  expect({ status, output }).toMatchObject({ status: "ok", output: { success: true } });
  expect(visited(/item|^.end/)).toEqual(["/item/a", "/item/b", "/item/c", "/item/c", "/item/d", "/end"]);
});

it("a flow killed while it sent something does not send it again, and says that the outcome is unknown", async () => {
  const { events } = await over("sending");
  expect(eventsOf(events, "tool_finished")).toMatchObject([
    { status: "error", output: { code: "outcome_unknown" } },
  ]);
  expect(visited(/^.send/)).toEqual(["/send/a", "/send/b"]);
});

it("a question of a tool server can still be answered after a crash, is not asked twice, and is answered once", async () => {
  const answer = { id: turns.server ?? "", question_id: asked.question_id, text: "Ada" };
  expect((await second.client.call("turn.answer", answer)).answered).toBe(true);
  const { text, events } = await over("server");
  // The server of the bot that was killed is gone: another one asks the same, and gets what the person said.
  expect(text).toBe('done: accept {"answer":"Ada"}');
  expect(eventsOf(events, "question_asked")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok" }]);
});
