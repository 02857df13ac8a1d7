import { readStanding, type StandingDecision } from "../../core/decisions/standing-decisions.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { ThreadRecord, TurnRecord } from "../../core/log/turn-log.ts";
import type { DueEntry } from "../../core/ports/schedules.ts";
import type { Knowledge, KnownDocument } from "../../core/ports/services.ts";
import { type NamespaceState, readNamespace } from "../../core/skill/namespace-state.ts";
import { type TaughtSkill, taughtIn } from "../../core/skill/taught-skills.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import type { Json } from "../../core/values/json.ts";
import type { AppDeps } from "../app-deps.ts";
import { turnsIn } from "./forget-person/person.ts";
import type { AuditLine, StoredAudit } from "./stored-audit.ts";
import { type ChannelData, skillKeys, storedNamespaces } from "./stored-namespaces.ts";

/** One line of an export. The last line is `export_finished`; without it the export is incomplete. Times are ms since the epoch. */
export type ExportRecord =
  | { type: "export_started"; version: 1; at: number; namespace?: string | undefined }
  /** A channel: its settings and standing decisions. The lines up to the next `namespace` belong to it. */
  | {
      type: "namespace";
      namespace: string;
      state: NamespaceState;
      allowances: Standing[];
      refusals: Standing[];
    }
  /** Data of a skill for the channel, such as the facts of its memory (`memory:facts`). */
  | { type: "skill_data"; namespace: string; key: string; value: Json }
  /** A document the channel learned, with its text in the overlapping pieces it is found by. */
  | ({ type: "document"; namespace: string; text: { place: string; text: string }[] } & Omit<
      KnownDocument,
      "pieces"
    >)
  /** A skill that the channel made, with its versions. */
  | { type: "taught_skill"; namespace: string; skill: TaughtSkill }
  /** A reminder, schedule or trigger of the channel, or a thread that a trigger watches. */
  | ({ type: "due_entry" } & DueEntry)
  | ({ type: "thread"; namespace: string } & ThreadRecord)
  /** A turn of the preceding `thread` with all its events, newest first. */
  | { type: "turn"; turn: TurnRecord; events: TurnEvent[] }
  | ({ type: "audit" } & AuditLine)
  | { type: "export_finished"; turns: number };

type Standing = Omit<StandingDecision, "verdict">;

/** What an export reads. */
interface Exported extends ChannelData, Pick<AppDeps, "clock" | "redact"> {
  knowledge: Knowledge | undefined;
  stored: Pick<StoredAudit, "lines">;
}

/** Everything stored for a channel, or for all channels, one record at a time. */
export async function exportData(
  from: Exported,
  namespace?: string,
): Promise<Outcome<AsyncIterable<ExportRecord>>> {
  const known = await storedNamespaces(from);
  if (namespace !== undefined && !known.has(namespace))
    return failed(404, `Nothing is stored of the channel ${namespace}.`);
  return { ok: true, value: exportAll(from, known, namespace) };
}

async function* exportAll(
  from: Exported,
  known: ReadonlySet<string>,
  only: string | undefined,
): AsyncGenerator<ExportRecord> {
  const { stored, clock, redact } = from;
  yield { type: "export_started", version: 1, at: clock.now(), namespace: only };
  let turns = 0;
  for (const namespace of only === undefined ? [...known].sort() : [only]) {
    for await (const record of exportNamespace(from, namespace, known)) {
      if (record.type === "turn") turns += 1;
      yield redact(record);
    }
  }
  for await (const line of stored.lines())
    if (only === undefined || line.namespace === only) yield redact({ type: "audit" as const, ...line });
  yield { type: "export_finished", turns };
}

/** More entries than a channel can have. */
const maxEntries = 10_000;

async function* exportNamespace(
  { log, store, due, knowledge }: Exported,
  namespace: string,
  known: ReadonlySet<string>,
): AsyncGenerator<ExportRecord> {
  const state = await readNamespace(store, namespace);
  const decided = await readStanding(store, namespace);
  const withVerdict = (of: StandingDecision["verdict"]): Standing[] =>
    decided.flatMap(({ verdict, ...each }) => (verdict === of ? [each] : []));
  const standing = { allowances: withVerdict("always"), refusals: withVerdict("never") };
  yield { type: "namespace", namespace, state, ...standing };
  for await (const { key, stored } of skillKeys(store, namespace, known)) {
    const value = await store.get(stored);
    if (value !== undefined) yield { type: "skill_data", namespace, key, value };
  }
  for (const skill of await taughtIn(store, namespace)) yield { type: "taught_skill", namespace, skill };
  for (const { pieces: _, ...document } of (await knowledge?.list(namespace)) ?? []) {
    const text = await Array.fromAsync(knowledge?.read(namespace, document.id) ?? []);
    yield { type: "document", namespace, ...document, text };
  }
  for (const entry of await due.list({ namespace, most: maxEntries })) yield { type: "due_entry", ...entry };
  for await (const thread of log.everyThread(namespace)) {
    yield { type: "thread", namespace, ...thread };
    for await (const turn of turnsIn(log, { namespace, thread: thread.thread }))
      yield { type: "turn", turn, events: await log.read(turn.turn_id) };
  }
}
