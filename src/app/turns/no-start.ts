import type { Emit, TurnEventBody } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import type { NamespaceState } from "../../core/skill/namespace-state.ts";
import { type Profile, whyUnusable } from "../../core/values/profile.ts";

/** Why a message gets no model turn, in words for its author. */
export interface NoStart {
  code: "not_configured" | "paused" | "not_usable" | "unknown_agent";
  text: string;
}

/**
 * Why a turn does not start: its channel is paused, its agent is gone or has an invalid file, or it came from a chat platform and no
 * model is configured. Console, terminal and command line keep the offline provider, which introduces itself as such. Undefined when
 * the turn may start or has started before.
 */
export function noStart(
  { inbound, events }: ClaimedTurn,
  { settings }: NamespaceState,
  { generative, agent, agents }: { generative: boolean; agent: Profile; agents: readonly Profile[] },
): NoStart | undefined {
  if (events.some((event) => event.type === "turn_started")) return undefined;
  if (settings.paused !== undefined) return { code: "paused", text: pausedText };
  const known = agents.filter(({ unusable }) => unusable === undefined).map(({ id }) => id);
  const others = `To choose another one for this channel, use \`/agent use …\`: ${known.join(", ")}. Then send your message again.`;
  const wrong = whyUnusable(agent);
  const unusable = `The agent ${agent.id} cannot be used, so I did not start. An operator of the bot has to correct its file: ${wrong} ${others}`;
  if (wrong !== undefined) return { code: "unknown_agent", text: unusable };
  const gone = `The agent ${agent.id} that was chosen here no longer exists, so I did not start. ${others}`;
  if (!known.includes(agent.id)) return { code: "unknown_agent", text: gone };
  const isAnswered = inbound.origin === undefined || generative;
  return isAnswered ? undefined : { code: "not_configured", text: noModelText };
}

const pausedText =
  "I am paused here, so I did not answer your message. A manager of the channel can resume me with `/agent resume`; then send it again.";

const noModelText =
  "No model is configured, so I cannot answer yet. An operator of the bot has to set `KNACK_MODEL` and the provider's API key and restart it; `knack doctor` shows what is missing. Then send your message again. Commands work already: `/knack help` lists them.";

/** A turn that crashes the bot this often is given up. */
export const maxCrashes = 5;

/**
 * The last events of a turn that has crashed the bot too often. Every tool that had started gets a result first. Nothing is read or
 * prepared for the turn, since that may be the cause of the crashes.
 */
export function* interruptedTooOften({ events }: ClaimedTurn, now: number): Generator<TurnEventBody, void> {
  const isResumed = events.some(({ type }) => type === "turn_started");
  yield isResumed ? { type: "turn_resumed" } : { type: "turn_started", profile: "", model: "" };
  const finished = new Set(events.flatMap((event) => (event.type === "tool_finished" ? event.call_id : [])));
  for (const event of events) {
    if (event.type !== "tool_started" || finished.has(event.call_id)) continue;
    const { call_id, tool, at } = event;
    const output = { error: "The turn ended before this finished.", code: "stopped" };
    const duration_ms = Math.max(0, now - at);
    yield { type: "tool_finished", call_id, tool, status: "error", output, duration_ms };
  }
  const text = `The bot was interrupted ${maxCrashes} times while it worked on this, and gave up. Try again, or ask for less at once.`;
  yield { type: "error", code: "interrupted_too_often", message: text };
  yield { type: "turn_finished", outcome: "failed", text };
}

/** All events of a turn that does not start. */
export function* unstarted(
  { code, text }: NoStart,
  profile: string,
  model: string,
): Generator<TurnEventBody> {
  yield { type: "turn_started", profile, model };
  yield { type: "error", code, message: text };
  yield { type: "turn_finished", outcome: "failed", text, refused: true };
}

/** All events of a turn that only announces something: a reminder, or news of a schedule. It needs no model. */
export function* sayForCause({ inbound, events }: ClaimedTurn): Generator<TurnEventBody, void> {
  const isResumed = events.some((event) => event.type === "turn_started");
  yield isResumed ? { type: "turn_resumed" } : { type: "turn_started", profile: "command", model: "" };
  yield { type: "turn_finished", outcome: "completed", text: inbound.cause?.says ?? "" };
}

/** Emits events that are known beforehand. */
export async function emitAll(events: Iterable<TurnEventBody>, emit: Emit): Promise<void> {
  for (const event of events) await emit(event);
}
