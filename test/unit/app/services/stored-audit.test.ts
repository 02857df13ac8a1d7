import { describe, expect, it } from "vitest";
import { type AuditLine, StoredAudit } from "../../../../src/app/services/stored-audit.ts";
import type { KeyValue } from "../../../../src/core/ports/storage.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { forgetTurn } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const quiet = () => {};
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const at = (time: string) => Date.parse(time);

function line(time: string, more: Partial<AuditLine> = {}): AuditLine {
  const done = { action: "skill_enabled", by: "U1", by_name: "Ada", detail: "enabled memory" };
  return { at: at(time), ...done, namespace: "slack:T:C", subject: "memory", ...more };
}

/** Keys with the number of lines under them. */
async function stored(store: KeyValue): Promise<[string, number][]> {
  const keys = await Array.fromAsync(store.keys("audit:"));
  return Promise.all(keys.map(async (key) => [key, ((await store.get(key)) as unknown[]).length]));
}

describe("the stored audit", () => {
  it("the stored audit loses no line of many at once, keeps their order, and begins a new key when one is full", async () => {
    const store = createMemoryKeyValue();
    const audit = new StoredAudit(store, logger);
    const subjects = Array.from({ length: 600 }, (_, index) => `skill-${index}`);
    for (const subject of subjects) audit.add(line("2026-11-22T10:00:00Z", { subject }));
    const read = await Array.fromAsync(audit.lines());
    expect(read.map(({ subject }) => subject)).toEqual(subjects);
    expect(await stored(store)).toEqual([
      ["audit:2026-11-22", 250],
      ["audit:2026-11-22:0002", 250],
      ["audit:2026-11-22:0003", 100],
    ]);
  });

  it("the stored audit continues under the last key of the day after a restart", async () => {
    const store = createMemoryKeyValue();
    const first = new StoredAudit(store, logger);
    for (let index = 0; index < 260; index += 1) first.add(line("2026-11-22T10:00:00Z"));
    await first.settled();
    const second = new StoredAudit(store, logger);
    second.add(line("2026-11-22T11:00:00Z"));
    second.add(line("2026-11-23T00:00:00Z"));
    await second.settled();
    expect(await stored(store)).toEqual([
      ["audit:2026-11-22", 250],
      ["audit:2026-11-22:0002", 11],
      ["audit:2026-11-23", 1],
    ]);
  });

  it("the stored audit keeps lines that the store refuses and stores them with the next one", async () => {
    const inner = createMemoryKeyValue();
    let broken = true;
    const store: KeyValue = {
      ...inner,
      update: (key, change) => (broken ? Promise.reject(new Error("disk full")) : inner.update(key, change)),
    };
    const audit = new StoredAudit(store, logger);
    audit.add(line("2026-11-22T10:00:00Z", { subject: "first" }));
    await audit.settled();
    broken = false;
    audit.add(line("2026-11-22T10:00:01Z", { subject: "second" }));
    const read = await Array.fromAsync(audit.lines());
    expect(read.map(({ subject }) => subject)).toEqual(["first", "second"]);
  });

  it("the stored audit cuts a text that would make a value large", async () => {
    const audit = new StoredAudit(createMemoryKeyValue(), logger);
    audit.add(line("2026-11-22T10:00:00Z", { detail: "x".repeat(5_000) }));
    expect((await Array.fromAsync(audit.lines()))[0]?.detail).toHaveLength(1_000);
  });

  it.each([
    ["2026-11-21T23:59:59Z", 251, 1],
    ["2026-11-22T00:00:00Z", 252, 0],
    ["2026-11-20T12:00:00Z", 0, 252],
  ])("the stored audit deletes the days that ended before %s, and no others", async (time, removed, left) => {
    const store = createMemoryKeyValue();
    const audit = new StoredAudit(store, logger);
    for (let index = 0; index < 251; index += 1) audit.add(line("2026-11-20T10:00:00Z"));
    audit.add(line("2026-11-21T23:59:59Z"));
    expect(await audit.removeBefore(at(time), { dryRun: true })).toBe(removed);
    expect(await Array.fromAsync(audit.lines())).toHaveLength(252);
    expect(await audit.removeBefore(at(time))).toBe(removed);
    expect(await Array.fromAsync(audit.lines())).toHaveLength(left);
  });

  it("the stored audit rewrites only the lines that change", async () => {
    const store = createMemoryKeyValue();
    const audit = new StoredAudit(store, logger);
    audit.add(line("2026-11-20T10:00:00Z"));
    audit.add(line("2026-11-21T10:00:00Z", { by: "U2", by_name: "Ben" }));
    const change = (each: AuditLine) => (each.by === "U2" ? { ...each, by: "person-1" } : each);
    expect(await audit.rewrite(change, { dryRun: true })).toBe(1);
    expect((await Array.fromAsync(audit.lines())).map(({ by }) => by)).toEqual(["U1", "U2"]);
    expect(await audit.rewrite(change)).toBe(1);
    expect((await Array.fromAsync(audit.lines())).map(({ by }) => by)).toEqual(["U1", "person-1"]);
    expect(await audit.rewrite(change)).toBe(0);
  });
});

describe("what people change", () => {
  it("a person's change is stored without secrets and with the person it concerns, before the app has stopped [record-2]", async () => {
    const secret = "xoxb-1234567890";
    const { app, ask, store, stop } = createTestApp(scriptedModel(["An answer."]), {
      skills: [testSkill("memory", [{ name: "memory" }])],
      secrets: [secret],
    });
    const { turnId } = await ask("hello", { by: ben });
    await app.run("skill.set", {
      input: { ns: home.namespace, id: "memory", state: "pinned" },
      asker: { by: { ...ada, name: secret }, namespace: home.namespace },
    });
    await forgetTurn(app, turnId, ada);
    await stop(0);
    const [key = ""] = await Array.fromAsync(store.keys("audit:"));
    const what = { namespace: home.namespace, at: expect.any(Number) };
    expect(await store.get(key)).toEqual([
      {
        ...{ ...what, action: "skill_enabled", by: "ada", by_name: "[secret]" },
        ...{ subject: "memory", detail: "enabled memory" },
      },
      {
        ...{ ...what, action: "turn_deleted", by: "ada", by_name: "Ada", subject: turnId },
        ...{ detail: "deleted a question of Ben and its answer", about: "ben", about_name: "Ben" },
      },
    ]);
  });
});
