import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { importedSkills, place, useEveryKind } from "../support/every-kind-bot.ts";
import { familyOf, stillThere } from "../support/process-family.ts";
import { eventsOf, until } from "../support/turns.ts";

const kinds = useEveryKind();
const testServer = fileURLToPath(new URL("../../support/skills/mcp-server-process.ts", import.meta.url));

/** A flow whose steps follow the start. */
const flowOf = (name: string, steps: readonly object[]) =>
  JSON.stringify({
    ...{ name, description: `Does ${name}.`, active: true },
    steps: [{ type: "start", config: { variables: [] } }, ...steps],
  });
const visit = (url: string, method = "GET") => ({
  type: "apiCall",
  config: { url, method, responseVariable: "got" },
});

/** Confirms the call that the turn asks about first. */
async function confirm({ client }: BotProcess, turn: string): Promise<void> {
  const { approval_id } = await until(client, turn, "approval_requested");
  expect((await client.call("approval.decide", { id: approval_id, approve: true })).decided).toBe(true);
}

/** kill -9, nothing of the bot is left running, and another one at the same place. */
async function crash(bot: BotProcess): Promise<BotProcess> {
  const { home } = kinds();
  const family = await familyOf(bot.pid);
  await bot.kill();
  await expect.poll(() => stillThere(family), { timeout: 10_000 }).toEqual([]);
  return home.start();
}

it("a handler that waits for approval gets it after a crash, and answers once", async () => {
  const { home, copy, submit, over } = kinds();
  await copy(importedSkills, "skills");
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "send-note", state: "pinned" });
  const turn = await submit(first, "send it", [{ call: "send-note", with: { to: "Ben" } }]);
  const { approval_id, question } = await until(first.client, turn, "approval_requested");
  expect(question).toBe("Send this note to Ben?");
  await until(first.client, turn, "turn_waiting");

  const { client, ...second } = await crash(first);
  expect((await client.call("approval.decide", { id: approval_id, approve: true })).decided).toBe(true);
  expect((await client.call("approval.decide", { id: approval_id, approve: true })).decided).toBe(false);
  const { text, events } = await over({ client, ...second }, turn);
  expect(text).toBe("done: Sent to Ben, draft 1: Hello!");
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok" }]);
});

it("a flow that waits for approval gets it after a crash, and does nothing before it twice", async () => {
  const { home, site, submit, over } = kinds();
  const steps = [
    visit(`${site.url}/before`, "POST"),
    { type: "approval", config: { question: "Go on with $" + "{got.path}?" } },
    visit(`${site.url}/after`, "POST"),
  ];
  await home.write(".knack-workspace/flows/ask.json", flowOf("asking", steps));
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "asking", state: "pinned" });
  const turn = await submit(first, "ask first", [{ call: "asking", with: {} }]);
  await confirm(first, turn);
  const asks = (event: { question?: string | undefined }) => event.question !== undefined;
  const asked = await until(first.client, turn, "approval_requested", asks);
  const { approval_id, question } = asked;
  expect(question).toBe("Go on with /before?");
  await until(first.client, turn, "turn_waiting", ({ seq }) => seq > asked.seq);

  const second = await crash(first);
  expect((await second.client.call("approval.decide", { id: approval_id, approve: true })).decided).toBe(
    true,
  );
  const { events } = await over(second, turn);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok", output: { success: true } }]);
  expect(site.requests.map(({ path }) => path)).toEqual(["/before", "/after"]);
});

it("a flow killed after its approval, while it sends something, does not send it again", async () => {
  const { home, site, submit, over } = kinds();
  const steps = [{ type: "approval", config: { question: "Send it?" } }, visit(`${site.url}/send`, "POST")];
  await home.write(".knack-workspace/flows/ask.json", flowOf("asking", steps));
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "asking", state: "pinned" });
  site.close(({ path }) => path === "/send");
  const turn = await submit(first, "ask first", [{ call: "asking", with: {} }]);
  const { approval_id } = await until(first.client, turn, "approval_requested");
  (await first.client.call("approval.decide", { id: approval_id, approve: true })).decided;
  await site.reached(1, ({ path }) => path === "/send");

  const { events } = await over(await crash(first), turn);
  site.open();
  expect(site.requests.map(({ path }) => path)).toEqual(["/send"]);
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
});

