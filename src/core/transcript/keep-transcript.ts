/**
 * Invariants:
 * [transcript-1] What was sent is never sent differently: each request of a transcript begins with the one before.
 * [transcript-2] An opening depends on the channel's skills, agent, settings and pinned facts, and on nothing of a thread, message or asker.
 * [transcript-3] A text that was deleted is not sent any more.
 * [transcript-4] A model reads what the asker of its turn may read, and no other private text.
 * [transcript-5] The results of a round follow in the order of its calls, once all are there.
 */

import { textIdOf } from "../log/call-id.ts";
import { estimateOf, isLonger, type Transcript, tokensIn } from "../log/transcript.ts";
import type { OpeningReason } from "../log/turn-event.ts";
import { type CacheWish, lifetimeAfter, type ModelRequest, usedAgain } from "../ports/model.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { cutForModel } from "../values/cut.ts";
import type { Message, ToolDefinition } from "../values/message.ts";
import { factLine } from "../values/profile.ts";
import { fingerprint } from "../values/told.ts";
import { keepPrivate, viewOf } from "./audience.ts";
import { carryOver } from "./carry-over.ts";
import { transcriptBudget } from "./guides.ts";
import { makeOpening } from "./opening.ts";
import { changeSince } from "./transcript-change.ts";
import { resultMessage, toldMessage } from "./user-message.ts";

/** Assumed lifetime of a prompt in an unknown provider's cache, ms. */
const commonCache = 300_000;

/**
 * Prepares the thread's transcript for the next model call: opens a new one if there is none or if the current one has ended, then adds the
 * person's message and the changes in the channel.
 */
export async function keepTranscript(scope: TurnScope): Promise<Transcript> {
  const { ports, turn } = scope;
  const facts = await readFacts(scope);
  // Repeats, because something may be deleted while a transcript opens.
  for (;;) {
    const deletions = await ports.deletions(turn.place);
    const because = endOf(scope, deletions);
    if (because === undefined) break;
    await reopen(scope, facts, { because, deletions });
  }
  const { transcript } = scope;
  if (transcript === undefined) throw new Error("a transcript was opened and is not there");
  await tellEnded(scope, transcript);
  if (!scope.conversation.told) await scope.emit({ type: "user_message", message: toldMessage(scope) });
  await keepPrivate(scope, transcript.messages);
  const change = changeSince(scope, transcript, facts);
  if (change !== undefined) await scope.emit({ type: "transcript_changed", ...change });
  return transcript;
}

/** Tells the model how work in the background ended. A private result is told in turns of its asker, which become private with it. */
async function tellEnded({ ports, turn, emit }: TurnScope, { background }: Transcript): Promise<void> {
  for (const from_turn of [...background]) {
    const end = await ports.background.ended(from_turn);
    if (end === undefined || (end.only_for !== undefined && end.only_for !== turn.author.id)) continue;
    const text = cutForModel(
      end.text,
      turn.limits.tool_output_tokens,
      textIdOf("answer", from_turn),
      ports.countTokens,
    );
    const told = resultMessage({ ...end, text });
    const message = end.only_for === undefined ? told : { ...told, only_for: end.only_for };
    await emit({ type: "background_ended", from_turn, message });
  }
}

/**
 * Why a new transcript has to be opened now; undefined if the current one continues.
 * @param deletions how many turns of the thread have been deleted
 */
function endOf(scope: TurnScope, deletions: number): OpeningReason | undefined {
  const { transcript, turn, ports, conversation } = scope;
  const known = conversation.opened_after ?? turn.past.deletions;
  // transcript-3
  if (known !== deletions) return "deleted";
  if (transcript === undefined) return turn.past.intact ? "first" : "deleted";
  if (!turn.past.intact && conversation.opened_after === undefined) return "deleted";
  const budget = transcriptBudget(scope);
  const grownBeyond = (tokens: number) =>
    isLonger(transcript, Math.max(tokens, transcript.tokens_at_opening + budget / 8), ports.countTokens);
  if (grownBeyond(budget)) return "full";
  const idle = ports.clock.now() - (transcript.called_at ?? Number.POSITIVE_INFINITY);
  const isCold = !conversation.told && idle > (chosenModel(scope).cache_ms ?? commonCache);
  return isCold && grownBeyond(budget / 2) ? "cold" : undefined;
}

async function reopen(
  scope: TurnScope,
  facts: readonly string[],
  how: { because: OpeningReason; deletions: number },
): Promise<void> {
  const { ports } = scope;
  const opening = makeOpening(scope, facts);
  const taken = ports.countTokens(opening.instructions) + ports.countTokens(JSON.stringify(opening.tools));
  const half = transcriptBudget(scope) / 2 / underestimate(scope);
  const room = Math.max(0, Math.floor(half) - taken);
  const carried = await carryOver(scope, room, how);
  await scope.open(opening, { ...how, ...carried });
}

/** The ratio of the provider's token count to the estimate: long ids and encoded data are underestimated. */
function underestimate({ transcript, ports }: TurnScope): number {
  if (transcript === undefined) return 1;
  return tokensIn(transcript, ports.countTokens) / estimateOf(transcript, ports.countTokens);
}

/** The facts that people pinned in the channel, as a model reads them. */
export async function readFacts({ turn, ports }: TurnScope): Promise<readonly string[]> {
  return (await ports.facts(turn.place.namespace)).map(factLine);
}

