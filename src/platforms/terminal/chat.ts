import type { TurnWithEvents } from "../../client/shapes.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import type { ChatOptions } from "./chat-options.ts";
import { type ChatSession, createChatSession } from "./chat-session.ts";
import { finalLines } from "./final-lines.ts";
import { plainLine, plainText } from "./plain-text.ts";

/**
 * A conversation in the terminal until `/exit`, the end of the input, or Ctrl-C twice. On a terminal, lines are edited and
 * progress is redrawn in place; otherwise each line of the input is a message and the output only grows.
 */
export async function runChat(options: ChatOptions): Promise<void> {
  const { client, namespace } = options;
  const earlier =
    options.thread === undefined
      ? []
      : (await client.call("thread.show", { ns: namespace, thread: options.thread })).turns;
  const about = await client.call("bot.about", {});
  const session = createChatSession(
    options,
    earlier.map(({ turn }) => plainText(turn.question)),
  );
  const { paint, say } = session;
  try {
    if (session.interactive) {
      say(`${paint.bold(plainLine(about.name))} ${paint.dim(`· ${about.model} · ${namespace}`)}`);
      say(
        paint.dim(
          "/exit leaves, /new starts a new thread, /file PATH attaches a file, /skill list shows what I can do, Tab completes.",
        ),
      );
      if (earlier.length === 0) {
        for (const idea of about.suggestions) say(paint.dim(`  e.g. ${plainLine(idea)}`));
      }
    }
    const running = showThread(earlier, session);
    if (running !== undefined) await session.follow(running.turn.turn_id, running.events);
    await converse(session);
    if (session.interactive && session.thread() !== undefined) {
      say(paint.dim(`Continue later with: knack chat --namespace ${namespace} --thread ${session.thread()}`));
    }
  } finally {
    session.close();
  }
}

async function converse(session: ReturnType<typeof createChatSession>): Promise<void> {
  for (;;) {
    const line = (await session.read())?.trim();
    if (line === undefined || line === "/exit" || line === "/quit") return;
    if (line === "") continue;
    if (line === "/new") session.startThread();
    else if (line === "/file" || line.startsWith("/file ")) await session.attach(line.slice(5));
    else await session.send(line);
  }
}

const shownTurns = 5;

/** Shows the last turns of a thread. Returns the unfinished turn, for `follow`. */
function showThread(
  turns: readonly TurnWithEvents[],
  { paint, say, screen, interactive }: Pick<ChatSession, "paint" | "say" | "screen" | "interactive">,
): TurnWithEvents | undefined {
  const running = turns.find(({ turn }) => turn.status !== "finished");
  if (!interactive) return running;
  const finished = turns.filter(({ turn }) => turn.status === "finished" && turn.merged_into === undefined);
  const hidden = finished.length - shownTurns;
  if (hidden > 0) say(paint.dim(`… ${hidden} earlier`));
  for (const { turn, events } of finished.slice(-shownTurns)) {
    say(`${paint.accent("›")} ${plainText(turn.question)}`);
    for (const line of finalLines(
      events.reduce(foldTurn, emptyTurnView(turn.turn_id)),
      screen.columns,
      paint,
    ))
      say(line);
  }
  if (running !== undefined) say(`${paint.accent("›")} ${plainText(running.turn.question)}`);
  return running;
}
