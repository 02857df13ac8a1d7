import type { ApiClient } from "../../client/api-client.ts";
import type { TurnEvent } from "../../core/turn-event.ts";
import { emptyTurnView, foldTurn, type QuestionView, type TurnView } from "../../core/turn-view.ts";
import type { TurnDisplay } from "./turn-display.ts";

export interface FollowTurn {
  client: Pick<ApiClient, "turnEvents" | "answer">;
  turnId: string;
  display: TurnDisplay;
  /** Events that are known already; they are shown and not asked for again. */
  known?: readonly TurnEvent[];
  /** Stops watching. The turn itself goes on. */
  signal: AbortSignal;
  onEvent?(event: TurnEvent): void;
  /** Asks the person; undefined leaves the question open. The signal aborts when it was answered elsewhere or expired. */
  ask(question: QuestionView, signal: AbortSignal): Promise<string | undefined>;
}

/** Shows a turn until it is finished, and answers its questions. The view it ended with. @throws ApiError */
export async function followTurn(options: FollowTurn): Promise<TurnView> {
  const { client, turnId, display, known = [], signal, onEvent } = options;
  let view = known.reduce(foldTurn, emptyTurnView(turnId));
  const questions = createQuestions(options);
  try {
    const events = client.turnEvents(turnId, {
      signal,
      after: known.at(-1)?.seq ?? -1,
      onConnection: ({ state }) =>
        display.note(state === "lost" ? "The connection is lost; trying again…" : ""),
    });
    await questions.follow(view);
    for await (const event of events) {
      onEvent?.(event);
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

/** Asks each question once, beside the stream of events, so that an answer given elsewhere ends the asking. */
function createQuestions({ client, turnId, display, ask }: FollowTurn) {
  let current: { id: string; cancel: AbortController; done: Promise<void> } | undefined;
  const close = async () => {
    const asked = current;
    current = undefined;
    asked?.cancel.abort();
    await asked?.done;
  };
  const start = async (question: QuestionView, signal: AbortSignal) => {
    const text = await ask(question, signal);
    if (text === undefined || signal.aborted) return;
    const taken = await client.answer(turnId, { question_id: question.question_id, text });
    if (!taken) display.note("The question is no longer open.");
  };
  return {
    open: () => current !== undefined,
    close,
    async follow(view: TurnView) {
      const { question } = view;
      if (question?.question_id === current?.id) return;
      await close();
      if (question === undefined) return;
      display.pause();
      const cancel = new AbortController();
      const done = start(question, cancel.signal).catch((error: unknown) => {
        display.note(error instanceof Error ? error.message : String(error));
      });
      current = { id: question.question_id, cancel, done };
    },
  };
}
