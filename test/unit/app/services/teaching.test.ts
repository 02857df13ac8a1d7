import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { TaughtSkills } from "../../../../src/core/skill/taught-skills.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { readTaughtFlow } from "../../../../src/flows/ad-hoc-flows.ts";
import { reviewSkillFiles } from "../../../../src/packages/review.ts";
import { readTaughtDocument } from "../../../../src/skills/document-skill.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { fakePackages } from "../../../support/fakes/fake-packages.ts";
import { type Line, scriptedModel } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const guide = `---
name: weekly-numbers
description: Reports the numbers of a customer. Use it for the weekly numbers.
---
# Weekly numbers
Look the customer up with \`look\`, then say the number in one line.
`;
const flow = JSON.stringify({
  name: "Weekly numbers",
  description: "Reports the numbers of a customer.",
  steps: [
    { type: "start", config: { variables: [{ name: "customer", value: "ACME" }] } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of flows
    { type: "tool", config: { tool: "look", input: { text: "${customer}" }, resultVariable: "found" } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of flows
    { type: "llmInstruction", config: { instruction: "Sum up: ${found}", directOutput: true } },
  ],
});
const other = "web:other:general";

const look = { call: "look", with: { text: "ACME" } };
const save = (text: string, more: object = {}) => ({
  call: "skill-maker",
  with: { text, request: "weekly numbers of ACME", why: "the weekly numbers", ...more },
});
const learn = { call: "activate_skill", with: { skill_name: "skill-maker" } };

/** A bot that reports a number when asked, and then does what a script says; in a dry run it does as `rehearsed` says. */
function createBot(script: readonly Line[], options: TestAppOptions & { rehearsed?: readonly Line[] } = {}) {
  const { rehearsed = [[look], "42"], ...rest } = options;
  const store = createMemoryKeyValue();
  const readFlow = readTaughtFlow({});
  const taught = new TaughtSkills(store, (id, text, origin) =>
    (text.startsWith("{") ? readFlow : readTaughtDocument)(id, text, origin),
  );
  const ran: unknown[] = [];
  const run = (input: unknown) => {
    ran.push(input);
    return "42";
  };
  const crm = testSkill("crm", [{ name: "look", run }], { active: true });
  const packages = {
    ...fakePackages([]),
    reviewText: async (skill: Parameters<typeof reviewSkillFiles>[0]["skill"], text: string) => {
      const files = [{ path: "SKILL.md", data: Buffer.from(text), executable: false }];
      const { signal } = new AbortController();
      return {
        ok: true as const,
        value: await reviewSkillFiles({ skill, files, shipped: [], isolation: "none", signal }),
      };
    },
  };
  const lines = [[look], "It is 42.", ...script] as Line[];
  let rehearsal: Line[] = [];
  const dry: string[] = [];
  const model = scriptedModel(({ messages, tools }) => {
    if (tools.length === 0) return "What was said before.";
    const first = messages[0]?.text ?? "";
    if (!first.startsWith("[The skill ")) return lines.shift() ?? "Done.";
    if (messages.length === 1) {
      rehearsal = [...rehearsed];
      dry.push(first);
    }
    return rehearsal.shift() ?? "Done.";
  });
  const app = createTestApp(model, {
    store,
    taught,
    packages,
    sources: [...shippedSkills, testSource([crm]), taught],
    limits: { tool_output_tokens: 20_000, transcript_tokens: 200_000 },
    ...rest,
  });
  const skills = async (namespace: string) =>
    (await app.app.run("skill.list", { input: { namespace }, asker: { by: ada, namespace } })) as unknown as {
      ok: true;
      value: { skills: { id: string; eligible: boolean; reasons: string[] }[] };
    };
  const has = async (namespace: string, id: string) =>
    (await skills(namespace)).value.skills.find((skill) => skill.id === id);
  return { ...app, ran, dry, has };
}

/** Shows the work, and then has it made a skill; decides as told. */
async function taught(
  script: readonly Line[],
  how: { approve?: boolean; by?: Author; options?: Parameters<typeof createBot>[1] } = {},
) {
  const bot = createBot(script, how.options);
  await bot.ask("numbers of ACME?", { by: ben });
  const turnId = await bot.say("make this a skill", { by: ben });
  const asked = await bot.until(turnId, "approval_requested");
  await approve(bot.app, asked.approval_id, how.approve ?? true, how.by ?? ada);
  const events = await bot.events(turnId);
  return { bot, asked, events, turnId };
}

type Bot = Awaited<ReturnType<typeof taught>>["bot"];

const manager: Author = { id: "mia", name: "Mia", trust: "manager" };

function run(
  bot: Bot,
  name: "taught.share" | "taught.take" | "taught.history" | "taught.restore" | "taught.discard",
  by: Author,
  more: object = {},
  namespace = home.namespace,
) {
  const input = { id: "weekly-numbers", namespace, ...more };
  return bot.app.run(name, { input: input as never, asker: { by, namespace } });
}

/** The result of the last call of a turn, as the model reads it. */
function resultOf(events: readonly TurnEvent[]): unknown {
  return events.findLast((event) => event.type === "tool_finished")?.output;
}

/** Shows the work, and then has something made a skill that is refused before anybody is asked. */
async function refused(text: string, more: object = {}, options?: Parameters<typeof createBot>[1]) {
  const bot = createBot([[learn], [save(text, more)], "No."], options);
  await bot.ask("numbers of ACME?", { by: ben });
  const { events } = await bot.ask("make this a skill", { by: ben });
  expect(events.some(({ type }) => type === "approval_requested")).toBe(false);
  return (resultOf(events) as { error: string }).error;
}

/** A bot with the skill `weekly-numbers` of the channel, and what it then does. */
async function withSkill(script: readonly Line[] = []) {
  const { bot } = await taught([[learn], [save(guide)], "It is a skill.", ...script]);
  return bot;
}

const better = guide.replace("in one line", "in one line, with the date");

describe("a skill out of a thread", () => {
  it("a skill is shown to a manager with what it did on the recorded results, and kept for the channel alone", async () => {
    const { bot, asked } = await taught([[learn], [save(guide)], "It is a skill."]);
    expect(asked.approver).toBe("manager");
    expect(asked.says?.deed).toBe("make “weekly-numbers” a skill of this channel");
    expect(asked.input).toMatchObject({
      skill_text: guide,
      tried: "“weekly numbers of ACME”: 1 of 1 calls as recorded",
    });
    expect(bot.dry[0]).toContain("Look the customer up with `look`");
    // Once in the turn itself, and not in the dry run.
    expect(bot.ran).toHaveLength(1);
    expect(await bot.has(home.namespace, "weekly-numbers")).toMatchObject({ eligible: true });
    expect(await bot.has(other, "weekly-numbers")).toBeUndefined();
  });

  it("a skill is not kept when it is refused", async () => {
    const { bot, events } = await taught([[learn], [save(guide)], "Not kept."], { approve: false });
    expect(resultOf(events)).toMatchObject({ code: "refused" });
    expect(await bot.has(home.namespace, "weekly-numbers")).toBeUndefined();
  });

  it("a skill is accepted by a manager, once, whoever else presses", async () => {
    const bot = createBot([[learn], [save(guide)], "It is a skill."]);
    await bot.ask("numbers of ACME?", { by: ben });
    const turnId = await bot.say("make this a skill", { by: ben });
    const { approval_id } = await bot.until(turnId, "approval_requested");
    expect(await approve(bot.app, approval_id, true, ben)).toMatchObject({ ok: false, status: 403 });
    const both = await Promise.all([ada, manager].map((by) => approve(bot.app, approval_id, true, by)));
    expect(both.map((each) => each.ok && each.value.decided).sort()).toEqual([false, true]);
    await bot.events(turnId);
    expect(await run(bot, "taught.history", ben)).toMatchObject({ value: { versions: [{ number: 1 }] } });
  });

  it("the question says which calls of a dry run the thread had not made, and which it left out", async () => {
    const rehearsed: Line[] = [[{ call: "look", with: { text: "BETA" } }], "?"];
    const { asked } = await taught([[learn], [save(guide)], "Hm."], { options: { rehearsed } });
    expect(asked.input).toMatchObject({
      tried: "“weekly numbers of ACME”: 0 of 1 calls as recorded; other calls of look",
    });
    const idle = await taught([[learn], [save(guide)], "Hm."], { options: { rehearsed: ["42"] } });
    expect(idle.asked.input).toMatchObject({
      tried: "“weekly numbers of ACME”: 0 of 0 calls as recorded; did not call look",
    });
  });

  it("a skill may come out of a thread of 60 turns, of which the conversation's last part counts", async () => {
    const bot = createBot(
      [...Array.from({ length: 59 }, (_, at) => `Answer ${at}.`), [learn], [save(guide)], "Kept."],
      {
        limits: { tool_output_tokens: 20_000, transcript_tokens: 8_000 },
      },
    );
    await bot.ask("numbers of ACME?", { by: ben });
    for (let at = 0; at < 59; at += 1) await bot.ask(`${at}: ${"and what of it? ".repeat(50)}`, { by: ben });
    const turnId = await bot.say("make this a skill", { by: ben });
    const asked = await bot.until(turnId, "approval_requested");
    // The call was made long before: its result is no longer part of the conversation.
    expect(asked.input).toMatchObject({
      tried: expect.stringContaining("0 of 1 calls as recorded; other calls of look"),
    });
    await approve(bot.app, asked.approval_id, true, ada);
    await bot.events(turnId);
    expect(await bot.has(home.namespace, "weekly-numbers")).toMatchObject({ eligible: true });
  });

  it("a skill may be a flow, whose calls are compared with those of the thread", async () => {
    const { bot, asked } = await taught([[learn], [save(flow)], "It is a flow."]);
    expect(asked.approver).toBe("manager");
    expect(asked.input).toMatchObject({ tried: "“weekly numbers of ACME”: 1 of 1 calls as recorded" });
    expect(bot.dry).toEqual([]);
    expect(await bot.has(home.namespace, "weekly-numbers")).toMatchObject({ kind: "flow", eligible: true });
  });

  it("a skill is an operator's to accept if it is more than words and tools that ask for themselves [package-8]", async () => {
    const call = { type: "apiCall", config: { url: "https://crm.example/send", method: "POST" } };
    const wide = JSON.stringify({ ...JSON.parse(flow), steps: [...JSON.parse(flow).steps, call] });
    const { asked } = await taught([[learn], [save(wide)], "It is a flow."]);
    expect(asked.approver).toBe("operator");
    expect(asked.reason).toContain("crm.example");
    const keyed = guide.replace(
      "---\n#",
      'metadata:\n  openclaw: {"requires": {"env": ["CRM_KEY"]}}\n---\n#',
    );
    const { asked: forKey } = await taught([[learn], [save(keyed)], "It is a skill."]);
    expect([forKey.approver, forKey.reason]).toEqual(["operator", expect.stringContaining("CRM_KEY")]);
  });

  it("a manager may edit the text, but not to what only an operator accepts; an operator may", async () => {
    const keyed = (...names: string[]) =>
      guide.replace(
        "---\n#",
        `metadata:\n  openclaw: {"requires": {"env": ${JSON.stringify(names)}}}\n---\n#`,
      );
    const edited = async (first: string, text: string, by: Author) => {
      const bot = createBot([[learn], [save(first)], "Done."]);
      await bot.ask("numbers of ACME?", { by: ben });
      const turnId = await bot.say("make this a skill", { by: ben });
      const { approval_id: id } = await bot.until(turnId, "approval_requested");
      await bot.app.run("approval.decide", {
        input: { id, approve: true, text },
        asker: { by, namespace: home.namespace },
      });
      const events = await bot.events(turnId);
      const end = events.findLast((event) => event.type === "tool_finished");
      return JSON.stringify(end?.output);
    };
    expect(await edited(guide, guide.replace("one line", "two lines"), manager)).toContain("is a skill of");
    expect(await edited(guide, keyed("CRM_KEY"), manager)).toContain("only an operator may accept");
    expect(await edited(keyed("CRM_KEY"), keyed("CRM_KEY", "CRM_URL"), ada)).toContain("is a skill of");
  });

  it.each([
    ["a secret", guide.replace("one line", "one line with the key hunter2hunter2"), {}, /contains a secret/],
    [
      "the name of a skill that ships",
      guide.replace("weekly-numbers", "translate"),
      {},
      /name translate is taken/,
    ],
    ["no name", guide.replace("weekly-numbers", "42"), {}, /needs a name/],
    ["no description", guide.replace(/description:.*/, ""), {}, /no description/],
    ["a flow that is none", '{"name": "x", "steps": [{"type": "magic"}]}', {}, /magic block/],
    ["a change of nothing", guide, { changes: "translate" }, /No skill translate was made in this channel/],
    ["far too much", guide + "x".repeat(60_000), {}, /./],
  ])("a text is refused with the reason: %s", async (_what, text, more, reason) => {
    expect(await refused(text, more, { secrets: ["hunter2hunter2"] })).toMatch(reason);
  });
});

describe("a skill that was made in the chat", () => {
  it("a skill changes by a new version with its difference, and goes back", async () => {
    const bot = await withSkill([
      [save(better, { changes: "weekly-numbers", why: "the date was missing" })],
      "Changed.",
    ]);
    const turnId = await bot.say("it lacks the date", { by: ben });
    const asked = await bot.until(turnId, "approval_requested");
    expect(asked.says?.deed).toBe("change the skill “weekly-numbers” of this channel");
    expect((asked.input as { skill_text: string }).skill_text).toMatch(
      /^-.*in one line\.\n\+.*with the date\.$/m,
    );
    await approve(bot.app, asked.approval_id, true, manager);
    await bot.events(turnId);
    const history = await run(bot, "taught.history", ben);
    expect(history).toMatchObject({
      value: {
        current: 2,
        versions: [{ number: 1 }, { number: 2, why: "the date was missing", accepted: { by: "mia" } }],
      },
    });
    expect(await run(bot, "taught.restore", ben, { version: 1 })).toMatchObject({ ok: false, status: 403 });
    expect(await run(bot, "taught.restore", manager, { version: 7 })).toMatchObject({
      ok: false,
      status: 404,
    });
    expect(await run(bot, "taught.restore", manager, { version: 1 })).toMatchObject({
      value: { version: 1 },
    });
    expect(await bot.has(home.namespace, "weekly-numbers")).toMatchObject({ eligible: true });
  });

  it("a skill of many lines that all change is shown whole, and delays nobody", async () => {
    const long = (line: string) => guide + `${line}\n`.repeat(9_000);
    const bot = await withSkill([
      [save(long("one"), { changes: "weekly-numbers" })],
      "Changed.",
      [save(long("two"), { changes: "weekly-numbers" })],
      "Changed.",
    ]);
    for (let change = 0; change < 2; change += 1) {
      const turnId = await bot.say("more lines", { by: ben });
      const { approval_id, input } = await bot.until(turnId, "approval_requested");
      expect((input as { skill_text: string }).skill_text.length).toBeGreaterThan(36_000);
      await approve(bot.app, approval_id, true, manager);
      await bot.events(turnId);
    }
  });

  it("a skill is tried again on the turns that showed it and those that people did not like, before a change is accepted", async () => {
    const bot = await withSkill([
      [{ call: "activate_skill", with: { skill_name: "weekly-numbers" } }, look],
      "42",
      [learn],
      [save(better, { changes: "weekly-numbers" })],
      "Changed.",
    ]);
    const bad = await bot.ask("numbers of ACME again", { by: ben, thread: "later" });
    await bot.store.set(`feedback:${bad.turnId}`, { ben: "bad" });
    const turnId = await bot.say("make it better", { by: ben, thread: "repair" });
    const { input } = await bot.until(turnId, "approval_requested");
    expect((input as { tried: string }).tried.split("\n").slice(1)).toEqual([
      "“weekly numbers of ACME”: 1 of 1 calls as recorded",
      "“numbers of ACME again”: 1 of 1 calls as recorded",
    ]);
    await bot.stop(0);
  });

  it("a skill is taken by other channels as it is, and not as it becomes", async () => {
    const bot = await withSkill([[save(better, { changes: "weekly-numbers" })], "Changed."]);
    expect(await run(bot, "taught.take", manager, {}, other)).toMatchObject({ ok: false, status: 404 });
    expect(await run(bot, "taught.share", ben, { with: "others" })).toMatchObject({ ok: false, status: 403 });
    expect(await run(bot, "taught.share", manager, { with: "others" })).toMatchObject({ ok: true });
    expect(await bot.has(other, "weekly-numbers")).toMatchObject({
      eligible: false,
      reasons: [expect.stringContaining("/skill take weekly-numbers")],
    });
    expect(await run(bot, "taught.take", ben, {}, other)).toMatchObject({ ok: false, status: 403 });
    expect(await run(bot, "taught.take", manager, {}, other)).toMatchObject({ ok: true });
    expect(await bot.has(other, "weekly-numbers")).toMatchObject({ eligible: true });
    const turnId = await bot.say("better", { by: ben });
    await approve(bot.app, (await bot.until(turnId, "approval_requested")).approval_id, true, manager);
    await bot.events(turnId);
    expect(await bot.has(home.namespace, "weekly-numbers")).toMatchObject({ eligible: true });
    expect(await bot.has(other, "weekly-numbers")).toMatchObject({
      eligible: false,
      reasons: [expect.stringContaining("has changed it since it was taken here")],
    });
  });

  it("a skill is everybody's only by an operator, who then decides about its changes", async () => {
    const bot = await withSkill([[save(better, { changes: "weekly-numbers" })], "Changed."]);
    expect(await run(bot, "taught.share", manager, { with: "everyone" })).toMatchObject({ status: 403 });
    expect(await run(bot, "taught.share", ada, { with: "everyone" })).toMatchObject({ ok: true });
    expect(await bot.has("web:third:general", "weekly-numbers")).toMatchObject({ eligible: true });
    const turnId = await bot.say("better", { by: ben });
    const asked = await bot.until(turnId, "approval_requested");
    expect(asked.approver).toBe("operator");
    expect(await run(bot, "taught.discard", manager)).toMatchObject({ ok: false, status: 403 });
    await approve(bot.app, asked.approval_id, true, ada);
    await bot.events(turnId);
    const history = await run(bot, "taught.history", ben, {}, "web:third:general");
    expect(history).toMatchObject({ value: { current: 2, versions: [{ text: better }] } });
    expect(await bot.has("web:third:general", "weekly-numbers")).toMatchObject({ eligible: true });
  });

  it("a skill is not changed by its managers if all channels got it while they decided", async () => {
    const bot = await withSkill([[save(better, { changes: "weekly-numbers" })], "Hm."]);
    const turnId = await bot.say("better", { by: ben });
    const { approval_id } = await bot.until(turnId, "approval_requested");
    await run(bot, "taught.share", ada, { with: "everyone" });
    await approve(bot.app, approval_id, true, manager);
    expect(resultOf(await bot.events(turnId))).toMatchObject({ code: "not_kept" });
    expect(await run(bot, "taught.history", ben)).toMatchObject({ value: { current: 1 } });
  });

  it("a skill is run by anybody of its channel, by command too", async () => {
    const bot = await withSkill([[look], "42 again."]);
    const { end } = await bot.ask("/skill run weekly-numbers for ACME", { by: ben, thread: "later" });
    expect(end.text).toBe("42 again.");
    const elsewhere = await bot.ask("/skill run weekly-numbers for ACME", { by: ben, namespace: other });
    expect(elsewhere.end.text).toContain("There is no skill called weekly-numbers");
  });

  it("a skill is gone when it is discarded", async () => {
    const bot = await withSkill();
    expect(await run(bot, "taught.discard", manager)).toMatchObject({ ok: true });
    expect(await bot.has(home.namespace, "weekly-numbers")).toBeUndefined();
    expect(await run(bot, "taught.history", ada)).toMatchObject({ ok: false, status: 404 });
  });
});
