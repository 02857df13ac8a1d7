import { createSeenAddresses, type SeenAddresses, see, seenInMessages } from "../values/address.ts";
import type { AssistantMessage, CutAnswer, Message } from "../values/message.ts";
import type { CountTokens } from "../values/profile.ts";
import { idInside } from "./call-id.ts";
import {
  extendTranscript,
  isOfSkill,
  type Opening,
  openTranscript,
  type Transcript,
  type TranscriptStep,
} from "./transcript.ts";
import { StepReader } from "./transcript-steps.ts";
import { directRun, type TurnEventBody } from "./turn-event.ts";

/** The current outage of the model and the number of attempts since. */
export interface AwayState {
  /** ms since the epoch. */
  since: number;
  tries: number;
  /** Time of the next attempt, ms since the epoch. */
  until?: number | undefined;
}

/** The openings of the transcripts of a turn, by the names in its events. */
export type KnownOpenings = Map<string, Opening>;

/**
 * The conversation of a turn, or of one of its sub-runs, with its model: a fold over the events of the turn. The live loop and the replay
 * after a crash use the same fold.
 */
export class Conversation {
  /** The call whose sub-run this is; undefined for the turn itself. */
  readonly run: string | undefined;
  rounds = 0;
  /** The model's last message in this turn. */
  last: AssistantMessage | undefined;
  /** Why that message is incomplete. */
  cut: CutAnswer | undefined;
  /** Text that the model has streamed in the unfinished round. */
  streamed = "";
  /** Undefined while the model answers. */
  away: AwayState | undefined;
  /** Skills activated in this turn → the call that activated them; undefined for skills that a person requested by name. */
  readonly activated = new Map<string, string | undefined>();
  /** Undefined until a transcript has opened, and while its opening is lost. */
  transcript: Transcript | undefined;
  /** Whether the model has been told the person's message. */
  told = false;
  /** Turns in the background whose end the model was told right before the person's message. */
  readonly told_ends = new Set<string>();
  /** Index of the turn's first own message in the transcript. */
  own_from = 0;
  /** The turn's messages while they belong to no transcript. */
  readonly untold: Message[] = [];
  /** Number of deleted turns of the thread when this turn opened the current transcript; undefined if it did not open one. */
  opened_after: number | undefined;
  /** Addresses seen in the thread before the turn, or carried over by its transcript; and addresses seen in the turn. */
  readonly seen: { thread: SeenAddresses; turn: SeenAddresses };
  readonly #steps: StepReader;
  readonly #openings: KnownOpenings;
  readonly #countTokens: CountTokens;

  constructor(turnId: string, run: string | undefined, openings: KnownOpenings, countTokens: CountTokens) {
    this.run = run;
    this.seen = { thread: createSeenAddresses(), turn: createSeenAddresses() };
    this.#steps = new StepReader(turnId, run);
    this.#openings = openings;
    this.#countTokens = countTokens;
  }

  /** The last model message, while some of its calls have no result. */
  get open(): AssistantMessage | undefined {
    return this.#steps.open;
  }

  /** Continues the thread's transcript with a step from before the turn. */
  continueWith(step: TranscriptStep): void {
    this.#take(step, this.seen.thread);
  }

  /** Applies the next event. `at` is its time, ms since the epoch. */
  apply(event: TurnEventBody, at: number): void {
    this.#note(event);
    for (const step of this.#steps.read(event, at)) {
      if (this.transcript === undefined && step.kind === "message") this.untold.push(step.message);
      this.#take(step, this.seen.turn);
    }
    if (event.type === "transcript_opened")
      this.own_from = (this.transcript?.messages.length ?? event.own) - event.own;
  }

  #take(step: TranscriptStep, into: SeenAddresses): void {
    if (step.kind === "seen") see(into, step.seen);
    else if (step.kind === "open") {
      this.seen.thread = createSeenAddresses();
      see(this.seen.thread, step.with.seen ?? seenInMessages(step.with.messages));
      const opening = this.#openings.get(step.with.opening);
      this.transcript = opening && openTranscript(opening, step.with, this.#countTokens);
    } else if (this.transcript !== undefined) extendTranscript(this.transcript, step);
  }

  #note(event: TurnEventBody): void {
    switch (event.type) {
      case "text_delta":
        this.streamed += event.text;
        break;
      case "text_reset":
      case "run":
        this.streamed = "";
        break;
      case "round_started":
        this.rounds = event.round;
        this.streamed = "";
        break;
      case "model_message":
        this.streamed = "";
        this.away = undefined;
        this.last = event.message;
        this.cut = event.cut;
        break;
      case "model_away":
        this.rounds = event.rounds;
        this.away = { since: event.since, tries: (this.away?.tries ?? 0) + 1, until: event.until };
        break;
      case "steered":
        // A message during an open call answers that call's question. Otherwise the model continues with it.
        if (this.open === undefined) this.last = undefined;
        break;
      case "transcript_opened":
        this.opened_after = event.deletions;
        this.told ||= event.own > 0;
        break;
      case "user_message":
        this.told = true;
        this.own_from = this.transcript?.messages.length ?? 0;
        break;
      case "background_ended":
        if (!this.told) this.told_ends.add(event.from_turn);
        break;
      case "skill_activated":
        this.activated.set(event.skill_id, event.call_id);
        break;
      case "skill_offloaded":
        for (const id of this.activated.keys()) if (isOfSkill(id, event.skill_id)) this.activated.delete(id);
        break;
    }
  }
}

/** Whether an event belongs to the conversation of a sub-run: its own part, the calls of its model, messages of the asker. */
export function isOfRun(run: string, event: TurnEventBody): boolean {
  if (event.type === "run") return event.call_id === run;
  if (event.type === "usage") return event.run === run;
  if (event.type === "steered") return run === directRun;
  return "call_id" in event && event.call_id !== undefined && idInside(run, event.call_id) !== undefined;
}
