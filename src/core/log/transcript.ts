/**
 * The conversation of a thread as models get it: an opening, followed by messages that are only ever appended. It is a fold over steps, and
 * steps are read from turn events, so that every worker rebuilds the same transcript, byte for byte.
 */

import type { Seen } from "../values/address.ts";
import type { Message, SystemMessage, ToolDefinition } from "../values/message.ts";
import type { CountTokens } from "../values/profile.ts";
import type { Told } from "../values/told.ts";
import { noteMessage, type ReadSoFar, readAtOpening } from "../values/untrusted.ts";
import type { TranscriptOpening } from "./turn-event.ts";

/** The beginning of a transcript. Threads that open while the channel is unchanged share one opening, which is stored once. */
export interface Opening {
  instructions: string;
  tools: readonly ToolDefinition[];
  told: Told;
}

/** The change that one turn event makes to the transcript. */
export type TranscriptStep =
  | { kind: "open"; with: TranscriptOpening }
  | { kind: "message"; message: Message }
  | { kind: "change"; message: SystemMessage; told: Partial<Told> }
  /** A turn works in the background, or its end has been told. */
  | { kind: "background"; turn_id: string; ended: boolean }
  | { kind: "activate"; skill_id: string; guide: string | undefined }
  /** The result of a call has told the model. */
  | { kind: "offload"; skill_id: string }
  /** Addresses and strangers' text that entered the thread. */
  | { kind: "seen"; seen: Seen }
  /** The provider's token count for the request with the last message and for its answer. */
  | { kind: "measured"; tokens: number; at: number };

export interface Transcript {
  /** Name of the stored opening. */
  readonly id: string;
  readonly opening: Opening;
  messages: Message[];
  told: Told;
  /** The tools that the model has been given and that have not been removed since. */
  tools: Map<string, ToolDefinition>;
  /** The untrusted parts of the transcript. */
  readonly read: ReadSoFar;
  /** Turns that work in the background and whose end the model has not been told. */
  readonly background: Set<string>;
  /** Skills that the agent activated in this thread. */
  active: Set<string>;
  /** Skills that the agent offloaded in this thread. */
  offloaded: Set<string>;
  /** Tokens of a request without the uncounted messages: the provider's count, plus an estimate of later messages. */
  tokens: number;
  /** Messages at the end whose tokens are not estimated yet. */
  uncounted: Message[];
  /** Tokens right after opening. */
  tokens_at_opening: number;
  /** When a model was last called with the transcript, ms since the epoch. */
  called_at?: number;
}

/** Creates a transcript from its opening. */
export function openTranscript(
  opening: Opening,
  opened: TranscriptOpening,
  countTokens: CountTokens,
): Transcript {
  const { opening: id, messages, active, offloaded, background } = opened;
  const tokens = estimateOf({ opening, messages }, countTokens);
  return {
    id,
    opening,
    messages: [...messages],
    told: opening.told,
    tools: new Map(opening.tools.map((tool) => [tool.name, tool])),
    read: readAtOpening(opened, Object.keys(opening.told.active)),
    background: new Set(background),
    active: new Set(active),
    offloaded: new Set(offloaded),
    tokens,
    uncounted: [],
    tokens_at_opening: tokens,
  };
}

/** Estimated tokens of a request with the whole transcript, regardless of the provider's counts. */
export function estimateOf(
  { opening, messages }: { opening: Opening; messages: readonly Message[] },
  countTokens: CountTokens,
): number {
  return messages.reduce(
    (sum, message) => sum + tokensOf(message, countTokens),
    countTokens(opening.instructions) + countTokens(JSON.stringify(opening.tools)),
  );
}

/** Applies a step other than an opening to the transcript. */
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
    case "background":
      if (step.ended) transcript.background.delete(step.turn_id);
      else transcript.background.add(step.turn_id);
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
      offload(transcript, step.skill_id);
      break;
    case "seen":
      break;
    case "measured":
      transcript.called_at = step.at;
      // Ignores providers that count too few tokens or none.
      if (step.tokens < transcript.tokens) break;
      transcript.tokens = step.tokens;
      transcript.uncounted = [];
      break;
    default:
      step satisfies never;
  }
}

