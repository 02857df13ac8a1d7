import { setTimeout as sleep } from "node:timers/promises";
import type { Surface } from "../support/bot/platform-surface.ts";
import { endsOf, type Line, refuse, type StoredTurn, tell } from "./report.ts";
import { answerTo, type ChatMessage } from "./workload.ts";

/** People who write at the same time on one platform. */
const people = 4;

/** How often somebody looks at their thread, and presses what is there to press, once more if it is still there; ms. */
const lookMs = 500;

/** A platform, and what people say there. */
export interface Talk {
  surface: Surface;
  messages: readonly ChatMessage[];
  /** The threads of messages, by number. */
  threads: Map<number, string>;
}

/** People mention the bot, one message after the other, and approve what it asks. Ends when all are answered, or with the signal. */
export async function talk(
  { surface, messages, threads }: Talk,
  { signal, answered }: { signal: AbortSignal; answered(): void },
): Promise<void> {
  const queue = [...messages];
  const work = async () => {
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      const thread = await surface.ask(message.text);
      threads.set(message.number, thread);
      while (!signal.aborted && (await answersIn(surface, thread, message)) === 0) {
        for (const label of ["Approve once", "Approve"]) await surface.pressAll(thread, label, "manager");
        await sleep(lookMs);
      }
      answered();
    }
  };
  await Promise.all(Array.from({ length: people }, work));
}

/** Messages that show the answer. */
async function answersIn(surface: Surface, thread: string, message: ChatMessage): Promise<number> {
  return answersAmong(await surface.shown(thread), message);
}

function answersAmong(posts: readonly string[], { number }: ChatMessage): number {
  return posts.filter((text) => text.includes(answerTo(number))).length;
}

/** What a platform shows of a message, and what the bot has stored. */
interface Outcome {
  /** The turn's id, or the message's number if there is none. */
  name: string;
  turns: readonly StoredTurn[];
  posts: readonly string[];
  answers: number;
}

/** What was lost or doubled on a platform, and what it shows in the threads. */
export async function judgeTalk(
  { surface, messages, threads }: Talk,
  stored: readonly (readonly StoredTurn[])[],
): Promise<{ lines: Line[]; shown: Outcome[] }> {
  const shown = await Promise.all(
    messages.map(async (message): Promise<Outcome> => {
      const turns = stored.flat().filter(({ events }) => JSON.stringify(events[0]).includes(message.text));
      const posts = await surface.shown(threads.get(message.number) ?? "");
      const name = turns[0]?.id ?? String(message.number);
      return { name, turns, posts, answers: answersAmong(posts, message) };
    }),
  );
  const refused = (what: string, fits: (outcome: Outcome) => boolean) =>
    refuse(
      `${what} on ${surface.name}`,
      shown.filter(fits).map(({ name }) => name),
    );
  const lines = [
    tell(`messages on ${surface.name}`, messages.length),
    refused("lost", ({ answers }) => answers === 0),
    refused("doubled posts", ({ answers }) => answers > 1),
    refused("doubled turns", ({ turns }) => turns.length > 1),
    refused("failed turns", ({ turns }) =>
      turns.some((turn) => endsOf(turn).length !== 1 || endsOf(turn)[0]?.outcome !== "completed"),
    ),
  ];
  return { lines, shown };
}
