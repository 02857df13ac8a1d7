import { describe, expect, it } from "vitest";
import { readStanding } from "../../../../src/core/decisions/standing-decisions.ts";
import type { TurnEventOf } from "../../../../src/core/log/turn-event.ts";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import type { Tool } from "../../../../src/core/skill/tool.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import type { Verdict } from "../../../../src/core/values/verdict.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";
import { mia } from "./approval-fixture.ts";

const cleo: Author = { id: "cleo", name: "Cleo", trust: "member" };
const direct = "slack:T1:dm-ben";

/** A server's skill with one tool, as `src/mcp` makes it. */
function serverSkill(ran: unknown[], more: { definition?: string; destructive?: true } = {}): Skill {
  const { definition = "d1", destructive } = more;
  const server: Tool["server"] = {
    ...{ server: "mail", tool: "send", definition, own: true },
    ...{ hints: { destructive }, configured: {} },
  };
  const run = (input: unknown) => {
    ran.push(input);
    return "sent";
  };
  return testSkill("mcp_mail", [{ name: "mail__send", effect: "side_effect", server, run }], {
    kind: "mcp",
    active: true,
    origin: { source: "mcp", precedence: 2, path: "mcp.json" },
  });
}

/** A channel whose model calls the tool with what it was asked to, as JSON. */
function channel(more: Parameters<typeof serverSkill>[1] = {}) {
  const ran: unknown[] = [];
  const source = testSource([serverSkill(ran, more)]);
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "user" ? [{ call: "mail__send", with: JSON.parse(last.text) }] : "Done.";
  });
  const test = createTestApp(model, { sources: [source] });
  let threads = 0;
  /** Says it in a thread of its own, and answers what is asked; undefined when nothing is. */
  const say = async (input: object, by: Author, namespace = home.namespace) => {
    threads += 1;
    const turnId = await test.say(JSON.stringify(input), { by, namespace, thread: `t${threads}` });
    for await (const event of follow(test.app, turnId)) {
      if (event.type === "approval_requested") return event;
    }
    return undefined;
  };
  const decide = async (
    asked: TurnEventOf<"approval_requested"> | undefined,
    how: Verdict | boolean,
    by: Author,
  ) => {
    const { approval_id = "", turn_id = "" } = asked ?? {};
    const outcome = await approve(test.app, approval_id, how, by);
    if (outcome.ok) await test.events(turn_id);
    return outcome;
  };
  const results = () => toolResults(model.requests.at(-1)?.messages ?? []);
  return { ...test, ran, source, say, decide, results };
}

describe("a call that may change something outside", () => {
  it("a call that may change something outside is shown to its person with the reason, and runs when they confirm it", async () => {
    const { say, decide, ran } = channel();
    const asked = await say({ to: "ann" }, ben);
    expect(asked).toMatchObject({
      approver: "asker",
      input: { to: "ann" },
      reason: "send may change something at the server mail, and no operator has trusted it.",
    });
    expect(await decide(asked, true, cleo)).toMatchObject({ status: 403 });
    expect(ran).toEqual([]);
    expect(await decide(asked, true, ben)).toMatchObject({ value: { decided: true } });
    expect(ran).toEqual([{ to: "ann" }]);
  });

  it("a call is not confirmed by a person who has become a guest since it was asked [asks-5]", async () => {
    const { say, decide, ran } = channel();
    const asked = await say({ to: "ann" }, ben);
    expect(await decide(asked, true, { ...ben, trust: "guest" })).toMatchObject({ ok: false, status: 403 });
    expect(ran).toEqual([]);
    expect(await decide(asked, true, ben)).toMatchObject({ value: { decided: true } });
  });

  it("a manager may confirm a call for its person", async () => {
    const { say, decide, ran } = channel();
    await decide(await say({ to: "ann" }, ben), true, mia);
    expect(ran).toHaveLength(1);
  });

  it("a call is not asked about when the person ordered exactly that call [asks-4]", async () => {
    const { ask, ran } = channel();
    await ask('/skill run mcp_mail {"to":"ann"}', { by: ben });
    expect(ran).toEqual([{ to: "ann" }]);
  });

  it("an operator decides a call in a direct message where a manager would decide [asks-5]", async () => {
    const { say, decide, ran } = channel({ destructive: true });
    const asked = await say({ to: "ann" }, ben, direct);
    expect(asked?.approver).toBe("operator");
    const refused = await decide(asked, true, ben);
    expect(refused).toMatchObject({ ok: false, status: 403 });
    expect(JSON.stringify(refused)).not.toContain("direct message");
    await decide(asked, true, ada);
    expect(ran).toHaveLength(1);
  });
});

