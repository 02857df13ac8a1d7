/**
 * Who may read which parts of a thread. A private turn, whose answer only its asker may read, marks its actions and answers. The stored
 * transcript keeps every message; each model call gets the part that the turn's asker may read. This view depends only on the marks and the
 * person, so it only ever grows, as the transcript does.
 */

import type { TranscriptStep } from "../log/transcript.ts";
import type { TurnEventBody } from "../log/turn-event.ts";
import { PlatformError } from "../ports/chat-platform.ts";
import type { TurnEnd } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { AssistantMessage, Message } from "../values/message.ts";

/** Replaces a private exchange in other people's views. Intentionally the same object each time: model adapters convert each object only once. */
const hidden: AssistantMessage = {
  role: "assistant",
  text: "[I answered this for the person who asked alone: others may not read what it was about. It cannot be repeated here.]",
  tool_calls: [],
};

/** Whether only the asker may read a turn's answer. */
export function isPrivateTurn(events: readonly TurnEventBody[]): boolean {
  return events.some(
    (event) => event.type === "answer_private" || (event.type === "turn_finished" && event.private === true),
  );
}

/**
 * Marks a message as readable by this person only. People's own messages in the thread, and system messages about the channel, stay
 * readable by everybody.
 */
export function onlyFor(person: string, message: Message): Message {
  const isPublic = message.role === "system" || (message.role === "user" && message.said !== "");
  return isPublic ? message : { ...message, only_for: person };
}

/** The steps of a private turn, readable by its asker only. Others do not see guides in its results, so these do not count as told. */
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

/**
 * The messages that this person may read; without a person, those that everybody may read. Each private exchange of another person is
 * replaced by one fixed line.
 */
export function viewOf(messages: readonly Message[], person?: string): readonly Message[] {
  const isOpen = (message: Message) =>
    message.role === "system" || message.only_for === undefined || message.only_for === person;
  if (messages.every(isOpen)) return messages;
  let isHidden = false;
  return messages.flatMap((message): Message[] => {
    if (message.role === "system") return [message];
    const isFirst = !isHidden;
    isHidden = !isOpen(message);
    return isHidden ? (isFirst ? [hidden] : []) : [message];
  });
}

/** Marks the turn as private if its asker's view contains private text, because the answer may repeat it. */
export async function keepPrivate(scope: TurnScope, messages: readonly Message[]): Promise<void> {
  const { state, turn, emit } = scope;
  const isTheirs = (message: Message) => message.role !== "system" && message.only_for === turn.author.id;
  if (state.private || !messages.some(isTheirs)) return;
  const because =
    "an earlier answer in this thread was; ask in a new thread for an answer that everybody sees";
  await emit({ type: "answer_private", because });
}

/** The end of a turn. An asker who has lost access to a channel that the turn read does not get the answer. */
export async function endForReader({ state, turn, ports }: TurnScope, end: TurnEnd): Promise<TurnEnd> {
  const actions = ports.chats.actions(turn.place.namespace);
  for (const namespace of state.read_in) {
    try {
      if ((await actions?.access(namespace, turn.author.id)) !== undefined) continue;
    } catch (error) {
      // It was readable moments ago, when the turn read it.
      if (error instanceof PlatformError) continue;
      throw error;
    }
    const text = "You can no longer read a channel that this answer is about, so I cannot show it to you.";
    return { outcome: end.outcome, text };
  }
  return end;
}

/** Why a private turn asks before a call whose effect others could see. */
export const sharingReason = "It may contain text that I read only for you, and others here could see it.";
