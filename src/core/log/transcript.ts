/**
 * The conversation of a thread as models get it: an opening, then messages that are only ever appended. It is a fold over
 * steps, and steps are read from turn events, so that every worker rebuilds the same transcript, byte for byte.
 */

import { noteMessage, type ReadSoFar, readAtOpening, type Seen, type Told } from "../values/address.ts";
import type { Message, SystemMessage, ToolDefinition } from "../values/message.ts";
import type { CountTokens } from "../values/profile.ts";
import type { TranscriptOpening } from "./turn-event.ts";

/** What a transcript begins with. The same for all threads that begin while the channel is the same, and stored once. */
export interface Opening {
  instructions: string;
  tools: readonly ToolDefinition[];
  told: Told;
}

/** What one turn event means for the transcript. */
export type TranscriptStep =
  | { kind: "open"; with: TranscriptOpening }
  | { kind: "message"; message: Message }
  | { kind: "change"; message: SystemMessage; told: Partial<Told> }
  | { kind: "activate"; skill_id: string; guide: string | undefined }
  /** The result of a call has told it. */
  | { kind: "offload"; skill_id: string }
  /** Addresses and strangers' text that came into the thread. */
  | { kind: "seen"; seen: Seen }
  /** The provider counted the request of the last message and its answer. */
  | { kind: "measured"; tokens: number; at: number };

export interface Transcript {
  /** Names the stored opening. */
  readonly id: string;
  readonly opening: Opening;
  messages: Message[];
  told: Told;
  /** The tools the model has been given, and not been told are gone. */
  tools: Map<string, ToolDefinition>;
  /** What of it is untrusted. */
  readonly read: ReadSoFar;
  /** Skills the agent activated in this thread. */
  active: Set<string>;
  /** Skills that are active by themselves, and that the agent put away in this thread. */
  offloaded: Set<string>;
  /** Tokens of a request with all but the uncounted: as the provider counted, plus an estimate of what came since. */
  tokens: number;
  /** The messages at the end whose tokens are not estimated yet. */
  uncounted: Message[];
  /** Tokens right after it opened. */
  tokens_at_opening: number;
  /** When a model was last called with it, ms since the epoch. */
  called_at?: number;
}

/** A transcript that has just opened. */
export function openTranscript(
  opening: Opening,
  opened: TranscriptOpening,
  countTokens: CountTokens,
): Transcript {
  const { opening: id, messages, active, offloaded } = opened;
  const tokens = estimate(opening, messages, countTokens);
  return {
    id,
    opening,
    messages: [...messages],
    told: opening.told,
    tools: new Map(opening.tools.map((tool) => [tool.name, tool])),
    read: readAtOpening(opened, Object.keys(opening.told.active)),
    active: new Set(active),
    offloaded: new Set(offloaded),
    tokens,
    uncounted: [],
    tokens_at_opening: tokens,
  };
}

/** Tokens of a request with all of it by the estimate alone, whatever the provider has counted. */
export function estimateOf({ opening, messages }: Transcript, countTokens: CountTokens): number {
  return estimate(opening, messages, countTokens);
}

function estimate(opening: Opening, messages: readonly Message[], countTokens: CountTokens): number {
  return messages.reduce(
    (sum, message) => sum + tokensOf(message, countTokens),
    countTokens(opening.instructions) + countTokens(JSON.stringify(opening.tools)),
  );
}

