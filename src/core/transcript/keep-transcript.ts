import { estimateOf, isLonger, type Transcript, tokensIn } from "../log/transcript.ts";
import type { OpeningReason } from "../log/turn-event.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { factLine } from "../values/instructions.ts";
import { keepPrivate } from "./audience.ts";
import { carryOver } from "./carry-over.ts";
import { makeOpening } from "./opening.ts";
import { changeSince } from "./transcript-change.ts";
import { toldMessage } from "./user-message.ts";

/** How long a provider is taken to keep a prompt in its cache when nothing is known of it, ms. */
const commonCache = 300_000;

/**
 * Brings the thread's transcript up to date for the next model call: opens it where there is none, or where the one there is has
 * come to its end; then tells what the person said, and what has changed in the channel.
 */
export async function keepTranscript(scope: TurnScope): Promise<Transcript> {
  const facts = await readFacts(scope);
  // Something may be deleted while a transcript opens.
  for (let reason = await endOf(scope); reason !== undefined; reason = await endOf(scope)) {
    await reopen(scope, reason, facts);
  }
  if (!scope.state.told) await scope.emit({ type: "user_message", message: toldMessage(scope) });
  const { transcript } = scope;
  if (transcript === undefined) throw new Error("a transcript was opened and is not there");
  await keepPrivate(scope, transcript.messages);
  const change = changeSince(scope, transcript, facts);
  if (change !== undefined) await scope.emit({ type: "transcript_changed", ...change });
  return transcript;
}

/** Tokens a transcript may have: as configured, and never above 70 % of what the models in use can read. */
function transcriptBudget(scope: TurnScope): number {
  const { transcript_tokens } = scope.turn.limits;
  const { window } = chosenModel(scope);
  return window === undefined ? transcript_tokens : Math.min(transcript_tokens, Math.floor(0.7 * window));
}

/** Why a new transcript has to begin now; undefined when the thread's goes on. */
async function endOf(scope: TurnScope): Promise<OpeningReason | undefined> {
  const { transcript, turn, ports, state } = scope;
  const known = state.opened_after ?? turn.past.deletions;
  if (known !== (await ports.deletions(turn.place))) return "deleted";
  if (transcript === undefined) return turn.past.intact ? "first" : "deleted";
  if (!turn.past.intact && state.opened_after === undefined) return "deleted";
  const budget = transcriptBudget(scope);
  const grownBeyond = (tokens: number) =>
    isLonger(transcript, Math.max(tokens, transcript.tokens_at_opening + budget / 8), ports.countTokens);
  if (grownBeyond(budget)) return "full";
  const idle = ports.clock.now() - (transcript.called_at ?? Number.POSITIVE_INFINITY);
  const isCold = !state.told && idle > (chosenModel(scope).cache_ms ?? commonCache);
  return isCold && grownBeyond(budget / 2) ? "cold" : undefined;
}

async function reopen(scope: TurnScope, because: OpeningReason, facts: readonly string[]): Promise<void> {
  const { turn, ports } = scope;
  const deletions = await ports.deletions(turn.place);
  const opening = makeOpening(scope, facts);
  const taken = ports.countTokens(opening.instructions) + ports.countTokens(JSON.stringify(opening.tools));
  const half = transcriptBudget(scope) / 2 / underestimate(scope);
  const room = Math.max(0, Math.floor(half) - taken);
  const carried = await carryOver(scope, room, because);
  await scope.open(opening, { because, deletions, ...carried });
}

/** How many times more tokens the provider counted than were estimated: long ids and encoded data are counted too low. */
function underestimate({ transcript, ports }: TurnScope): number {
  if (transcript === undefined) return 1;
  return tokensIn(transcript, ports.countTokens) / estimateOf(transcript, ports.countTokens);
}

/** The facts that people pinned in the channel, as a model reads them. */
export async function readFacts({ turn, ports }: TurnScope): Promise<readonly string[]> {
  return (await ports.facts(turn.place.namespace)).map(factLine);
}
