import type { TurnEvent, TurnOutcome } from "../core/log/turn-event.ts";
import { askPerson } from "../platforms/terminal/ask-person.ts";
import { decidePerson } from "../platforms/terminal/decide-person.ts";
import { followTurn } from "../platforms/terminal/follow-turn.ts";
import { createLineDisplay } from "../platforms/terminal/line-display.ts";
import { createLineInput } from "../platforms/terminal/line-input.ts";
import { createLiveDisplay } from "../platforms/terminal/live-display.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import type { Connection } from "./bot-connection.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * Shows a turn to a person: redrawn in place on a terminal, otherwise progress on stderr and only the answer on stdout.
 * Undefined if watching ended before the turn.
 */
export async function showTurn(
  context: CommandContext,
  connection: Connection,
  turn: { turn_id: string; thread: string },
  watch: AbortController,
): Promise<TurnOutcome | undefined> {
  const { stdin, stdout, stderr, clock, out } = context;
  const live = stdout.isTTY === true && stderr.isTTY === true;
  const display = live
    ? createLiveDisplay(stdout, context.out.paint, clock)
    : createLineDisplay({ progress: (line) => out.note(line), answer: (text) => out.line(text) }, clock);
  const isAttended = stdin.isTTY === true && stderr.isTTY === true;
  const { client, remote } = connection;
  const answer = `in the console at ${remote}, or with: knack chat --thread ${turn.thread}`;
  const view = await followTurn({
    client,
    turnId: turn.turn_id,
    display,
    signal: watch.signal,
    ask: async (question, signal) => {
      if (isAttended)
        return withReader(context, client, turn, (asking) => askPerson(question, signal, asking));
      if (remote === undefined) return unattendedAnswer;
      out.note(`The agent asks: ${plainLine(question.text)}\nAnswer ${answer}`);
      return undefined;
    },
    decide: async (approval, signal) => {
      if (isAttended)
        return withReader(context, client, turn, (asking) => decidePerson(approval, signal, asking));
      // Nobody can decide, so the tool does not run.
      if (remote === undefined) return "refuse";
      out.note(`${plainLine(approval.tool)} needs approval. Decide ${answer}`);
      return undefined;
    },
  });
  return view.outcome;
}

/** Opens a prompt on stderr for one question. */
async function withReader<T>(
  context: CommandContext,
  client: Connection["client"],
  turn: { turn_id: string },
  ask: (asking: Parameters<typeof askPerson>[2]) => Promise<T>,
): Promise<T> {
  const { stdin, stderr } = context;
  const failed = (error: unknown) => context.out.note(String(error));
  const stopTurn = () => void client.call("turn.stop", { id: turn.turn_id }).catch(failed);
  const lines = createLineInput({ input: stdin, output: stderr, interactive: true, onInterrupt: stopTurn });
  try {
    return await ask({ ...lines, paint: context.out.paint, prompt: "? " });
  } finally {
    lines.close();
  }
}

/**
 * The answer that the agent gets if nobody can answer its question: a script runs `ask`, and the bot ends with this process. A
 * running bot keeps the question open for the console instead.
 */
const unattendedAnswer =
  "Nobody is here to answer; this runs from a script. Decide yourself, and say in the answer what you assumed.";

/** Answers a question, and refuses an approval, if nobody can. Does nothing for a running bot. */
export async function settleUnattended(event: TurnEvent, { client, remote }: Connection): Promise<void> {
  if (remote !== undefined) return;
  const { turn_id: id } = event;
  if (event.type === "question_asked")
    await client.call("turn.answer", { id, question_id: event.question_id, text: unattendedAnswer });
  if (event.type === "approval_requested")
    await client.call("approval.decide", { id: event.approval_id, approve: false });
}
