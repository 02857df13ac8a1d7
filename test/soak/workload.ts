import type { PlatformModel } from "../support/bot/platform-model.ts";

/** A message that a client sends, in its thread. */
export interface SoakMessage {
  key: string;
  namespace: string;
  thread: string;
  user: string;
  text: string;
}

/**
 * What the model does for a message, by the word in it, round by round: `effect` is a flow that sends something, `asked` one that asks
 * a person first and then sends, `question` a question of the agent itself.
 */
const rounds: Readonly<Record<string, readonly (readonly string[])[]>> = {
  plain: [],
  effect: [["effect"]],
  asked: [["asked"]],
  parallel: [["effect", "asked", "effect"]],
  question: [["question"], ["effect"]],
};

const kinds = Object.keys(rounds);

/** Who writes the messages that come to a thread one right after the other. Those of one person may be merged; the others queue. */
const people = ["ada", "ben", "ada"];

/** So many messages, spread over the threads; five threads share a namespace. */
export function messagesFor(messages: number, threads: number): SoakMessage[] {
  return Array.from({ length: messages }, (_, at) => {
    const thread = Math.floor(at / people.length) % threads;
    return {
      key: `soak-${at}`,
      namespace: `console:local:soak-${Math.floor(thread / 5)}`,
      thread: `thread-${thread}`,
      user: people[at % people.length] ?? "",
      text: `message-${at} ${kinds[at % kinds.length]}`,
    };
  });
}

/** A message to the bot on a platform, in a thread of its own. */
export interface ChatMessage {
  number: number;
  text: string;
}

/** So many messages on a platform, numbered from `first`. The agent's own questions are left to the clients. */
export function chatMessagesFor(messages: number, first: number): ChatMessage[] {
  const asked = kinds.filter((kind) => kind !== "question");
  return Array.from({ length: messages }, (_, at) => ({
    number: first + at,
    text: `message-${first + at} ${asked[at % asked.length]}`,
  }));
}

/** The flows that the model calls, as files of the workspace. */
export function flowsFor(effectUrl: string): Record<string, string> {
  const start = {
    type: "start",
    config: { variables: [{ name: "id", value: "", category: "required", description: "What is sent." }] },
  };
  const id = "$" + "{id}";
  const send = { type: "apiCall", config: { url: `${effectUrl}/${id}`, method: "POST" } };
  const ask = { type: "approval", config: { question: `Send ${id}?` } };
  const flow = (name: string, steps: readonly object[]) =>
    JSON.stringify({ name, description: `Sends what has the id. Kind: ${name}.`, steps: [start, ...steps] });
  return { effect: flow("effect", [send]), asked: flow("asked", [ask, send]) };
}

/**
 * Lets the model work through the rounds of the last message it sees, and then say which effects it knows to be done. The ids of effects
 * are the same whenever it is asked again.
 */
export function playScript(model: PlatformModel): void {
  model.when("", ({ text, results }) => {
    const [, message = "", kind = ""] = [...text.matchAll(/message-(\d+) (\w+)/g)].at(-1) ?? [];
    const calls = (rounds[kind] ?? []).flatMap((round, at) =>
      round.map((call, which) => ({ round: at, call, id: `${message}-${at}-${which}` })),
    );
    const next = calls[results.length];
    if (next === undefined) return [answerTo(message), ...results.map(toldIn)];
    return calls
      .filter(({ round }) => round === next.round)
      .map(({ call, id }) =>
        call === "question"
          ? { call: "ask_user", with: { question: `May message-${message} go on?` } }
          : { call, with: { id } },
      );
  });
}

/** How the answer to a message begins. */
export function answerTo(number: number | string): string {
  return `Answer to message-${number}.`;
}

/** ` Done: 17-0-1.` for an effect that a result tells of, or that nobody knows. */
function toldIn(result: string): string {
  const [, id] = /noted (\d+-\d+-\d+)/.exec(result) ?? [];
  if (id !== undefined) return ` Done: ${id}.`;
  return result.includes("outcome_unknown") ? " Unknown." : "";
}

/** Ids of the effects that an answer says are done. */
export function doneIn(answer: string): string[] {
  return [...answer.matchAll(/Done: ([\d-]+)\./g)].map(([, id = ""]) => id);
}
