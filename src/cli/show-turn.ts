import type { TurnEvent, TurnOutcome } from "../core/log/turn-event.ts";
import type { ApprovalView, QuestionView } from "../core/log/turn-view.ts";
import type { Verdict } from "../core/values/verdict.ts";
import { askPerson } from "../platforms/terminal/ask-person.ts";
import { decidePerson } from "../platforms/terminal/decide-person.ts";
import { followTurn } from "../platforms/terminal/follow-turn.ts";
import { createLineDisplay } from "../platforms/terminal/line-display.ts";
import { createLineInput } from "../platforms/terminal/line-input.ts";
import { createLiveDisplay } from "../platforms/terminal/live-display.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { screenOf } from "../platforms/terminal/screen.ts";
import type { Connection } from "./bot-connection.ts";
import { type CommandContext, wantsColours } from "./command-context.ts";

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
  const { stdout, stderr, clock } = context;
  const live = stdout.isTTY === true && stderr.isTTY === true;
  const display = live
    ? createLiveDisplay(screenOf(stdout), createPaint(wantsColours(context)), clock)
    : createLineDisplay(
        {
          progress: (line) => void stderr.write(`${line}\n`),
          answer: (text) => void stdout.write(`${text}\n`),
        },
        clock,
      );
  const view = await followTurn({
    client: connection.client,
    turnId: turn.turn_id,
    display,
    signal: watch.signal,
    ask: (question, signal) => answerQuestion(context, connection, turn, question, signal),
    decide: (approval, signal) => decideApproval(context, connection, turn, approval, signal),
  });
  return view.outcome;
}

async function answerQuestion(
  context: CommandContext,
  { client, remote }: Connection,
  turn: { turn_id: string; thread: string },
  question: QuestionView,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { stdin, stderr } = context;
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    if (remote === undefined) return unattendedAnswer;
    stderr.write(
      `The agent asks: ${plainLine(question.text)}\nAnswer in the console at ${remote}, or with: knack chat --thread ${turn.thread}\n`,
    );
    return undefined;
  }
  return withReader(context, client, turn, (asking) => askPerson(question, signal, asking));
}

/** If nobody can decide, the tool does not run. */
async function decideApproval(
  context: CommandContext,
  { client, remote }: Connection,
  turn: { turn_id: string; thread: string },
  approval: ApprovalView,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { stdin, stderr } = context;
  if (stdin.isTTY === true && stderr.isTTY === true) {
    return withReader(context, client, turn, (asking) => decidePerson(approval, signal, asking));
  }
  if (remote === undefined) return "refuse";
  stderr.write(
    `${plainLine(approval.tool)} needs approval. Decide in the console at ${remote}, or with: knack chat --thread ${turn.thread}\n`,
  );
  return undefined;
}

/** Opens a prompt on stderr for one question. */
async function withReader<T>(
  context: CommandContext,
  client: Connection["client"],
  turn: { turn_id: string },
  ask: (asking: Parameters<typeof askPerson>[2]) => Promise<T>,
): Promise<T> {
  const { stdin, stderr } = context;
  const stopTurn = () =>
    void client
      .call("turn.stop", { id: turn.turn_id })
      .catch((error: unknown) => stderr.write(`${String(error)}\n`));
  const lines = createLineInput({ input: stdin, output: stderr, interactive: true, onInterrupt: stopTurn });
  try {
    return await ask({ ...lines, paint: createPaint(wantsColours(context)), prompt: "? " });
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
  if (event.type === "question_asked")
    await client.call("turn.answer", {
      id: event.turn_id,
      question_id: event.question_id,
      text: unattendedAnswer,
    });
  if (event.type === "approval_requested")
    await client.call("approval.decide", { id: event.approval_id, approve: false });
}
