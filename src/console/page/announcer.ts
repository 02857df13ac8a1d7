import type { TurnView } from "../../core/log/turn-view.ts";
import type { ConsoleState, ConsoleStore } from "../state/state.ts";
import { turnsOf } from "../state/timeline.ts";

/** Maximum characters of an answer that are read out; the conversation has the rest. */
const maxSpoken = 600;

/**
 * Tells screen readers about the open thread: that work began, questions, the whole answer. The streamed text itself is not a
 * live region, because each piece of it would be read out.
 */
export function announceTurns(store: ConsoleStore, region: HTMLElement, page: Document): void {
  let known = new Map<string, TurnView>();
  let place = "";
  store.subscribe((state) => {
    const current = `${state.open.namespace}/${state.open.thread}`;
    const turns = turnsOf(state.timeline);
    page.title = pageTitle(state, turns);
    const before = place === current ? known : undefined;
    known = new Map(turns.map((turn) => [turn.turn_id, turn]));
    if (!state.threadLoaded && before?.size === 0) return;
    place = current;
    if (before === undefined) return;
    const name = state.about?.name ?? "Knack";
    for (const turn of turns) {
      const said = announcement(before.get(turn.turn_id), turn, name);
      if (said !== undefined) region.textContent = said;
    }
  });
}

function announcement(before: TurnView | undefined, turn: TurnView, name: string): string | undefined {
  if (before === turn) return undefined;
  if (turn.question !== undefined && before?.question === undefined)
    return `${name} asks: ${turn.question.text}`;
  const approval = newApproval(before, turn);
  if (approval !== undefined) return `${name} needs your approval to run ${approval.tool}`;
  if (turn.forgotten_by !== undefined && before?.forgotten_by === undefined) return "Deleted";
  if (turn.status === before?.status) return undefined;
  if (turn.status === "running" && before?.status !== "waiting") return `${name} is working`;
  if (turn.status !== "finished" || before === undefined) return undefined;
  if (turn.outcome === "failed") return `${name} could not answer: ${turn.error?.message ?? turn.text}`;
  return `${turn.outcome === "stopped" ? "Stopped" : name}: ${turn.text.slice(0, maxSpoken)}`;
}

function newApproval(before: TurnView | undefined, { approvals }: TurnView) {
  const known = new Set(before?.approvals.map(({ approval_id }) => approval_id));
  return approvals.find(({ approval_id, state }) => state === "open" && !known.has(approval_id));
}

function pageTitle({ open, channels, about, threads }: ConsoleState, turns: readonly TurnView[]): string {
  const name = about?.name ?? "Knack";
  const channel = channels.find(({ namespace }) => namespace === open.namespace);
  const busy = turns.some(({ status }) => status === "running") || threads?.some((thread) => thread.busy);
  const where = channel === undefined || channel.direct ? "" : `#${channel.name} · `;
  return `${busy ? "● " : ""}${where}${name}`;
}
