import { idInside } from "../log/call-id.ts";
import { ModelError, type ModelEvent, type ModelRequest } from "../ports/model.ts";
import type { Clock } from "../ports/storage.ts";
import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { AssistantMessage } from "../values/message.ts";
import type { RedactedStream, Redactor } from "../values/redact.ts";
import { type LeftOut, tellLeftOut, untoldOf } from "./left-out-tools.ts";
import { ThoughtLine } from "./thought-line.ts";

/** The model's answer. `note` is what it said about its work outside the text, after which it wrote no more text; empty if it did not. */
type Finished = Extract<ModelEvent, { type: "finished" }> & { note: string };

/** Maximum repeats of a request within one round because tools are left out. */
const maxRepeats = 100;

/**
 * Asks the turn's model and returns its final message. While the model answers, people see its text grow, what it is doing, and the reason
 * for a delay. When the provider leaves out tools that the transcript does not mention yet, the model is told about them and asked again:
 * `request` is called for each attempt.
 * @throws ModelError, or the reason with which the turn was aborted
 */
export async function readAnswer(
  scope: TurnScope,
  request: () => Promise<ModelRequest>,
  repeats = 0,
): Promise<Finished> {
  let untold: LeftOut | undefined;
  const { ports, turn, emit } = scope;
  const model = chosenModel(scope);
  const { clock, redact } = ports;
  const pacer = new TextPacer(clock, redact, (text) => emit({ type: "text_delta", text }));
  const line = new ThoughtLine(clock, (text) => void emit({ type: "model_thought", text }));
  // Redacted before it is cut to a line: half a secret would not be recognised.
  let thought: RedactedStream | undefined;
  const endThought = () => {
    if (thought === undefined) return "";
    thought = undefined;
    return line.end();
  };
  try {
    for await (const event of model.stream(await request())) {
      switch (event.type) {
        case "finished":
          if (thought !== undefined) line.add(thought.end());
          return { ...event, note: endThought() };
        case "text":
          endThought();
          pacer.add(event.text);
          break;
        case "thought":
          thought ??= redact.stream();
          line.add(thought.add(event.text));
          break;
        case "delayed":
          await emit({ type: "model_delayed", text: event.text, until: event.until });
          break;
        case "left_out":
          if (repeats < maxRepeats) untold = untoldOf(scope, event);
          break;
        case "spent":
          await emit({ type: "usage", model: event.model, ...event.usage });
          break;
        case "reset":
          endThought();
          pacer.clear();
          await emit({ type: "text_reset" });
      }
      if (untold !== undefined) break;
    }
  } finally {
    line.end();
    await pacer.flush();
  }
  if (untold !== undefined) {
    await tellLeftOut(scope, untold);
    return readAnswer(scope, request, repeats + 1);
  }
  turn.signal.throwIfAborted();
  throw new ModelError("bad_response", `The model ${model.id} ended without an answer.`);
}

/**
 * Some servers number the calls of each response from the start. Log and transcript need unique ids: if one is in `taken`, all get new ones
 * that begin with `prefix`.
 */
export function withUniqueIds(
  message: AssistantMessage,
  taken: ReadonlySet<string>,
  prefix: string,
): AssistantMessage {
  const seen = new Set(taken);
  const clash = message.tool_calls.some(({ id }) => id === "" || seen.size === seen.add(id).size);
  if (!clash) return message;
  const tool_calls = message.tool_calls.map((call, index) => ({ ...call, id: `${prefix}_${index + 1}` }));
  // Provider blocks name the calls by their old ids and would not match the results.
  return { role: "assistant", text: message.text, tool_calls };
}

/** The ids of calls that a conversation has. */
export function idsIn({ state, conversation, transcript }: TurnScope): Set<string> {
  const own = [...state.calls.keys()].flatMap((id) => idInside(conversation.run, id) ?? []);
  const earlier = (transcript?.messages ?? []).flatMap((each) => (each.role === "tool" ? each.call_id : []));
  return new Set([...own, ...earlier]);
}

/** Minimum interval between two pieces of streamed text, ms: below what people notice. */
const textPaceMs = 16;

/** Joins streamed pieces of text that arrive faster than people can see, and redacts secrets. */
class TextPacer {
  readonly #clock: Clock;
  readonly #redact: Redactor;
  readonly #show: (text: string) => Promise<void>;
  #redacted: RedactedStream;
  #held = "";
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, redact: Redactor, show: (text: string) => Promise<void>) {
    this.#clock = clock;
    this.#redact = redact;
    this.#show = show;
    this.#redacted = redact.stream();
  }

  /**
   * Shows the piece now, or joined with the pieces of the next moments. Text that may be the beginning of a secret is held back until that
   * is clear.
   */
  add(piece: string): void {
    const text = this.#redacted.add(piece);
    if (text === "") return;
    if (this.#cancel === undefined) this.#begin(text);
    else this.#held += text;
  }

  /** Shows the remaining text. Resolves once it is recorded. */
  async flush(): Promise<void> {
    const text = this.#held + this.#redacted.end();
    this.clear();
    if (text !== "") await this.#show(text);
  }

  /** Discards the remaining text. */
  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#held = "";
    this.#redacted = this.#redact.stream();
  }

  #begin(text: string): void {
    this.#cancel = this.#clock.after(textPaceMs, () => {
      this.#cancel = undefined;
      const rest = this.#held;
      this.#held = "";
      if (rest !== "") this.#begin(rest);
    });
    void this.#show(text);
  }
}
