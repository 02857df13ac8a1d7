import { errorText } from "../../base/error-text.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import {
  type ApprovalView,
  emptyTurnView,
  foldTurn,
  type QuestionView,
  type TurnView,
} from "../../core/log/turn-view.ts";
import { type Verdict, verdictInput } from "../../core/values/verdict.ts";

/** Shows one turn while it runs. Call `finish` or `pause` at the end to restore the terminal. */
export interface TurnDisplay {
  /** Takes the newest view; drawing may come later. */
  update(view: TurnView): void;
  /** A line below the progress, e.g. that the connection is lost. An empty text removes it. */
  note(text: string): void;
  /** Makes room for other output; the next `update` shows the turn again. */
  pause(): void;
  /** Writes the final lines of the turn, which stay on the screen. */
  finish(view: TurnView): void;
}

export interface FollowTurn {
  client: Pick<ApiClient, "turnEvents" | "call">;
  turnId: string;
  display: TurnDisplay;
  /** Events that are already known; they are shown and not requested again. */
  known?: readonly TurnEvent[];
  /** Stops watching. The turn itself continues. */
  signal: AbortSignal;
  /**
   * Asks the person; undefined leaves the question open. The signal aborts when the question was answered elsewhere or expired.
   */
  ask(question: QuestionView, signal: AbortSignal): Promise<string | undefined>;
  /** Asks for a decision; undefined leaves it open. The signal is as in `ask`. */
  decide(approval: ApprovalView, signal: AbortSignal): Promise<Verdict | undefined>;
}

/** Shows a turn until it ends, and answers its questions. Returns the last view. @throws ApiError */
export async function followTurn(options: FollowTurn): Promise<TurnView> {
  const { client, turnId, display, known = [], signal } = options;
  let view = known.reduce(foldTurn, emptyTurnView(turnId));
  const questions = createQuestions(options);
  try {
    const events = client.turnEvents(turnId, {
      signal,
      after: known.at(-1)?.seq ?? -1,
      onConnection: ({ state }) =>
        display.note(state === "lost" ? "The connection is lost. Reconnecting…" : ""),
    });
    await questions.follow(view);
    for await (const event of events) {
      view = foldTurn(view, event);
      await questions.follow(view);
      if (!questions.open()) display.update(view);
    }
  } finally {
    await questions.close();
    display.pause();
  }
  if (view.status === "finished") display.finish(view);
  return view;
}

/** Asks one question at a time, in parallel with the stream of events, so that an answer given elsewhere ends the prompt. */
function createQuestions(options: FollowTurn) {
  const { display } = options;
  let current: { id: string; cancel: AbortController; done: Promise<void> } | undefined;
  const close = async () => {
    const asked = current;
    current = undefined;
    asked?.cancel.abort();
    await asked?.done;
  };
  return {
    open: () => current !== undefined,
    close,
    async follow(view: TurnView) {
      const next = nextAsked(view, options);
      if (next?.id === current?.id) return;
      await close();
      if (next === undefined) return;
      display.pause();
      const cancel = new AbortController();
      const done = next.ask(cancel.signal).catch((error: unknown) => display.note(errorText(error)));
      current = { id: next.id, cancel, done };
    },
  };
}

interface Asked {
  id: string;
  ask(signal: AbortSignal): Promise<void>;
}

function nextAsked(
  { question, approvals }: TurnView,
  { client, turnId, display, ask, decide }: FollowTurn,
): Asked | undefined {
  if (question !== undefined) {
    const { question_id } = question;
    return {
      id: question_id,
      async ask(signal) {
        const text = await ask(question, signal);
        if (text === undefined || signal.aborted) return;
        const { answered } = await client.call("turn.answer", { id: turnId, question_id, text });
        if (!answered) display.note("The question is no longer open.");
      },
    };
  }
  const approval = approvals.find(({ state }) => state === "open");
  return (
    approval && {
      id: approval.approval_id,
      async ask(signal) {
        const verdict = await decide(approval, signal);
        if (verdict === undefined || signal.aborted) return;
        const decision = { id: approval.approval_id, ...verdictInput(verdict) };
        const { decided } = await client.call("approval.decide", decision);
        if (!decided) display.note("Someone has already decided this, or it has expired.");
      },
    }
  );
}
