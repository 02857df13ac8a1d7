import { z } from "zod";
import { escapeMarkdown, few, oneLine } from "../../../base/markdown-text.ts";
import { formatDuration } from "../../../core/log/turn-view.ts";
import { costText } from "../../../core/log/usage.ts";
import { failed } from "../../../core/values/failure.ts";
import { type Receipt, receipt } from "../../services/receipt.ts";
import { json } from "../../services/shapes.ts";
import { deedWords, type TurnLine } from "../../services/turn-audit.ts";
import { auditNote, operation, operators } from "../operation.ts";
import { turnOfInput, turnRecord } from "./turn-view.ts";

export const showReceipt = operation({
  name: "turn.receipt",
  input: z.object({ id: z.string().min(1).max(300).describe("a turn's id") }),
  output: receipt.extend({ text: z.string().describe("the receipt for people, Markdown") }),
  who: "anyone",
  about: turnOfInput,
  http: {
    route: "GET /turns/{id}/receipt",
    summary: "Where an answer comes from, what its turn did and what it cost",
    answers: "the receipt, without what the caller may not see",
  },
  async run({ input: { id }, asker, services }) {
    const turn = await services.turns.get(id);
    if (turn === undefined) return failed(404, `There is no turn ${id}.`);
    const made = await services.receipt(turn, asker.by);
    return { ok: true, value: { ...made, effects: [...made.effects], text: receiptText(made) } };
  },
});

const answered = z.object({
  model: z.string(),
  text: z.string(),
  calls: z.array(
    z.object({
      tool: z.string(),
      arguments: json,
      recorded: z.boolean().describe("false: the turn had not made this call, so it got no result"),
    }),
  ),
  rounds: z.number(),
  usage: turnRecord.shape.usage,
  duration_ms: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe("why there is no answer"),
});

export const replayTurn = operation({
  name: "turn.replay",
  input: z.object({
    id: z.string().min(1).max(300).describe("a turn's id"),
    model: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("as provider/model, among those that people may choose"),
  }),
  output: z.object({
    turn_id: z.string(),
    question: z.string(),
    recorded: answered,
    replayed: answered,
    notes: z.array(z.string()),
  }),
  // The conversation goes to the provider of the named model.
  who: operators("replay turns"),
  http: {
    route: "POST /turns/{id}/replay",
    summary:
      "Have another model answer a turn again, with the recorded results: nothing runs, nothing is posted",
    answers: "both answers, with their calls, cost and time",
  },
  async run({ input: { id, model }, asker, services, signal }) {
    const turn = await services.turns.get(id);
    if (turn === undefined) return failed(404, `There is no turn ${id}.`);
    return services.replay(turn, { model, by: asker.by, signal });
  },
  audit: ({ turn_id, replayed }) =>
    auditNote(
      "turn_replayed",
      turn_id,
      `replayed the turn \`${turn_id}\` on **${escapeMarkdown(replayed.model)}**`,
    ),
});

/** Maximum sources and effects that the text lists. */
const maxListed = 12;

/** The receipt in a few lines of Markdown. */
function receiptText(made: Receipt): string {
  const { places, hosts, files, approvals, effects, notes } = made;
  const deeds = effects.filter(({ action, what }) => action === "effect" || what === "sent");
  const lines = [
    line("Sources", sourceWords(made)),
    line(
      "Read elsewhere",
      places.map(({ because }) => shown(because)),
    ),
    line("Tools", toolWords(made)),
    line("Effects", deeds.map(effectWords)),
    line("Approvals", approvals.map(approvalWords)),
    line("Hosts", hosts.map(shown)),
    line(
      "Files",
      files.map(({ name }) => shown(name)),
    ),
    line("Models", modelWords(made)),
    hiddenWords(made),
    ...notes.map((note) => `*${shown(note)}*`),
  ].filter((text) => text !== "");
  return lines.length === 0 ? "No model and no tool was used." : lines.map((text) => `- ${text}`).join("\n");
}

function line(name: string, words: readonly string[]): string {
  return words.length === 0 ? "" : `${name}: ${few(words, maxListed)}`;
}

/** Messages by their authors, each with a link to the latest one; everything else by its title. */
function sourceWords({ sources }: Receipt): string[] {
  const messages = sources.filter(({ kind }) => kind === "message");
  const authors = new Map(messages.map(({ title, link }) => [title, linked(title, link)]));
  const count = messages.length === 1 ? "a message" : `${messages.length} messages`;
  const said = messages.length === 0 ? [] : [`${count} (${[...authors.values()].join(", ")})`];
  const others = sources.filter(({ kind }) => kind !== "message");
  return [...said, ...others.map(({ title, link }) => linked(title, link))];
}

function toolWords({ tools }: Receipt): string[] {
  const counts = new Map<string, number>();
  for (const { tool, status } of tools) {
    const name = `${shown(tool)}${status === "error" ? " (failed)" : ""}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} × ${count}`));
}

const ends = { error: ", failed", unknown: ", outcome unknown" };

function effectWords(each: TurnLine): string {
  const { status = "ok" } = each;
  return `${deedWords(each)}${status === "ok" ? "" : ends[status]}`;
}

function approvalWords({ what, state, by, name = by }: Receipt["approvals"][number]): string {
  return `${shown(what)}: ${state}${name === undefined ? "" : ` by ${shown(name)}`}`;
}

/** `anthropic/claude-sonnet-5-5, 1,234 tokens, $0.0123, 12 s`. */
function modelWords({ models, usage, accepted_at, finished_at }: Receipt): string[] {
  const tokens = usage.input_tokens + usage.output_tokens;
  if (tokens === 0) return models.map(({ model }) => shown(model));
  const cost = costText({ ...usage, cached_tokens: 0, cache_write_tokens: 0 });
  const took = finished_at === undefined ? "" : formatDuration(finished_at - accepted_at);
  const spent = [`${tokens.toLocaleString("en")} tokens`, cost, took];
  return [...models.map(({ model }) => shown(model)), ...spent.filter(Boolean)];
}

function hiddenWords({ hidden }: Receipt): string {
  const counts = Object.entries(hidden).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return "";
  return `${total} more that you may not see (${counts.map(([part, count]) => `${part}: ${count}`).join(", ")})`;
}

/** A link in the plain form that every platform reads: characters that would end it are encoded. */
function linked(title: string, link: string | undefined): string {
  const text = shown(title.replace(/^https?:\/\//, ""));
  const encode = (sign: string) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return link === undefined ? text : `[${text}](${link.replace(/[\s<>()\\]/g, encode)})`;
}

function shown(text: string): string {
  return escapeMarkdown(oneLine(text, 150));
}