describe("always here", () => {
  it('an asker\'s "always" holds only for them, this recipient and this channel', async () => {
    const { say, decide, ran } = channel();
    await decide(await say({ to: "ann", text: "1" }, ben), "always", ben);
    expect(await say({ to: "ann", text: "2" }, ben)).toBeUndefined();
    expect(ran).toHaveLength(2);
    expect(await say({ to: "eve", text: "3" }, ben)).toMatchObject({ input: { to: "eve" } });
    expect(await say({ to: "ann" }, cleo)).toMatchObject({ approver: "asker" });
    expect(await say({ to: "ann" }, ben, direct)).toMatchObject({ approver: "asker" });
    expect(ran).toHaveLength(2);
  });

  it('a manager\'s "always" holds for everyone in the channel', async () => {
    const { say, decide } = channel({ destructive: true });
    await decide(await say({ to: "ann" }, ben), "always", mia);
    expect(await say({ to: "ann" }, cleo)).toBeUndefined();
  });

  it('an "always" ends when the tool changes or asks for somebody higher [always-2]', async () => {
    const { say, decide, source, ran } = channel();
    await decide(await say({ to: "ann" }, ben), "always", ben);
    source.skills = [serverSkill(ran, { definition: "d2" })];
    expect(await say({ to: "ann" }, ben)).toMatchObject({ approver: "asker" });
    source.skills = [serverSkill(ran, { destructive: true })];
    expect(await say({ to: "ann" }, ben)).toMatchObject({ approver: "manager" });
  });

  it('people who may decide list, give and withdraw an "always" by command [always-6]', async () => {
    const { say, ask, events, ran, store } = channel();
    const asked = await say({ to: "ann" }, ben);
    const id = asked?.approval_id ?? "";
    expect((await ask("/agent approvals", { by: ben })).end.text).toContain(
      `\`${id}\` **run “send” of the server “mail” with to "ann"** for Ben`,
    );
    expect((await ask(`/agent approvals always ${id}`, { by: cleo })).end.outcome).toBe("failed");
    expect((await ask(`/agent approvals always ${id}`, { by: ben })).end.text).toBe("Always allowed here.");
    await events(asked?.turn_id ?? "");
    const list = (await ask("/agent approvals", { by: ben })).end.text;
    expect(list).toContain(`- 1: **mail\\_\\_send** with to = "ann", for Ben (allowed by Ben)`);
    expect((await ask("/agent approvals remove 1", { by: cleo })).end.text).toContain("Ben or a manager");
    await ask("/agent approvals remove 1", { by: ben });
    expect(await readStanding(store, home.namespace)).toEqual([]);
    expect(await say({ to: "ann" }, ben)).toBeDefined();
    expect(ran).toHaveLength(1);
  });

  it('an "always" for a call that cannot be bound to anything approves it once only', async () => {
    const { say, decide, ran } = channel();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`to_${at}`, "x".repeat(20)]));
    const asked = await say(many, ben);
    expect(asked?.binds).toBeUndefined();
    await decide(asked, "always", ben);
    expect(ran).toHaveLength(1);
    expect(await say(many, ben)).toBeDefined();
  });
});

