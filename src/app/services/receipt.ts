import { z } from "zod";
import { pick } from "../../base/record.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import { emptyTurnView, foldTurn, type TurnView } from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import { noUsage, plusUsage, type UsageTotal } from "../../core/log/usage.ts";
import type { Chats } from "../../core/ports/chat-platform.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import { type Author, mayOperate } from "../../core/values/inbound.ts";
import { heardIn, type Part, source, sourcesOf } from "./receipt-sources.ts";
import { milliseconds } from "./shapes.ts";
import { linesOf, type TurnLine } from "./turn-audit.ts";

/** What stands in a receipt for the parts that its reader may not see: their number. */
const parts = ["sources", "places", "tools", "effects", "hosts", "approvals", "files"] as const;

const spent = { input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number().optional() };

/** Where an answer comes from and what it did. Names are a contract: extend, never break. */
export const receipt = z.object({
  turn_id: z.string(),
  namespace: z.string(),
  thread: z.string(),
  asker: z.object({ id: z.string(), name: z.string() }),
  cause: z
    .object({ kind: z.string(), id: z.string(), because: z.string() })
    .optional()
    .describe("what started it, if not a message: a schedule, trigger, goal or another agent"),
  status: z.enum(["queued", "running", "waiting", "finished"]),
  outcome: z.enum(["completed", "stopped", "limit_reached", "failed"]).optional(),
  private: z.boolean().describe("only the asker may read the answer"),
  accepted_at: milliseconds,
  finished_at: milliseconds.optional(),
  sources: z.array(source),
  places: z
    .array(z.object({ namespace: z.string(), because: z.string() }))
    .describe("channels other than its own that were read"),
  tools: z.array(
    z.object({
      call_id: z.string(),
      tool: z.string(),
      skill_id: z.string(),
      title: z.string(),
      status: z.enum(["ok", "error", "running"]),
      duration_ms: z.number().optional(),
    }),
  ),
  effects: z
    .array(z.looseObject({ action: z.enum(["effect", "post"]), at: milliseconds, what: z.string() }))
    .describe("the lines of the audit: what, why it was allowed, account, hosts, link"),
  hosts: z.array(z.string()).describe("that tools and code in a sandbox sent requests to"),
  approvals: z.array(
    z.object({
      what: z.string(),
      state: z.enum(["open", "approved", "refused", "expired", "replaced"]),
      by: z.string().optional(),
      name: z.string().optional(),
    }),
  ),
  files: z.array(z.object({ name: z.string(), media_type: z.string(), bytes: z.number(), url: z.string() })),
  models: z
    .array(z.object({ model: z.string(), calls: z.number(), ...spent }))
    .describe("with the small model's work"),
  usage: z.object({ ...spent, unpriced_tokens: z.number() }),
  hidden: z
    .record(z.enum(parts), z.number())
    .describe("how many of each there are that this reader may not see"),
  notes: z.array(z.string()).describe("what is missing and why, for people"),
});
/** The receipt of a turn, without what its reader may not see. */
export type Receipt = Omit<z.output<typeof receipt>, "effects"> & {
  effects: readonly Pick<TurnLine, keyof TurnLine>[];
};

/**
 * Makes the receipt of a turn for a reader who may see the turn. Of an unfinished turn it has what happened so far. Receipts are a fold of the turn's events, never stored. A reader sees what the answer's audience sees: of a private turn everything for
 * its asker, and only numbers for others; of other channels what this person may read there now. Operators see the effects of every turn,
 * as in the audit.
 */
export function createReceipts({ log }: { log: Pick<TurnReading, "read"> }, actionsOf: Chats["actions"]) {
  return async (turn: TurnRecord, reader: Author): Promise<Receipt> => {
    const events = await log.read(turn.turn_id);
    const view = events.reduce(foldTurn, emptyTurnView(turn.turn_id));
    const isPrivate = isPrivateTurn(events);
    const isTheirs = reader.id === turn.author.id;
    const lines = linesOf(turn, events);
    const readIn = placesOf(events);
    const mayRead = createAccess(turn, reader, actionsOf);
    const isOpen = !isPrivate || isTheirs;
    const sees = async <T>(all: readonly Part<T>[]): Promise<T[]> => {
      const seen = await Promise.all(all.map(async ({ from }) => isOpen && (await mayRead(from))));
      return all.filter((_, at) => seen[at]).map(({ value }) => value);
    };
    const here = <T>(value: T) => ({ value, from: [] });
    const all = {
      sources: [...(await heardIn(turn, events, actionsOf)), ...sourcesOf(view, lines, readIn)],
      tools: view.steps.map((step) => ({ value: toolOf(step), from: readIn.get(step.call_id) ?? [] })),
      effects: lines.map((value) => ({ value, from: isTheirs || !value.to ? [] : [value.to.namespace] })),
      places: placesBeside(turn, events),
      approvals: view.approvals.map(approvalOf).map(here),
      files: view.files.map(here),
    };
    const tools = await sees(all.tools);
    const effects = mayOperate(reader) ? lines : await sees(all.effects);
    const seen = {
      tools,
      effects,
      sources: await sees(all.sources),
      places: await sees(all.places),
      hosts: hostsOf(events, new Set([...tools, ...effects].map(({ call_id }) => call_id))),
      approvals: await sees(all.approvals),
      files: await sees(all.files),
    };
    const counts = { ...all, hosts: hostsOf(events) };
    const hidden = parts.map((part) => [part, counts[part].length - seen[part].length]);
    return {
      ...headOf(turn, events, isPrivate),
      ...seen,
      ...spentBy(turn, events),
      hidden: Object.fromEntries(hidden) as Receipt["hidden"],
      notes: notesOn(view, events, isOpen),
    };
  };
}