/** Extends the transcript by a step that is not an opening. */
export function extendTranscript(
  transcript: Transcript,
  step: Exclude<TranscriptStep, { kind: "open" }>,
): void {
  switch (step.kind) {
    case "message":
      append(transcript, step.message);
      break;
    case "change":
      append(transcript, step.message);
      transcript.told = { ...transcript.told, ...step.told };
      for (const id of Object.keys(step.told.active ?? {})) transcript.read.guides.add(id);
      for (const name of step.message.remove ?? []) transcript.tools.delete(name);
      for (const tool of step.message.add ?? []) transcript.tools.set(tool.name, tool);
      break;
    case "activate":
      transcript.active.add(step.skill_id);
      transcript.read.guides.add(step.skill_id);
      transcript.offloaded.delete(step.skill_id);
      if (step.guide !== undefined) {
        const active = { ...transcript.told.active, [step.skill_id]: step.guide };
        transcript.told = { ...transcript.told, active };
      }
      break;
    case "offload":
      transcript.active.delete(step.skill_id);
      transcript.offloaded.add(step.skill_id);
      transcript.told = { ...transcript.told, active: without(transcript.told.active, step.skill_id) };
      break;
    case "seen":
      break;
    case "measured":
      transcript.called_at = step.at;
      // A provider that counts too little, or not at all, is not believed.
      if (step.tokens < transcript.tokens) break;
      transcript.tokens = step.tokens;
      transcript.uncounted = [];
      break;
    default:
      step satisfies never;
  }
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record;
  return rest;
}

function append(transcript: Transcript, message: Message): void {
  transcript.messages.push(message);
  noteMessage(transcript.read, message);
  transcript.uncounted.push(message);
}

/** Whether a request with all of it has more than so many tokens. */
export function isLonger(transcript: Transcript, tokens: number, countTokens: CountTokens): boolean {
  // Counting takes time; most transcripts are short of their limit in characters.
  const most = transcript.uncounted.reduce((sum, message) => sum + tokensOf(message, charactersOf), 0);
  return transcript.tokens + most > tokens && tokensIn(transcript, countTokens) > tokens;
}

/** Tokens of a request with all of it. */
export function tokensIn(transcript: Transcript, countTokens: CountTokens): number {
  for (const message of transcript.uncounted) transcript.tokens += tokensOf(message, countTokens);
  transcript.uncounted = [];
  return transcript.tokens;
}

/** A token has hardly ever less than a character. */
function charactersOf(text: string): number {
  return text.length;
}

/** Bytes of a picture that weigh as much as a token: providers bill about 1,600 tokens a picture, and bound a request's bytes. */
const imageBytesPerToken = 300;
const leastImageTokens = 1_600;

/** Tokens of a message, estimated. */
export function tokensOf(message: Message, countTokens: CountTokens): number {
  const text = 4 + countTokens(message.text);
  switch (message.role) {
    case "system":
      return message.add === undefined ? text : text + countTokens(JSON.stringify(message.add));
    case "assistant": {
      const calls = message.tool_calls.reduce(
        (sum, { name, arguments: input }) => sum + countTokens(name) + countTokens(input) + 8,
        0,
      );
      // Reasoning comes back encrypted or signed: about four characters a token.
      const own = message.provider_blocks;
      const reasoning = own === undefined ? 0 : Math.max(0, JSON.stringify(own.blocks).length / 4 - text);
      return Math.ceil(text + calls + reasoning);
    }
    default:
      return (message.kept_images ?? []).reduce(
        (sum, { bytes }) => sum + Math.max(leastImageTokens, Math.ceil(bytes / imageBytesPerToken)),
        text,
      );
  }
}

/** A message without what is bound to the request it answered: how it is carried into another transcript. */
export function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || message.provider_blocks === undefined) return message;
  const { provider_blocks: _, ...rest } = message;
  return rest;
}

/** A finished turn of a thread, as a new transcript may carry it over. */
export interface PastTurn {
  turn_id: string;
  /** What was said, done and answered, without reasoning and without what only told of changes. */
  messages: readonly Message[];
  /** The skills it activated or called, by id of the root. */
  used: readonly string[];
  /** Its run details are deleted: a question and an answer are left, and nobody can tell what untrusted text the answer repeats. */
  bare: boolean;
  /** Stands for all turns up to and including `through_turn`; made when this turn opened a transcript. */
  summary?: { text: string; through_turn: string } | undefined;
}

/** What is known of a thread before a turn. */
export interface PastThread {
  /** The steps of its transcript, beginning with the latest opening; empty without one. */
  readonly steps: readonly TranscriptStep[];
  /** False when something the transcript says was deleted since: it must not be sent any more. */
  readonly intact: boolean;
  /** How many turns of the thread had been deleted when this was read. */
  readonly deletions: number;
  /** The finished turns, newest first. */
  turns(): AsyncIterable<PastTurn>;
}
