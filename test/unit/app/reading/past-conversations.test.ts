import { describe, expect, it } from "vitest";
import { PastConversations } from "../../../../src/app/reading/past-conversations.ts";
import { createWebChatActions } from "../../../../src/app/reading/web-chat-actions.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { ChatActions } from "../../../../src/core/ports/chat-actions.ts";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import { createMiniSearchIndex } from "../../../../src/search/minisearch-index.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, ben, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const signal = new AbortController().signal;

/** A bot that answers these texts one after the other, and what is found of it. */
function talked(
  answers: Parameters<typeof scriptedModel>[0],
  actions: Partial<ChatActions> | "none" = {},
  options: TestAppOptions = {},
) {
  const app = createTestApp(scriptedModel(answers), options);
  const link: ChatActions["link"] = async (_namespace, reference, thread) =>
    `https://chat/${thread}/${reference}`;
  const indexed: number[] = [];
  const createIndex = () => {
    const index = createMiniSearchIndex();
    const add: typeof index.add = (texts) => {
      indexed.push(texts.length);
      index.add(texts);
    };
    return { ...index, add };
  };
  const past = new PastConversations(app.log, createIndex, {
    actionsOf: () => (actions === "none" ? undefined : ({ link, ...actions } as ChatActions)),
    console: createWebChatActions(app.log, "Knack", "https://knack.example"),
    report: (error) => app.errors.push(error),
  });
  const search = (
    words: string,
    more: { namespace?: string; most?: number; except_thread?: string } = {},
  ) => {
    const { namespace = home.namespace, most = 5, ...rest } = more;
    return past.search(namespace, { words, most, ...rest }, signal);
  };
  const found = async (...given: Parameters<typeof search>) =>
    (await search(...given)).exchanges.map(({ question }) => question);
  return { app, search, found, indexed };
}

/** What is found of one turn that was logged with these events. */
async function logged(
  namespace: string,
  more: TurnEventBody[],
  finished: { private?: true; refused?: true } = {},
) {
  const log = createMemoryTurnLog();
  const origin = { message: "m-asked", said_at: 1, files: [], in_thread: false };
  const inbound = {
    namespace,
    thread: "t1",
    author: ben,
    kind: "message",
    text: "the wombat",
    origin,
  } as const;
  await log.accept({ key: "k", ...inbound }, "turn-1", 1);
  await log.claim("lease", 1_000);
  const end = { type: "turn_finished", outcome: "completed", text: "It sleeps.", ...finished } as const;
  const events = [...more, end].map((event, at) => ({ ...event, turn_id: "turn-1", seq: at + 1, at: 2 }));
  await log.append("turn-1", "lease", events);
  const past = new PastConversations(log, createMiniSearchIndex, {
    actionsOf: () => ({ link: async (_namespace: string, reference: string) => reference }) as ChatActions,
    console: undefined,
    report: () => {},
  });
  return (await past.search(namespace, { words: "wombat", most: 5 }, signal)).exchanges;
}

describe("earlier conversations", () => {
  it("earlier conversations are found by words of the question or the answer, with asker, time and link", async () => {
    const { app, search } = talked(["Postgres 17, says the runbook.", "Pizza."]);
    const { turnId } = await app.ask("Which database do we use?", { by: ben, thread: "t7" });
    await app.ask("What is for lunch?", { thread: "t8" });
    const found = await search("runbooks database");
    expect(found).toEqual({
      exchanges: [
        {
          ...{ turn_id: turnId, thread: "t7", by: "Ben", at: expect.any(Number) },
          question: "Which database do we use?",
          answer: "Postgres 17, says the runbook.",
          link: `https://chat/t7/${turnId}`,
        },
      ],
      looked_at: 2,
    });
  });

  it("the search for earlier conversations leaves out the same thread and other channels", async () => {
    const { app, found } = talked(["One.", "Two."]);
    await app.ask("the wombat", { thread: "a" });
    await app.ask("the wombat elsewhere", { thread: "b", namespace: "console:local:other" });
    expect(await found("wombat", { except_thread: "a" })).toEqual([]);
    expect(await found("wombat", { except_thread: "b" })).toEqual(["the wombat"]);
    expect(await found("wombat", { namespace: "console:local:other" })).toEqual(["the wombat elsewhere"]);
  });

  it("commands and running turns are not earlier conversations", async () => {
    const { app, found, search } = talked([]);
    await app.ask("/agent status");
    expect(await found("status agent")).toEqual([]);
    expect((await search("status")).looked_at).toBe(0);
  });

  it("earlier conversations are indexed once, and their index is deleted with them", async () => {
    const { app, found, indexed } = talked(["One.", "Two.", "Three."]);
    const { turnId } = await app.ask("the wombat sleeps");
    await app.ask("the wombat eats");
    expect(await found("wombat", { most: 1 })).toHaveLength(1);
    expect(await found("wombat")).toHaveLength(2);
    await app.app.run("turn.forget", {
      input: { id: turnId },
      asker: { by: ada, namespace: home.namespace },
    });
    expect(await found("wombat")).toEqual(["the wombat eats"]);
    await app.ask("a wombat again");
    expect(await found("wombat")).toHaveLength(2);
    expect(indexed).toEqual([2, 1, 1]);
    expect(app.errors).toEqual([]);
  });

  it("earlier conversations are linked to the console where the platform has no links", async () => {
    const gone = async () => Promise.reject(new PlatformError("gone", "It is not there."));
    for (const actions of ["none", { link: gone }] as const) {
      const { app, search } = talked(["One."], actions);
      await app.ask("the wombat");
      expect((await search("wombat")).exchanges[0]?.link).toBe("https://knack.example/#/general/t1");
      expect(app.errors).toEqual([]);
    }
  });

  it("private conversations are found in no channel, but again in direct messages [delete-4]", async () => {
    expect(await logged("slack:T1:C1", [], { private: true })).toEqual([]);
    expect(await logged("slack:T1:dm-ben", [], { private: true })).toHaveLength(1);
    expect(await logged("slack:T1:C1", [])).toHaveLength(1);
    expect(await logged("slack:T1:C1", [], { refused: true })).toEqual([]);
  });

  it("earlier conversations are linked by the answer, or else by the question", async () => {
    const posted = (purpose: string, reference: string): TurnEventBody => ({
      ...{ type: "message_posted", purpose, part: 0, reference },
    });
    const linkOf = async (...events: TurnEventBody[]) => (await logged("slack:T1:C1", events))[0]?.link;
    expect(await linkOf(posted("progress", "p1"), posted("answer", "a1"))).toBe("a1");
    expect(await linkOf(posted("answer", "whisper"))).toBe("m-asked");
    expect(await linkOf()).toBe("m-asked");
  });

  it("earlier conversations begun by a recording are shown with what was said", async () => {
    const file = { name: "clip.m4a", media_type: "audio/mp4", bytes: 1, by: "Ben", text: "Where is it?" };
    const context = { type: "context_read", thread: [], files: [{ ...file, spoken: { is_message: true } }] };
    expect((await logged("slack:T1:C1", [context as unknown as TurnEventBody]))[0]?.question).toBe(
      "Where is it?",
    );
  });
});
