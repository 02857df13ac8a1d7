import { describe, expect, it } from "vitest";
import { Audit } from "../../../../src/app/services/audit.ts";
import { watchForAudit } from "../../../../src/app/services/turn-audit.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { Log } from "../../../../src/core/ports/storage.ts";
import { createRedactor } from "../../../../src/core/values/redact.ts";
import { approve, forgetTurn } from "../../../support/bot/ask-app.ts";
import { eventually } from "../../../support/eventually.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";
import { sender, waitingApp } from "../approvals/approval-fixture.ts";
import { manualClock, presentedApp, stagedModel } from "../chat/present/presented-app.ts";

const quiet = () => {};
const record = { stored: { add: quiet }, clock: createFakeClock(), redact: createRedactor([]) };

describe("the record of what people change", () => {
  it("an audit record is one structured log line, even if the audit channel fails", async () => {
    const lines: unknown[][] = [];
    const warnings: unknown[][] = [];
    const warned = Promise.withResolvers<void>();
    const warn = (...line: unknown[]) => {
      warnings.push(line);
      warned.resolve();
    };
    const logger: Log = { debug: quiet, info: (...line) => void lines.push(line), warn, error: quiet };
    const audit = new Audit({ ...record, logger, post: () => Promise.reject(new Error("gone")) });
    audit.record({
      action: "skill_enabled",
      by: ada,
      namespace: "slack:T:C",
      subject: "memory",
      detail: "enabled **memory**",
    });
    await warned.promise;
    const fields = { audit: true, action: "skill_enabled", by: "ada", by_name: "Ada" };
    expect(lines).toEqual([[{ ...fields, namespace: "slack:T:C", subject: "memory" }, "Ada enabled memory"]]);
    expect(warnings).toHaveLength(1);
  });

  it("an audit record has names as people wrote them, which neither close nor begin anything in the line", async () => {
    const lines: unknown[] = [];
    const posted: string[] = [];
    const info = (_fields: object, line: string) => void lines.push(line);
    const logger: Log = { debug: quiet, info, warn: quiet, error: quiet };
    const audit = new Audit({ ...record, logger, post: async ({ text }) => void posted.push(text) });
    const by = { ...ben, name: "Ada** approved **pay** [ok](http://evil.example)" };
    audit.record({
      action: "x",
      by,
      namespace: "slack:T:C",
      subject: "s",
      detail: "did **s** for \\*Eve\\*",
    });
    expect(lines).toEqual([`${by.name} did s for *Eve*`]);
    expect(posted).toEqual([
      "**Ada\\*\\* approved \\*\\*pay\\*\\* \\[ok\\](http://evil.example)** did **s** for \\*Eve\\*",
    ]);
  });

  it("an audit record of a decision names its asker and nothing after that", async () => {
    const platform = createFakePlatform();
    const { app, chat, say, until, events } = waitingApp({ chat: { audit_channel: "fake:w:audit" } });
    chat.connect(platform);
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    await approve(app, approval_id, true, ada);
    await events(turnId);
    expect(platform.visible().map(({ message }) => message.markdown)).toEqual([
      "**Ada** approved **run “send” of the skill “mail”**, asked for by Ben in `console:local:general`",
    ]);
  });

  it.each([
    ["always", "approved, here and always,", "always allows"],
    ["never", "refused, here and for good,", "refuses"],
  ] as const)(
    "an audit record says that a decision is standing (%s), and when it is withdrawn",
    async (verdict, did, no) => {
      const platform = createFakePlatform();
      const { app, chat, say, ask, until, events } = waitingApp({ chat: { audit_channel: "fake:w:audit" } });
      chat.connect(platform);
      const turnId = await say("go", { by: ben });
      const { approval_id } = await until(turnId, "approval_requested");
      await approve(app, approval_id, verdict, ada);
      await events(turnId);
      await ask("/agent approvals remove 1", { by: ada });
      await eventually(() => expect(platform.visible()).toHaveLength(2));
      expect(platform.visible().map(({ message }) => message.markdown)).toEqual([
        `**Ada** ${did} **run “send” of the skill “mail”**, asked for by Ben in \`console:local:general\``,
        `**Ada** no longer ${no} **send** in \`console:local:general\``,
      ]);
    },
  );

  it("the audit channel is told of an approval that nobody decided, with its place and a link to the thread", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ directs: true, now: clock.now });
    Object.assign(platform.actions ?? {}, {
      link: async (_: string, id: string) => `https://chat.example/${id}`,
    });
    const { skill } = sender();
    const bot = presentedApp(stagedModel([{ call: "send" }], ["Not done."]), {
      ...{ clock, platform, skills: [skill], chat: { audit_channel: "fake:team:audit" } },
    });
    const turnId = await bot.ask("send it", { author: ben, said: "m-asked" });
    await bot.reach(turnId, "turn_waiting");
    clock.advance(61_000);
    await bot.reach(turnId, "turn_finished");
    const told = () => platform.visible().filter(({ place }) => place.namespace === "fake:team:audit");
    await eventually(() => expect(told()).toHaveLength(1));
    expect(told()[0]?.message.markdown).toBe(
      "**Ben** got no decision in time: **run “send” of the skill “mail”** was not run, in **#general** ([thread](https://chat.example/m-asked))",
    );
  });

  it.each([
    ["in its words", [], "send “tulip” to Ben"],
    ["by its tool alone, if the turn is private", [{ type: "answer_private", because: "read" }], "send"],
  ] as const)(
    "the audit names an approval that nobody decided %s [private-6]",
    async (_how, before, named) => {
      const subjects: string[] = [];
      const audit = {
        record: ({ subject }: { subject: string }) => void subjects.push(subject),
        tell: quiet,
      };
      const inbound = { ...home, key: "k", kind: "message", author: ben, text: "send it" } as const;
      const claimed = { turn_id: "t", lease: "l", inbound, events: [], ordinal: 1, last_seq: 0, crashes: 0 };
      const asked = { approval_id: "t:1", call_id: "c1", tool: "send", skill_id: "mail", input: {} };
      const says = { deed: "send “tulip” to Ben" };
      const events: TurnEventBody[] = [
        ...before,
        { type: "approval_requested", ...asked, says, approver: "asker", expires_at: 0 },
        { type: "approval_decided", approval_id: "t:1", approved: false, by: "" },
      ];
      const watch = watchForAudit(audit, claimed);
      for (const event of events) await watch.after?.({ ...event, turn_id: "t", seq: 0, at: 0 });
      expect(subjects).toEqual([named]);
    },
  );

  it("the audit channel is told of an effect outside the thread that ran unasked, and why it could", async () => {
    const platform = createFakePlatform();
    const tool = {
      ...{ name: "close_deal", effect: "side_effect" as const, parameters: {} },
      server: {
        ...{ server: "CRM", tool: "close_deal", definition: "d", own: true, hints: {} },
        ...{
          configured: { approver: "none" as const },
          credentials: "per_user" as const,
          host: "crm.example",
        },
      },
    };
    const model = stagedModel([{ call: "close_deal", with: { id: 7 } }], ["Closed."]);
    const skills = [testSkill("crm", [tool], { active: true })];
    const bot = presentedApp(model, { platform, skills, chat: { audit_channel: "fake:team:audit" } });
    await bot.reach(await bot.ask("close it", { author: ben }), "turn_finished");
    const told = () => platform.visible().filter(({ place }) => place.namespace === "fake:team:audit");
    await eventually(() => expect(told()).toHaveLength(1));
    expect(told()[0]?.message.markdown).toBe(
      "**Ben**: **run “close deal” of the server “CRM” with id 7**, the server's tool is trusted, account CRM: Ben, in **#general**",
    );
  });

  it("the audit channel shows what was done at top level, but not what was refused", async () => {
    const platform = createFakePlatform();
    const { app, chat, ask } = createTestApp(scriptedModel(["An answer."]), {
      skills: [testSkill("memory", [{ name: "memory" }])],
      chat: { audit_channel: "fake:w:audit" },
    });
    chat.connect(platform);
    const { turnId } = await ask("hello", { by: ben });
    await app.run("skill.set", {
      input: { ns: home.namespace, id: "memory", state: "pinned" },
      asker: { by: ben, namespace: home.namespace },
    });
    await app.run("skill.set", {
      input: { ns: home.namespace, id: "memory", state: "pinned" },
      asker: { by: ada, namespace: home.namespace },
    });
    await ask("/agent pause");
    await forgetTurn(app, turnId, ada);
    await eventually(() => expect(platform.visible()).toHaveLength(3));
    const lines = platform.visible();
    expect(new Set(lines.map(({ place }) => `${place.namespace} ${place.thread}`))).toEqual(
      new Set(["fake:w:audit channel"]),
    );
    expect(lines.map(({ message }) => message.markdown)).toEqual([
      "**Ada** enabled **memory** in `console:local:general`",
      "**Ada** set paused to `true` in `console:local:general`",
      "**Ada** deleted a question of Ben and its answer in `console:local:general`",
    ]);
  });
});