/** The transcript as a model request: the part that the asker may read, with the pictures of its messages. */
export async function requestOf(scope: TurnScope, transcript: Transcript): Promise<ModelRequest> {
  const { turn } = scope;
  const { opening } = transcript;
  // transcript-4
  const messages = viewOf(transcript.messages, turn.author.id);
  const { effort } = opening.told;
  const hasImages = messages.some((message) => "kept_images" in message && message.kept_images !== undefined);
  return {
    system: opening.instructions,
    tools: opening.tools,
    messages: hasImages ? await Promise.all(messages.map((message) => withImages(scope, message))) : messages,
    effort,
    cache: cacheOf(scope, transcript),
    signal: turn.signal,
  };
}

/** Whether the model reads this text whole in a message or result, apart from white space. */
export function standsIn({ transcript, turn }: TurnScope, text: string): boolean {
  const wanted = plain(text);
  if (transcript === undefined || wanted === "") return false;
  return viewOf(transcript.messages, turn.author.id).some(
    ({ role, text: shown }) => (role === "user" || role === "tool") && plain(shown).includes(wanted),
  );
}

/** Results are JSON, in which line ends and quotes are escaped. */
function plain(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"').replaceAll(/\s+/g, " ").trim();
}

/** Tools are kept by the traffic of all channels that have them, the instructions by that of the threads that opened with them. */
function cacheOf(scope: TurnScope, { id, opening }: Transcript): CacheWish {
  const { turn, ports } = scope;
  const use = (part: string) => {
    const key = `${chosenModel(scope).id} ${part}`;
    const uses = usedAgain(ports.partUses.get(key), ports.clock.now());
    ports.partUses.set(key, uses);
    return lifetimeAfter(uses);
  };
  const tools = use(opening.tools.map(({ name }) => name).join(" "));
  const instructions = use(id);
  return {
    key: `knack-${fingerprint(turn.place.namespace)}`,
    // What comes first may not end earlier.
    tools: instructions === "hour" ? instructions : tools,
    instructions,
  };
}

/** Tokens from which it pays to keep a conversation while its turn waits. */
const minKeptTokens = 10_000;

/**
 * Has the provider's cache keep a long conversation for an hour before its turn waits for a person, who seldom answers within minutes.
 * Keeps the end with the open calls, which the next request continues. Never fails: the next request then costs more.
 */
export async function keepWhileWaiting(scope: TurnScope): Promise<void> {
  const { transcript, ports, turn, conversation } = scope;
  const model = chosenModel(scope);
  if (model.keeps !== true || transcript === undefined) return;
  if (!isLonger(transcript, minKeptTokens, ports.countTokens)) return;
  const { cache, messages, ...request } = await requestOf(scope, transcript);
  const open = (conversation.open?.tool_calls ?? []).map(({ id, name }): Message => {
    return { role: "tool", call_id: id, tool: name, text: "(not there yet)", is_error: false };
  });
  const kept: ModelRequest = {
    ...request,
    messages: [...messages, ...open],
    cache: cache && { ...cache, tools: "hour", instructions: "hour" },
    keep_only: true,
    can_wait: true,
  };
  try {
    for await (const event of model.stream(kept)) {
      if (event.type === "finished") await scope.emit({ type: "usage", model: event.model, ...event.usage });
    }
  } catch {
    // Intentionally ignored: the next request works without the cache.
    turn.signal.throwIfAborted();
  }
}

/** Returns the same object for the same message: model adapters convert each object only once. */
async function withImages({ ports, loaded }: TurnScope, message: Message): Promise<Message> {
  if (message.role !== "user" && message.role !== "tool") return message;
  if (message.kept_images === undefined) return message;
  const known = loaded.get(message);
  if (known !== undefined) return known;
  const images = await Promise.all(message.kept_images.map((image) => ports.picture(image)));
  const whole = { ...message, images: images.filter((image) => image !== undefined) };
  loaded.set(message, whole);
  return whole;
}

/**
 * The tools of a request after its system messages: those of the opening in their order, then the added ones in theirs; a changed tool
 * keeps its place. `removed` determines whether removed tools stay in the list, for providers whose cache and reasoning depend on it. Calls
 * to them are refused in any case.
 */
export function toolsNow(
  { tools, messages }: Pick<ModelRequest, "tools" | "messages">,
  removed: "keep" | "drop",
): readonly ToolDefinition[] {
  const changes = messages.filter(
    (message) => message.role === "system" && (message.add ?? message.remove) !== undefined,
  );
  if (changes.length === 0) return tools;
  const now = new Map(tools.map((tool) => [tool.name, tool]));
  for (const message of changes) {
    if (message.role !== "system") continue;
    const added = new Set(message.add?.map(({ name }) => name));
    for (const name of message.remove ?? []) if (removed === "drop" && !added.has(name)) now.delete(name);
    for (const tool of message.add ?? []) now.set(tool.name, tool);
  }
  return [...now.values()];
}

/**
 * The request in a form without changes: current instructions and tools, and no system messages. For models that do not accept system
 * messages in mid-conversation.
 */
export function foldedRequest(request: ModelRequest): ModelRequest {
  const changes = request.messages.filter((message) => message.role === "system");
  if (changes.length === 0 && request.no_calls !== true) return request;
  const effort = changes.findLast((message) => message.effort !== undefined)?.effort;
  return {
    ...request,
    system: [request.system, ...changes.map(({ text }) => text)].filter(Boolean).join("\n\n"),
    messages: request.messages.filter((message) => message.role !== "system"),
    tools: request.no_calls === true ? [] : toolsNow(request, "drop"),
    effort: effort ?? request.effort,
  };
}
