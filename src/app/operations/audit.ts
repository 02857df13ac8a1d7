import { z } from "zod";
import { beginningOf, escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { objectOf } from "../../core/values/json.ts";
import { namespaceSchema } from "../../core/values/place.ts";
import { feedbackKey } from "../services/shapes.ts";
import { managers, operation, operators } from "./operation.ts";
import { readableTurn } from "./turns/readable-turn.ts";

const line = z.looseObject({
  at: z.number().describe("ms since the epoch"),
  action: z
    .string()
    .describe("`effect` or `post` of a turn; otherwise what a person did: `skill_enabled`, …"),
  namespace: z.string(),
  by: z.string().describe("who asked, or who did it"),
  by_name: z.string(),
});

const cursorForm = /^(-?\d{1,16})\.(\d{1,16})$/;

export const listAudit = operation({
  name: "audit.list",
  input: z.object({
    cursor: z
      .string()
      .regex(cursorForm, "is not the `next` of a page")
      .optional()
      .describe("`next` of the page before"),
    since: z.coerce
      .number("expected a time: ms since the epoch, for a command 2026-11-23 or 2026-11-23T09:00Z")
      .int()
      .min(0)
      .optional()
      .describe("without a cursor: from when on, ms since the epoch"),
  }),
  output: z.object({ lines: z.array(line), next: z.string() }),
  who: operators("read the audit"),
  http: {
    route: "GET /audit",
    summary: "What people did, and each effect and new message of the turns that have finished, oldest first",
    answers: "one page; there is nothing more when `next` is the cursor that was sent",
    lines: true,
  },
  commandLine: {
    command: "audit",
    options: [["--since <time>", "such as 2026-11-23 or 2026-11-23T09:00Z"], "--cursor <cursor>"],
    read: ({ since, cursor }) => ({ cursor, since: since && Date.parse(since) }),
  },
  text: ({ lines }) =>
    lines
      .map(({ at, by_name, detail, what, allowed, status, namespace }) => {
        const rule = allowed as { rule: string; name?: string } | undefined;
        const done = [detail ?? escapeMarkdown(String(what)), status, rule?.rule, rule?.name];
        const place = escapeMarkdown(`${namespace} ${by_name}`);
        return `- ${new Date(at).toISOString().slice(0, 19)} ${place}: ${done.filter(Boolean).join(", ")}`;
      })
      .join("\n"),
  async run({ input: { cursor, since = 0 }, services }) {
    const [, finished_at = since - 1, ordinal = Number.MAX_SAFE_INTEGER] =
      cursorForm.exec(cursor ?? "") ?? [];
    const { lines, next } = await services.readAudit({
      finished_at: Number(finished_at),
      ordinal: Number(ordinal),
    });
    return {
      ok: true,
      value: { lines: lines.map((each) => ({ ...each })), next: `${next.finished_at}.${next.ordinal}` },
    };
  },
});

/** Maximum turns of a channel whose feedback is looked at, the latest. */
const maxTurns = 200;

export const listFeedback = operation({
  name: "feedback.list",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({
    answers: z.array(
      z.object({
        turn_id: z.string(),
        at: z.number().describe("when it was asked, ms since the epoch"),
        asker: z.string(),
        question: z.string(),
        good: z.array(z.string()).describe("ids of people"),
        bad: z.array(z.string()),
      }),
    ),
  }),
  who: managers("Only managers of this channel may look at its feedback. Ask one of them."),
  http: {
    route: "GET /feedback",
    summary: "Answers that people rated, among the latest of a channel",
    answers: "the answers, the latest first",
  },
  chat: {
    command: "agent feedback",
    description: "Shows the answers in this channel that people rated 👎",
    read: (_words, { namespace }) => ({ namespace }),
  },
  text({ answers }) {
    const lines = answers.flatMap(({ at, asker, question, bad, good }) =>
      bad.length === 0
        ? []
        : `- ${new Date(at).toISOString().slice(0, 10)} **${escapeMarkdown(asker)}**: ${escapeMarkdown(oneLine(question, 120))} (${bad.length} × 👎, ${good.length} × 👍)`,
    );
    return lines.slice(0, 20).join("\n") || "Nobody rated an answer 👎 here.";
  },
  async run(call) {
    const { turns, store } = call.services;
    const latest = await turns.list({ namespace: call.input.namespace, limit: maxTurns });
    const answers = await Promise.all(
      latest.map(async (record) => {
        const { turn_id, accepted_at, author } = record;
        const verdicts = Object.entries(objectOf(await store.get(feedbackKey(turn_id))));
        const who = (verdict: string) =>
          verdicts.flatMap(([person, said]) => (said === verdict ? [person] : []));
        const rated = { good: who("good"), bad: who("bad") };
        if (rated.good.length + rated.bad.length === 0) return [];
        const { text } = (await readableTurn(record, call)).turn;
        return { turn_id, at: accepted_at, asker: author.name, question: beginningOf(text, 300), ...rated };
      }),
    );
    return { ok: true, value: { answers: answers.flat() } };
  },
});
