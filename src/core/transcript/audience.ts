/**
 * Who may read what of a thread. A private turn, whose answer is for its asker alone, marks what it did and answered. The stored
 * transcript keeps every message; each model call is sent the view of it that the turn's asker may read. A view depends on the marks and
 * the person alone, so it only ever grows, as the transcript does.
 */

import type { TranscriptStep } from "../log/transcript.ts";
import type { TurnEventBody } from "../log/turn-event.ts";
import { PlatformError } from "../ports/chat-platform.ts";
import type { TurnEnd } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { AssistantMessage, Message } from "../values/message.ts";

/** Stands for a private exchange where somebody else asks. The same object each time: adapters convert each object once. */
const hidden: AssistantMessage = {
  role: "assistant",
  text: "[I answered this for the person who asked alone: others may not read what it was about. It cannot be repeated here.]",
  tool_calls: [],
};

/** Whether a turn answered its asker alone. */
export function isPrivateTurn(events: readonly TurnEventBody[]): boolean {
  return events.some(
    (event) => event.type === "answer_private" || (event.type === "turn_finished" && event.private === true),
  );
}

/** The message, for this person alone. What people said in the thread and what is told of the channel stays everybody's. */
export function onlyFor(person: string, message: Message): Message {
  const isPublic = message.role === "system" || (message.role === "user" && message.said !== "");
  return isPublic ? message : { ...message, only_for: person };
}

/** The steps of a private turn, for its asker alone. Guides told in its results are not known to others, so they count as untold. */
export function privateSteps(person: string, steps: readonly TranscriptStep[]): TranscriptStep[] {
  return steps.map((step) => {
    if (step.kind === "message") return { ...step, message: onlyFor(person, step.message) };
    if (step.kind === "activate") return { ...step, guide: undefined };
    if (step.kind !== "open") return step;
    const { messages, own } = step.with;
    const from = messages.length - own;
    const marked = messages.map((message, at) => (at < from ? message : onlyFor(person, message)));
    return { ...step, with: { ...step.with, messages: marked } };
  });
}

/** The messages as this person may read them, or everybody unless given: each private exchange of somebody else is one fixed line. */
export function viewOf(messages: readonly Message[], person?: string): Message[] {
  let isHidden = false;
  return messages.flatMap((message): Message[] => {
    if (message.role === "system") return [message];
    const isFirst = !isHidden;
    isHidden = message.only_for !== undefined && message.only_for !== person;
    return isHidden ? (isFirst ? [hidden] : []) : [message];
  });
}

/** Notes that the turn is private when its asker's view holds private text: the answer may repeat it. */
export async function keepPrivate(scope: TurnScope, messages: readonly Message[]): Promise<void> {
  const { state, turn, emit } = scope;
  const isTheirs = (message: Message) => message.role !== "system" && message.only_for === turn.author.id;
  if (state.private || !messages.some(isTheirs)) return;
  const because =
    "an earlier answer in this thread was; ask in a new thread for an answer that everybody sees";
  await emit({ type: "answer_private", because });
}

/** The end of a turn. Who may no longer read where it was read is not told what it says there. */
export async function endForReader({ state, turn, ports }: TurnScope, end: TurnEnd): Promise<TurnEnd> {
  const actions = ports.chats.actions(turn.place.namespace);
  for (const namespace of state.read_in) {
    try {
      if ((await actions?.access(namespace, turn.author.id)) !== undefined) continue;
    } catch (error) {
      // It was readable when it was read, moments ago.
      if (error instanceof PlatformError) continue;
      throw error;
    }
    const text = "You can no longer read a channel that this answer is about, so I cannot show it to you.";
    return { outcome: end.outcome, text };
  }
  return end;
}

/** Why a call of a private turn asks that would leave something where others can see it. */
export const sharingReason = "What I read for you alone may be in it, and others here could see it.";