/** Whether a reader may read these namespaces now. Those of the turn's own channel are in it, so that is not asked. */
function createAccess(
  { namespace: own }: TurnRecord,
  { id }: Author,
  actionsOf: Chats["actions"],
): (namespaces: readonly string[]) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const ask = async (namespace: string) => (await actionsOf(namespace)?.access(namespace, id)) !== undefined;
  const may = (namespace: string) => {
    const asked = known.get(namespace) ?? ask(namespace).catch(() => false);
    known.set(namespace, asked);
    return asked;
  };
  return async (namespaces) =>
    (await Promise.all(namespaces.filter((each) => each !== own).map(may))).every(Boolean);
}

/** The namespaces that each call has read in, other than the turn's. */
function placesOf(events: readonly TurnEvent[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const event of events)
    if (event.type === "answer_private" && event.call_id !== undefined && event.from !== undefined)
      places.set(event.call_id, [...(places.get(event.call_id) ?? []), event.from]);
  return places;
}

/** The channels other than its own that the turn read, each once. */
function placesBeside(
  { namespace: own }: TurnRecord,
  events: readonly TurnEvent[],
): Part<Receipt["places"][number]>[] {
  const places = new Map<string, Receipt["places"][number]>();
  for (const event of events) {
    if (event.type !== "answer_private" || event.from === undefined || event.from === own) continue;
    places.set(event.from, { namespace: event.from, because: event.because });
  }
  return [...places.values()].map((value) => ({ value, from: [value.namespace] }));
}

function headOf(turn: TurnRecord, [entry]: readonly TurnEvent[], isPrivate: boolean) {
  const { cause } = entry?.type === "inbound" ? entry.inbound : {};
  return {
    ...pick(turn, "turn_id", "namespace", "thread"),
    asker: pick(turn.author, "id", "name"),
    cause: cause && pick(cause, "kind", "id", "because"),
    ...pick(turn, "status", "outcome"),
    private: isPrivate,
    ...pick(turn, "accepted_at", "finished_at"),
  };
}

function toolOf(step: StepView) {
  return {
    ...pick(step, "call_id", "tool", "skill_id", "title"),
    status: step.state,
    duration_ms: step.duration_ms,
  };
}

function approvalOf({ tool, label, says, state, by, name }: TurnView["approvals"][number]) {
  return { what: label ?? says?.deed ?? tool, state, by, name };
}

/** The hosts that these calls reached, by default all calls. */
function hostsOf(events: readonly TurnEvent[], calls?: ReadonlySet<string | undefined>): string[] {
  const hosts = events.flatMap((event) =>
    event.type === "tool_finished" && (calls?.has(event.call_id) ?? true) ? (event.hosts ?? []) : [],
  );
  return [...new Set(hosts)];
}

function spentBy(turn: TurnRecord, events: readonly TurnEvent[]): Pick<Receipt, "models" | "usage"> {
  const calls = Map.groupBy(
    events.filter((event) => event.type === "usage"),
    ({ model }) => model,
  );
  const models = [...calls].map(([model, used]) => {
    const total = used.reduce<UsageTotal>(plusUsage, noUsage);
    return { model, calls: used.length, ...pick(total, "input_tokens", "output_tokens", "cost_usd") };
  });
  return { models, usage: pick(turn, "input_tokens", "output_tokens", "cost_usd", "unpriced_tokens") };
}

/** What the receipt cannot have, and why. */
function notesOn(view: TurnView, events: readonly TurnEvent[], isOpen: boolean): string[] {
  const { status, forgotten_by, merged_into, error } = view;
  const began = events.flatMap((event) => (event.type === "handoff" ? (event.background ?? []) : []));
  const notes = [
    status !== "finished" && "It is not finished: this is what happened so far.",
    forgotten_by !== undefined && "The turn was deleted; only what it cost is known.",
    merged_into !== undefined && `The message was taken into the turn ${merged_into}, whose receipt has it.`,
    events.some(({ type }) => type === "details_removed") &&
      "Its run details were deleted because of their age: sources, tools, hosts, approvals and models are no longer known.",
    isOpen && error !== undefined && `It failed: ${error.message}`,
    ...began.map((id) => `An agent works in the background, with a receipt of its own: the turn ${id}.`),
  ];
  return notes.filter((note) => note !== false);
}