it("a handler killed after its approval is not run again", async () => {
  const { home, submit, over } = kinds();
  const plugin = {
    name: "Sender",
    hubId: "sender",
    active: true,
    description: "Sends.",
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
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "sender", state: "pinned" });
  const turn = await submit(first, "send it", [{ call: "sender", with: {} }]);
  const { approval_id } = await until(first.client, turn, "approval_requested");
  await until(first.client, turn, "turn_waiting");
  (await first.client.call("approval.decide", { id: approval_id, approve: true })).decided;
  await until(first.client, turn, "tool_progress", ({ note }) => note === "sending true");

  const { events } = await over(await crash(first), turn);
  expect(eventsOf(events, "approval_requested")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
});

it("a package of tools killed in a call says that the outcome is unknown, and is there for the next turn", async () => {
  const { home, submit, over, say } = kinds();
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
  const first = await home.start();
  await expect
    .poll(
      () =>
        first.client.call("skill.set", { ns: place.namespace, id: "kit", state: "pinned" }).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  const turn = await submit(first, "wait there", [{ call: "kit_wait", with: {} }]);
  await until(first.client, turn, "tool_started");

  const second = await crash(first);
  const { events } = await over(second, turn);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ output: { code: "outcome_unknown" } }]);
  const third = await crash(second);
  expect((await say(third, "add it", [{ call: "kit_add", with: {} }])).text).toBe("done: added");
});

it("a flow killed in the middle of a loop continues there, and requests nothing twice that had answered", async () => {
  const { home, site, submit, over } = kinds();
  const body = visit(`${site.url}/item/\${item}`);
  const steps = [
    { type: "loop", config: { over: ["a", "b", "c", "d"], steps: [body] } },
    visit(`${site.url}/end`),
  ];
  await home.write(".knack-workspace/flows/round.json", flowOf("rounds", steps));
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "rounds", state: "pinned" });
  site.close(({ path }) => path === "/item/c");
  const turn = await submit(first, "go round", [{ call: "rounds", with: {} }]);
  await site.reached(1, ({ path }) => path === "/item/c");
  await first.kill();
  site.open();

  const second = await home.start();
  const { events } = await over(second, turn);
  const [{ status, output } = { status: "none", output: {} }] = eventsOf(events, "tool_finished");
  // A GET may be asked again; those that had answered may not.
  expect({ status, output }).toMatchObject({ status: "ok", output: { success: true } });
  const paths = site.requests.map(({ path }) => path);
  expect(paths).toEqual(["/item/a", "/item/b", "/item/c", "/item/c", "/item/d", "/end"]);
});

it("a flow killed while it sent something does not send it again, and says that the outcome is unknown", async () => {
  const { home, site, submit, over } = kinds();
  const send = visit(`${site.url}/send/\${item}`, "POST");
  const steps = [{ type: "loop", config: { over: ["a", "b"], steps: [send] } }];
  await home.write(".knack-workspace/flows/send.json", flowOf("sending", steps));
  const first = await home.start();
  await first.client.call("skill.set", { ns: place.namespace, id: "sending", state: "pinned" });
  site.close(({ path }) => path === "/send/b");
  const turn = await submit(first, "send both", [{ call: "sending", with: {} }]);
  await confirm(first, turn);
  await site.reached(1, ({ path }) => path === "/send/b");
  await first.kill();
  site.open();

  const { events } = await over(await home.start(), turn);
  expect(eventsOf(events, "tool_finished")).toMatchObject([
    { status: "error", output: { code: "outcome_unknown" } },
  ]);
  expect(site.requests.map(({ path }) => path)).toEqual(["/send/a", "/send/b"]);
});

it("a question of a tool server can still be answered after a crash, is not asked twice, and is answered once", async () => {
  const { home, submit, over } = kinds();
  const servers = { asker: { command: process.execPath, args: [testServer] } };
  await home.write("config/mcp.json", JSON.stringify({ mcpServers: servers }));
  const first = await home.start();
  await first.client.call("server.control", { name: "asker", action: "start" });
  await first.client.call("skill.set", { ns: place.namespace, id: "mcp_asker", state: "pinned" });
  const turn = await submit(first, "ask me", [{ call: "asker__ask", with: { times: 1 } }]);
  await confirm(first, turn);
  const asked = await until(first.client, turn, "question_asked");
  await until(first.client, turn, "turn_waiting", ({ seq }) => seq > asked.seq);

  const second = await crash(first);
  (await second.client.call("turn.answer", { id: turn, question_id: asked.question_id, text: "Ada" }))
    .answered;
  const { text, events } = await over(second, turn);
  // The server of the bot that was killed is gone: another one asks the same, and gets what the person said.
  expect(text).toBe('done: accept {"answer":"Ada"}');
  expect(eventsOf(events, "question_asked")).toHaveLength(1);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "ok" }]);
});