describe("never", () => {
  it('a "never" refuses now and from then on, names who said it, and asks nobody', async () => {
    const { say, decide, ran, results, log } = channel();
    const asked = await say({ to: "ann" }, ben);
    expect(await decide(asked, "never", ben)).toMatchObject({ value: { decided: true } });
    const decided = (await log.read(asked?.turn_id ?? "")).find(({ type }) => type === "approval_decided");
    expect(decided).toMatchObject({ approved: false, by: "ben", never: true });
    expect(results()[0]).toMatch(/refused by \\"Ben\\" \(ben\), for good in this channel.*Do not insist/s);
    expect(await say({ to: "ann", text: "please" }, ben)).toBeUndefined();
    expect(results()[0]).toMatch(/refused by \\"Ben\\" \(ben\), for good in this channel/);
    expect(ran).toEqual([]);
  });

  it('an asker\'s "never" holds only for them, this recipient and this channel', async () => {
    const { say, decide } = channel();
    await decide(await say({ to: "ann" }, ben), "never", ben);
    expect(await say({ to: "eve" }, ben)).toBeDefined();
    expect(await say({ to: "ann" }, cleo)).toBeDefined();
    expect(await say({ to: "ann" }, ben, direct)).toBeDefined();
  });

  it('a manager\'s "never" holds for everyone but a manager who orders the very call', async () => {
    const { say, decide, ask, ran } = channel();
    await decide(await say({ to: "ann" }, ben), "never", mia);
    expect(await say({ to: "ann" }, cleo)).toBeUndefined();
    const order = '/skill run mcp_mail {"to":"ann"}';
    expect((await ask(order, { by: cleo })).end.outcome).toBe("failed");
    expect(ran).toEqual([]);
    await ask(order, { by: mia });
    expect(ran).toHaveLength(1);
  });

  it('a "never" ends when the tool changes, and is refused to people who may not decide', async () => {
    const { say, decide, source, ran } = channel();
    const asked = await say({ to: "ann" }, ben);
    expect(await decide(asked, "never", cleo)).toMatchObject({ status: 403 });
    await decide(asked, "never", ben);
    source.skills = [serverSkill(ran, { definition: "d2" })];
    expect(await say({ to: "ann" }, ben)).toMatchObject({ approver: "asker" });
  });

  it('a "never" holds even if an operator trusts the tool later [always-4]', async () => {
    const { say, decide, source, ran } = channel();
    await decide(await say({ to: "ann" }, ben), "never", ben);
    const [skill] = source.skills;
    const [tool] = skill?.tools ?? [];
    if (skill === undefined || tool?.server === undefined) throw new Error("no tool");
    const server = { ...tool.server, configured: { approver: "none" as const } };
    source.skills = [{ ...skill, tools: [{ ...tool, server }] }];
    await say({ to: "ann" }, ben);
    expect(ran).toEqual([]);
    await say({ to: "eve" }, ben);
    expect(ran).toEqual([{ to: "eve" }]);
  });

  it('a "never" is listed with its number and withdrawn by command', async () => {
    const { say, ask } = channel();
    const id = (await say({ to: "ann" }, ben))?.approval_id ?? "";
    expect((await ask(`/agent approvals never ${id}`, { by: cleo })).end.outcome).toBe("failed");
    expect((await ask(`/agent approvals never ${id}`, { by: mia })).end.text).toBe("Never allowed here.");
    const list = (await ask("/agent approvals", { by: ben })).end.text;
    expect(list).toContain(
      `Never allowed here:\n- 1: **mail\\_\\_send** with to = "ann", for everyone (refused by Mia)`,
    );
    expect((await ask("/agent approvals remove 1", { by: ben })).end.text).toContain("Mia or a manager");
    expect((await ask("/agent approvals remove 1", { by: mia })).end.text).toContain("asks again here");
    expect(await say({ to: "ann" }, ben)).toBeDefined();
  });

  it('a "never" for a call that cannot be bound to anything is a plain refusal', async () => {
    const { say, decide, store } = channel();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`to_${at}`, "x".repeat(20)]));
    await decide(await say(many, ben), "never", ben);
    expect(await readStanding(store, home.namespace)).toEqual([]);
    expect(await say(many, ben)).toBeDefined();
  });

  it('a "never" replaces an "always", and the other way round', async () => {
    const { say, decide, ran, store } = channel();
    const [one, other] = [await say({ to: "ann" }, ben), await say({ to: "ann" }, ben)];
    await decide(one, "always", mia);
    await decide(other, "never", mia);
    expect(await readStanding(store, home.namespace)).toMatchObject([{ verdict: "never", by: "mia" }]);
    expect(await say({ to: "ann" }, ben)).toBeUndefined();
    expect(ran).toHaveLength(1);
  });
});

describe("a decision for good", () => {
  it.each([
    ["always", { approved: true, always: true }],
    ["never", { approved: false, never: true }],
  ] as const)(
    "a standing decision (%s) answers another waiting call and is recorded as its decision",
    async (verdict, noted) => {
      const { app, log, say, test, until } = await twoCalls();
      const turnId = await say("go", { by: ben });
      await until(turnId, "turn_waiting");
      await approve(app, `${turnId}:1`, verdict, mia);
      await test.events(turnId);
      const decided = (await log.read(turnId)).filter(({ type }) => type === "approval_decided");
      expect(decided).toHaveLength(2);
      for (const id of [`${turnId}:1`, `${turnId}:2`])
        expect(decided).toContainEqual(expect.objectContaining({ ...noted, approval_id: id, by: "mia" }));
    },
  );
});

/** A bot whose model sends twice to the same person at once. */
async function twoCalls() {
  const call = (text: string) => ({ call: "mail__send", with: { to: "ann", text } });
  const model = scriptedModel([[call("one"), call("two")], "Done."]);
  const test = createTestApp(model, { sources: [testSource([serverSkill([])])] });
  return { ...test, test };
}
