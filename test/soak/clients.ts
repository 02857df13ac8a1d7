import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createApiClient } from "../../src/client/api-client.ts";
import { isEphemeral, type TurnEvent } from "../../src/core/log/turn-event.ts";
import { verdictInput } from "../../src/core/values/verdict.ts";
import type { SoakMessage } from "./workload.ts";

/** What clients have seen. */
export interface Seen {
  /** Ids of turns by the key of their message; more than one is a doubled turn. */
  turns: Map<string, Set<string>>;
  /** When a message was posted, and when the bot first said that it has it, by its key; ms. */
  times: Map<string, { posted: number; accepted: number }>;
  /** Stored events as they were streamed, by turn. */
  streamed: Map<string, TurnEvent[]>;
  /** Turns that were followed to their end. */
  ended: Set<string>;
  /** Requests that were sent again because the bot did not answer. */
  retries: number;
  /** What the bot asked people. */
  asked: number;
}

export function emptySeen(): Seen {
  return { turns: new Map(), times: new Map(), streamed: new Map(), ended: new Set(), retries: 0, asked: 0 };
}

/**
 * A client of several processes of one bot. A request goes to any of them, and when it is repeated, to the next: a stream that was cut off
 * goes on at another.
 */
export function clientOf(addresses: readonly string[]): ApiClient {
  const next = new Map<string, number>();
  return createApiClient({
    baseUrl: "http://anywhere",
    reconnect: { first_ms: 50, max_ms: 500, silence_ms: 45_000 },
    fetch(url, init) {
      const path = url.slice("http://anywhere".length);
      const place = next.get(path) ?? Math.floor(Math.random() * addresses.length);
      next.set(path, place + 1);
      return fetch(addresses[place % addresses.length] + path, init);
    },
  });
}

/** Part of the messages that are posted a second time although the bot has answered. */
const duplicated = 0.15;

/** So many clients post the messages, each the next one when its last was answered. Ends when all are, or with the signal. */
export async function runClients(
  client: ApiClient,
  messages: readonly SoakMessage[],
  seen: Seen,
  { clients, signal }: { clients: number; signal: AbortSignal },
): Promise<void> {
  const queue = [...messages];
  const work = async () => {
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      const turnId = await post(client, message, seen, signal);
      if (Math.random() < duplicated) await post(client, message, seen, signal);
      await follow(client, turnId, message, seen, signal);
    }
  };
  const all = await Promise.allSettled(Array.from({ length: clients }, work));
  const failed = all.find((each) => each.status === "rejected");
  if (failed !== undefined && !signal.aborted) throw failed.reason;
}

/** Posts a message under its key until the bot says that it has it. */
async function post(
  client: ApiClient,
  message: SoakMessage,
  seen: Seen,
  signal: AbortSignal,
): Promise<string> {
  const posted = performance.now();
  const { turn_id } = await persist(seen, signal, () => client.submitTurn(message));
  const known = seen.turns.get(message.key) ?? new Set();
  seen.turns.set(message.key, known.add(turn_id));
  if (!seen.times.has(message.key)) seen.times.set(message.key, { posted, accepted: performance.now() });
  return turn_id;
}

/** Follows a turn to its end over all restarts, and answers what it asks. */
async function follow(
  client: ApiClient,
  turnId: string,
  { user }: SoakMessage,
  seen: Seen,
  signal: AbortSignal,
): Promise<void> {
  const answers: Promise<void>[] = [];
  const streamed: TurnEvent[] = [];
  seen.streamed.set(turnId, streamed);
  for await (const event of client.turnEvents(turnId, { signal })) {
    if (!isEphemeral(event)) streamed.push(event);
    if (event.type === "turn_finished") seen.ended.add(turnId);
    else answers.push(answer(client, { turnId, user }, event, seen, signal));
  }
  await Promise.all(answers);
}

/** A person lets some time pass, and then says yes; to a call that the model makes they say it for good. */
async function answer(
  client: ApiClient,
  { turnId, user }: { turnId: string; user: string },
  event: TurnEvent,
  seen: Seen,
  signal: AbortSignal,
): Promise<void> {
  if (event.type !== "approval_requested" && event.type !== "question_asked") return;
  seen.asked += 1;
  await sleep(Math.random() * 300);
  await persist<object>(seen, signal, () =>
    event.type === "question_asked"
      ? client.call("turn.answer", { id: turnId, question_id: event.question_id, text: "yes", user })
      : client.call("approval.decide", {
          id: event.approval_id,
          user,
          ...verdictInput(event.question === undefined ? "always" : "once"),
        }),
  );
}

/** Tries until the bot answers: it may be down. */
export async function persist<T>(seen: Seen, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch {
      seen.retries += 1;
      await sleep(50 + Math.random() * 250, undefined, { signal });
    }
  }
}