/** The parts of a skill go with it. */
function offload(transcript: Transcript, skillId: string): void {
  for (const id of transcript.active) if (isOfSkill(id, skillId)) transcript.active.delete(id);
  transcript.offloaded.add(skillId);
  transcript.told = { ...transcript.told, active: without(transcript.told.active, skillId) };
}

/** Whether an id is that of the skill or of one of its parts. */
export function isOfSkill(id: string, skillId: string): boolean {
  return id === skillId || id.startsWith(`${skillId}#`);
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record;
  return rest;
}

// transcript-1
function append(transcript: Transcript, message: Message): void {
  transcript.messages.push(message);
  noteMessage(transcript.read, message);
  transcript.uncounted.push(message);
}

/** Whether a request with the whole transcript exceeds a number of tokens. */
export function isLonger(transcript: Transcript, tokens: number, countTokens: CountTokens): boolean {
  // Counting is slow, and most transcripts are below their limit even counted in characters.
  const upperBound = transcript.uncounted.reduce((sum, message) => sum + tokensOf(message, charactersOf), 0);
  return transcript.tokens + upperBound > tokens && tokensIn(transcript, countTokens) > tokens;
}

/** Tokens of a request with the whole transcript. */
export function tokensIn(transcript: Transcript, countTokens: CountTokens): number {
  for (const message of transcript.uncounted) transcript.tokens += tokensOf(message, countTokens);
  transcript.uncounted = [];
  return transcript.tokens;
}

/** Upper bound of a text's tokens: a token is hardly ever shorter than a character. */
function charactersOf(text: string): number {
  return text.length;
}

/** Bytes of a picture per token. Providers bill about 1,600 tokens a picture and limit the bytes of a request. */
const imageBytesPerToken = 300;
const minImageTokens = 1_600;

/** Estimated tokens of a message. */
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
      // Reasoning is returned encrypted or signed, at about four characters a token.
      const own = message.provider_blocks;
      const reasoning = own === undefined ? 0 : Math.max(0, JSON.stringify(own.blocks).length / 4 - text);
      return Math.ceil(text + calls + reasoning);
    }
    default:
      return (message.kept_images ?? []).reduce(
        (sum, { bytes }) => sum + Math.max(minImageTokens, Math.ceil(bytes / imageBytesPerToken)),
        text,
      );
  }
}

/** The message as another transcript may take it over: without the parts that belong to the request it answered. */
export function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || message.provider_blocks === undefined) return message;
  const { provider_blocks: _, ...rest } = message;
  return rest;
}

/** A finished turn of a thread, in the form that a new transcript can carry over. */
export interface PastTurn {
  turn_id: string;
  /** The messages, calls and answers, without reasoning and without notes about changes. */
  messages: readonly Message[];
  /** Ids of the root skills that the turn activated or called. */
  used: readonly string[];
  /** The turns that it began in the background. */
  background: readonly string[];
  /** The run details are deleted: only a question and an answer remain, and it is unknown which untrusted text the answer repeats. */
  bare: boolean;
  /** Summary that replaces all turns up to and including `through_turn`; written when this turn opened a transcript. */
  summary?: { text: string; through_turn: string } | undefined;
}

/** The history of a thread before a turn. */
export interface PastThread {
  /** The steps of its transcript from the latest opening on; empty if there is no transcript. */
  readonly steps: readonly TranscriptStep[];
  /** False when some text of the transcript has been deleted since: it must not be sent any more. */
  readonly intact: boolean;
  /** Number of deleted turns of the thread at the time of reading. */
  readonly deletions: number;
  /** The finished turns, newest first. */
  turns(): AsyncIterable<PastTurn>;
}
