import type { App } from "../../../src/app/app.ts";
import { CommandReader } from "../../../src/app/turns/command-reader.ts";
import type { FeedItem } from "../../../src/app/turns/feed.ts";
import type { TurnEvent, TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { TurnRecord } from "../../../src/core/log/turn-log.ts";
import { noUsage } from "../../../src/core/log/usage.ts";
import { fakeServices, skill, threads } from "./fake-services.ts";
import { Feed } from "./feed.ts";

/** An app whose turns do what a test tells them, with all that was asked of it. */
export function createFakeApp() {
  const turns = new Map<string, { record: TurnRecord; events: TurnEvent[] }>();
  const live = new Feed<TurnEvent>();
  const feed = new Feed<FeedItem>();
  const asked: unknown[] = [];

  function addTurn(turnId: string, status: TurnRecord["status"], bodies: TurnEventBody[] = []): void {
    const record: TurnRecord = {
      turn_id: turnId,
      namespace: "console:local:general",
      thread: "t-1",
      kind: "message",
      author: { id: "ada", name: "Ada", trust: "operator" },
      text: "hello",
      status,
      accepted_at: 1,
      ...noUsage,
      input_tokens: 3,
      output_tokens: 4,
      unpriced_tokens: 7,
      ...(status === "finished" ? { outcome: "completed" as const, answer: "hi" } : {}),
    };
    const events = bodies.map((body, seq) => ({ ...body, turn_id: turnId, seq, at: 1 }));
    turns.set(turnId, { record, events });
  }

  /** Of every turn. */
  const files = new Map<string, { media_type: string; data: Uint8Array }>();
  const app: App = {
    name: "Knack",
    model: "offline",
    reader: new CommandReader([], "Knack"),
    commands: [],
    async submit(submission) {
      asked.push(submission);
      if (submission.text === "too fast") return { ok: false, status: 429, message: "Wait a minute." };
      if (submission.text === "again") return { ok: true, value: { turn_id: "turn-1", accepted: false } };
      return { ok: true, value: { turn_id: "turn-new", accepted: true } };
    },
    turn: async (turnId) => turns.get(turnId)?.record,
    turns: async () => [...turns.values()].map(({ record }) => record),
    async events(turnId, afterSeq, signal) {
      const turn = turns.get(turnId);
      return (
        turn &&
        live.follow(
          signal,
          turn.events.filter(({ seq }) => seq > afterSeq),
          turn.record.status === "finished",
        )
      );
    },
    file: async (_turnId, name) => files.get(name),
    attachment: async () => undefined,
    async exportData(namespace) {
      asked.push({ exportData: namespace });
      if (namespace === "slack:T1:none") return { ok: false, status: 404, message: "Nothing is stored." };
      const started = { type: "export_started", version: 1, at: 1 } as const;
      return {
        ok: true,
        value: ReadableStream.from([started, { type: "export_finished", turns: 0 } as const]),
      };
    },
    namespaces: async (platform) => [`${platform}:local:dm`, `${platform}:local:general`],
    threads: async () => threads,
    watch: async (_namespace, signal) => feed.follow(signal),
    skills: {
      list: async () => ({ skills: [skill], diagnostics: [] }),
      suggest: async () => [],
      detail: async (id) => (id === skill.id ? skill : undefined),
    },
    ...fakeServices(asked, () => [...turns.values()]),
    hook: async () => "unknown",
    complete: async (text) => [{ text: `${text}list`, label: "list", description: "" }],
    ready: async () => [{ name: "store", ok: true, detail: "" }],
  };
  return { app, addTurn, live, feed, asked, files };
}
