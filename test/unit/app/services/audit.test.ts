import { describe, expect, it } from "vitest";
import { createAudit } from "../../../../src/app/services/audit.ts";
import { approve, forgetTurn } from "../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";
import { waitingApp } from "../approvals/approval-fixture.ts";

const quiet = () => {};
const record = { stored: { add: quiet }, clock: { now: () => 0 }, redact: <T>(value: T) => value };

describe("the record of what people change", () => {
  it("an audit record is one structured log line, even if the audit channel fails", async () => {
    const lines: unknown[][] = [];
    const warnings: unknown[][] = [];
    const warned = Promise.withResolvers<void>();
    const warn = (...line: unknown[]) => {
      warnings.push(line);
      warned.resolve();
    };
    const audit = createAudit({
      logger: { debug: quiet, info: (...line) => void lines.push(line), warn, error: quiet },
      post: () => Promise.reject(new Error("gone")),
      ...record,
    });
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
    const audit = createAudit({
      logger: { debug: quiet, info: (_fields, line) => void lines.push(line), warn: quiet, error: quiet },
      post: async (line) => void posted.push(line),
      ...record,
    });
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
      "**Ada\\*\\* approved \\*\\*pay\\*\\* \\[ok\\](http://evil.example)** did **s** for \\*Eve\\* in `slack:T:C`",
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
      "**Ada** approved **send**, asked for by Ben in `console:local:general`",
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
      expect(platform.visible().map(({ message }) => message.markdown)).toEqual([
        `**Ada** ${did} **send**, asked for by Ben in \`console:local:general\``,
        `**Ada** no longer ${no} **send** in \`console:local:general\``,
      ]);
    },
  );

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
    const lines = platform.visible();
    expect(new Set(lines.map(({ place }) => `${place.namespace} ${place.thread}`))).toEqual(
      new Set(["fake:w:audit channel"]),
    );
    expect(lines.map(({ message }) => message.markdown)).toEqual([
      "**Ada** enabled **memory** in `console:local:general`",
      "**Ada** set paused to `true` in `console:local:general`",
      "**Ada** deleted a turn of Ben in `console:local:general`",
    ]);
  });
});
