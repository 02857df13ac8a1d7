import { describe, expect, it } from "vitest";
import { type Author, deletedPerson } from "../../../../src/core/values/inbound.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { changeSettings, forgetPerson, forgetTurn } from "../../../support/bot/ask-app.ts";
import { channel } from "../../../support/bot/called-bot.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

const zora: Author = { id: "UZORA77", name: "Zora Quill", trust: "member" };
const asker = { by: ada, namespace: "console:local:dm" };

describe("what is stored of a person beside their turns", () => {
  it("forgetting a person leaves who did what in the audit, without their name and without texts", async () => {
    const { app, ask } = createTestApp(scriptedModel(["An answer."]), {});
    const { turnId } = await ask("hello", { by: zora });
    await changeSettings(app, "console:local:general", { paused: true }, { ...zora, trust: "manager" });
    await forgetTurn(app, turnId, ada);
    const first = await forgetPerson(app, zora.id, asker);
    if (!first.ok) throw new Error(first.message);
    expect(first.value.blanked).toBe(3);
    expect(await app.turn(turnId)).toMatchObject({ author: deletedPerson });
    const exported = await app.exportData();
    if (!exported.ok) throw new Error(exported.message);
    const lines = (await Array.fromAsync(exported.value)).filter(({ type }) => type === "audit");
    expect(lines).toMatchObject([
      { action: "settings_changed", by: deletedPerson.id, by_name: deletedPerson.name, detail: "" },
      { action: "turn_deleted", by: "ada", subject: turnId, detail: "" },
      { action: "person_forgotten", by: "ada", subject: deletedPerson.id },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/zora/i);
    await ask("I am back", { by: zora });
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ value: { turns: 1 } });
  });

  it("forgetting a person takes their allowances, direct messages and accounts, and no other person's", async () => {
    const direct = `fake:team:dm-${zora.id}`;
    const loggedOut: string[] = [];
    const status = { name: "files", credentials: "per_user" as const };
    const servers = {
      list: () => [status],
      logout: async (...given: string[]) => void loggedOut.push(given.join(" ")),
    };
    const store = createMemoryKeyValue();
    const { ask, app } = createTestApp(scriptedModel(["ok"]), { store, servers: servers as never });
    await ask("hello", { by: zora, namespace: channel });
    const binding = { skill_id: "s", tool: "t", definition: "d", values: {} };
    const given = { binding, approver: "asker", at: 1 };
    const hers = { ...given, id: 1, by: zora.id, name: zora.name, only_for: zora.id };
    const bens = { ...given, id: 2, by: "ben", name: "Ben" };
    await store.set(`allowances:${channel}`, { next: 3, allowances: [hers, bens] });
    await store.set(`namespace:${direct}`, { settings: { progress: "quiet" } });
    await store.set(`skill:${direct}:notes:list`, ["private"]);
    await store.set(`skill:fake:team:dm-other:notes:list`, ["theirs"]);
    await store.set(`mcp-login:tokens:0f:fake:team:${zora.id}`, { sealed: "x" });
    await store.set(`chat-offers-off:fake:${zora.id}`, { at: 1 });
    await store.set(`chat-offers-off:fake:other`, { at: 1 });
    await store.set(`mcp-login:tokens:0f:fake:team:other`, { sealed: "y" });
    const outcome = await forgetPerson(app, zora.id, asker);
    expect(outcome).toMatchObject({ value: { allowances: 1, stored: 3, accounts: 1 } });
    expect(await store.get(`chat-offers-off:fake:${zora.id}`)).toBeUndefined();
    expect(await store.get(`chat-offers-off:fake:other`)).toBeDefined();
    expect(loggedOut).toEqual([`files fake:team:${zora.id}`]);
    expect(await store.get(`allowances:${channel}`)).toEqual({ next: 3, allowances: [bens] });
    const left = await Array.fromAsync(store.keys(""));
    expect(left.filter((key) => key.includes(zora.id))).toEqual([]);
    expect(left).toContain("skill:fake:team:dm-other:notes:list");
    expect(left).toContain("mcp-login:tokens:0f:fake:team:other");
  });
});
