import type { App } from "../../../src/app/app.ts";
import { createCommandReader } from "../../../src/app/turns/command-reader.ts";
import type { FeedItem } from "../../../src/app/turns/feed.ts";
import { namespaceStateSchema } from "../../../src/core/namespace-state.ts";
import type { TurnEvent, TurnEventBody } from "../../../src/core/turn-event.ts";
import type { TurnRecord } from "../../../src/core/turn-log.ts";
import { noUsage } from "../../../src/core/usage-total.ts";
import { fakeServices, skill } from "./fake-services.ts";
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

  const state = namespaceStateSchema.parse({});
  /** Of every turn. */
  const files = new Map<string, { media_type: string; data: Uint8Array }>();
  const app: App = {
    name: "Knack",
    model: "offline",
    reader: createCommandReader(() => [], "Knack"),
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
    stop: async () => ({ ok: true, value: { stopped: true } }),
    async answer(turnId, questionId, text, by) {
      asked.push({ turnId, questionId, text, by });
      return { ok: true, value: { answered: true } };
    },
    file: async (_turnId, name) => files.get(name),
    async approve(approvalId, approved, by) {
      asked.push({ approvalId, approved, by });
      if (approvalId === "none:1") return { ok: false, status: 404, message: "There is nothing to approve." };
      return { ok: true, value: { decided: approvalId !== "turn-1:2" } };
    },
    async forget(turnId, by) {
      asked.push({ forget: turnId, by });
      if (!turns.has(turnId)) return { ok: false, status: 404, message: `There is no turn ${turnId}.` };
      return { ok: true, value: { forgotten: true } };
    },
    async forgetPerson(user, { by }, options) {
      asked.push({ forgetPerson: user, by, ...options });
      if (user === "nobody") return { ok: false, status: 404, message: "Nothing is stored." };
      const counts = {
        turns: 2,
        other_turns: 1,
        facts: 0,
        allowances: 0,
        accounts: 0,
        feedback: 0,
        stored: 0,
      };
      const person = { user: `slack:T1:${user}`, pseudonym: "person-0a1b2c3d", complete: true, left: [] };
      return {
        ok: true,
        value: { ...person, ...counts, dry_run: options?.dryRun === true, renamed: 0, audit_lines: 3 },
      };
    },
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
    namespace: async () => state,
    async changeSettings(_namespace, settings, by) {
      asked.push({ settings, by });
      return {
        ok: true,
        value: {
          ...state,
          settings: { ...state.settings, progress: settings.progress ?? state.settings.progress },
        },
      };
    },
    threads: async () => [{ thread: "t-1", title: "hello", turns: 1, last_at: 1, busy: false }],
    thread: async () => [...turns.values()].map(({ record, events }) => ({ turn: record, events })),
    watch: (_namespace, signal) => feed.follow(signal),
    skills: {
      list: async () => ({ skills: [skill], diagnostics: [] }),
      detail: async (id) => (id === skill.id ? skill : undefined),
    },
    ...fakeServices(asked, () => [...turns.values()]),
    complete: async (text) => [{ text: `${text}list`, label: "list", description: "" }],
    prompt: async (_namespace, message) => ({ system: message, tools: [], tokens: 1 }),
    ready: async () => [{ name: "store", ok: true, detail: "" }],
  };
  return { app, addTurn, live, feed, asked, files };
}
