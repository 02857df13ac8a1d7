import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { emptyTurnView, foldTurn } from "../../../../src/core/log/turn-view.ts";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { forgetTurn, threadOf } from "../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

const mia: Author = { id: "mia", name: "Mia", trust: "manager" };
const carl: Author = { id: "carl", name: "Carl", trust: "member" };
const forgotten = { ok: true, value: { forgotten: true, attachments: [], made_from_them: [] } };

describe("a deleted turn", () => {
  it("a deleted turn is gone from the log, the thread and what later turns see, and its record stays [delete-1]", async () => {
    const model = scriptedModel(["The code is 4711.", "Yes.", "No."]);
    const { app, ask } = createTestApp(model);
    const first = await ask("remember the magic word", { by: ben });
    await ask("do you?", { by: ben });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("magic");
    expect(await forgetTurn(app, first.turnId, ben)).toEqual(forgotten);
    await ask("and now?", { by: ben });
    const seen = JSON.stringify(model.requests[2]);
    expect(seen).not.toContain("magic");
    expect(seen).not.toContain("4711");
    expect(seen).toContain("do you?");
    expect(JSON.stringify(await threadOf(app, home.namespace, home.thread))).not.toMatch(/magic|4711/);
    expect(JSON.stringify(await app.threads(home.namespace))).not.toContain("magic");
    expect(await app.turn(first.turnId)).toMatchObject({ status: "finished", text: "", input_tokens: 10 });
  });

  it("a deleted turn is not remembered through a summary of the thread either", async () => {
    const model = scriptedModel(({ system }) =>
      system.startsWith("Summarise") ? "They spoke of a secret." : "An answer.",
    );
    const { app, ask, log } = createTestApp(model, { limits: { transcript_tokens: 2_000 } });
    const first = await ask(`the secret ${"is long ".repeat(30)}`);
    for (let at = 0; at < 14; at += 1) await ask(`question ${at} ${"text ".repeat(100)}`);
    expect(model.requests.at(-1)?.messages[0]?.text).toContain("They spoke of a secret.");
    await forgetTurn(app, first.turnId, ada);
    const before = model.requests.length;
    await ask("and now?");
    const summarised = model.requests
      .slice(before)
      .filter(({ system }) => system.startsWith("Summarise"))
      .map(({ messages }) => JSON.stringify(messages));
    expect(summarised.length).toBeGreaterThan(0);
    for (const text of summarised) expect(text).not.toContain("secret");
    const ids = (await app.turns({})).map(({ turn_id }) => turn_id);
    const stored = await Promise.all(ids.map((id) => log.read(id)));
    expect(JSON.stringify(stored)).not.toContain("the secret is long");
  });

  it("a deleted turn disappears for watchers", async () => {
    const { app, ask } = createTestApp(scriptedModel(["An answer."]));
    const { turnId, events } = await ask("hello");
    const end = new AbortController();
    const watching = (await app.watch(home.namespace, end.signal))[Symbol.asyncIterator]();
    const next = watching.next();
    await forgetTurn(app, turnId, ada);
    const { value } = await next;
    const event = value.event as TurnEvent;
    expect(event).toMatchObject({ type: "turn_finished", forgotten_by: "ada" });
    const view = [...events, event].reduce(foldTurn, emptyTurnView(turnId));
    expect(view).toMatchObject({ said: "", text: "", steps: [], forgotten_by: "ada" });
    end.abort();
  });

  it("a deleted turn loses its files and people's feedback", async () => {
    const { app, ask, files, store } = createTestApp(scriptedModel(["An answer."]));
    const { turnId } = await ask("hello");
    const file = await files.put(turnId, {
      name: "a.txt",
      media_type: "text/plain",
      data: new Uint8Array([1]),
    });
    await store.set(`feedback:${turnId}`, { ada: "good" });
    await forgetTurn(app, turnId, ada);
    expect(await app.file(turnId, file.name)).toBeUndefined();
    expect(await Array.fromAsync(store.keys("feedback:"))).toEqual([]);
  });

  it("a deleted turn takes along the messages merged into it, and they take it along", async () => {
    const look = testSkill("look", [{ name: "look" }], { active: true });
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([[{ call: "look" }], "Second."], {
      gate: (_request, round) => (round === 1 ? gate.promise : Promise.resolve()),
    });
    const { app, say, until, events, log } = createTestApp(model, { skills: [look] });
    const turnId = await say("go");
    await until(turnId, "turn_started");
    const taken = await say("the secret part");
    gate.resolve();
    await events(turnId);
    await events(taken);
    expect((await log.get(taken))?.merged_into).toBe(turnId);
    await forgetTurn(app, taken, ada);
    expect(JSON.stringify([await log.read(turnId), await log.read(taken)])).not.toContain("secret");
  });
});

describe("deleting", () => {
  it("deleting a turn is for its asker and managers", async () => {
    const { app, ask } = createTestApp(scriptedModel(["An answer."]));
    const { turnId } = await ask("hello", { by: ben });
    expect(await forgetTurn(app, turnId, carl)).toMatchObject({ ok: false, status: 403 });
    expect((await app.turn(turnId))?.text).toBe("hello");
    expect(await forgetTurn(app, turnId, mia)).toEqual(forgotten);
    expect(await forgetTurn(app, "none", mia)).toMatchObject({ ok: false, status: 404 });
  });

  it("deleting a running turn stops it first", async () => {
    const { app, say, until, log } = createTestApp(
      scriptedModel(["never"], { gate: () => new Promise(() => {}) }),
    );
    const turnId = await say("think for ever");
    await until(turnId, "turn_started");
    expect(await forgetTurn(app, turnId, ada)).toEqual(forgotten);
    expect(await log.get(turnId)).toMatchObject({ status: "finished", outcome: "stopped", text: "" });
  });

  it("deleting a turn removes its messages from the platform, or keeps everything while that cannot be reached", async () => {
    const log = createMemoryTurnLog();
    const inbound = { key: "k", namespace: "fake:w:c", thread: "t", author: ben, text: "hello" };
    await log.accept({ ...inbound, kind: "message" }, "t1", 1);
    await log.claim("w", 1_000);
    const platform = createFakePlatform();
    const place = { namespace: "fake:w:c", thread: "t" };
    const reference = await platform.post(place, { markdown: "An answer." });
    await log.append("t1", "w", [
      { type: "message_posted", purpose: "answer", part: 0, reference, turn_id: "t1", seq: 1, at: 2 },
      { type: "turn_finished", outcome: "completed", text: "An answer.", turn_id: "t1", seq: 2, at: 3 },
    ]);
    const { app, chat } = createTestApp(scriptedModel(["unused"]), { log });
    chat.connect(platform);
    platform.fail("remove", new PlatformError("unavailable", "Fake is down."));
    expect(await forgetTurn(app, "t1", ada)).toMatchObject({ ok: false, status: 503 });
    expect((await app.turn("t1"))?.answer).toBe("An answer.");
    expect(await forgetTurn(app, "t1", ada)).toEqual(forgotten);
    expect(platform.visible()).toEqual([]);
  });
});
