import type { TurnEvent, TurnEventBody } from "../../../src/core/log/turn-event.ts";
import type { ChatClient } from "../../../src/platforms/terminal/chat.ts";

/** What a scripted turn does: events to send, and waits for what the person does. */
export type Script = (turn: {
  text: string;
  emit(body: TurnEventBody): void;
  stopped: Promise<void>;
  answered: Promise<string>;
  decided: Promise<boolean>;
}) => Promise<void>;

interface FakeInput {
  id: string;
  text: string;
  approve: boolean;
}

/** An HTTP API whose turns follow a script; it keeps what was asked of it. */
export function fakeChatClient(script: Script, earlier: readonly object[] = []) {
  const asked: { submitted: { thread?: string; text: string }[]; stops: string[]; completed: string[] } = {
    submitted: [],
    stops: [],
    completed: [],
  };
  const turns = new Map<string, ReturnType<typeof startTurn>>();
  const operations: Record<string, (input: FakeInput) => unknown> = {
    "bot.about": () => ({ name: "Knack", version: "1", model: "offline", suggestions: ["Try this"] }),
    "turn.stop"({ id }) {
      asked.stops.push(id);
      turns.get(id)?.stop();
      return { stopped: true };
    },
    "turn.answer"({ id, text }) {
      turns.get(id)?.answer(text);
      return { answered: true };
    },
    "approval.decide"({ id, approve }) {
      turns.get(id.slice(0, id.lastIndexOf(":")))?.decide(approve);
      return { decided: true };
    },
    "command.complete"({ text }) {
      asked.completed.push(text);
      return { completions: [{ text: "/skill list", label: "list", description: "" }] };
    },
    "thread.show": () => ({ turns: earlier }),
  };
  const client: ChatClient = {
    call: (async (name: string, input: FakeInput) => operations[name]?.(input)) as ChatClient["call"],
    async submitTurn({ namespace = "", thread = "thread-1", text }) {
      asked.submitted.push({ thread, text });
      const turn_id = `turn-${turns.size + 1}`;
      turns.set(turn_id, startTurn(turn_id, text, script));
      return { turn_id, namespace, thread };
    },
    async *turnEvents(turnId, { signal } = {}) {
      const turn = turns.get(turnId);
      if (turn === undefined) throw new Error(`No turn ${turnId}`);
      for (let next = 0; ; next++) {
        const left = new Promise<undefined>((resolve) =>
          signal?.addEventListener("abort", () => resolve(undefined)),
        );
        const event = await Promise.race([turn.event(next), left]);
        if (event === undefined) return;
        yield event;
        if (event.type === "turn_finished") return;
      }
    },
  };
  return { client, asked };
}

function startTurn(turnId: string, text: string, script: Script) {
  const slots: PromiseWithResolvers<TurnEvent>[] = [];
  const slot = (index: number) => (slots[index] ??= Promise.withResolvers<TurnEvent>());
  const stop = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const decision = Promise.withResolvers<boolean>();
  let seq = 0;
  const emit = (body: TurnEventBody) => {
    slot(seq).resolve({ ...body, turn_id: turnId, seq, at: 1000 + seq });
    seq += 1;
  };
  emit({ type: "turn_started", profile: "chat", model: "offline" });
  const done = script({
    text,
    emit,
    stopped: stop.promise,
    answered: answer.promise,
    decided: decision.promise,
  });
  done.catch((error: unknown) => emit({ type: "turn_finished", outcome: "failed", text: String(error) }));
  return {
    event: (index: number) => slot(index).promise,
    stop: stop.resolve,
    answer: answer.resolve,
    decide: decision.resolve,
  };
}

export const finish = (text: string): TurnEventBody => ({
  type: "turn_finished",
  outcome: "completed",
  text,
});

/** A tool call that ran, with one stage. */
export function step(callId: string, title: string): TurnEventBody[] {
  const tool = { call_id: callId, tool: "fetch", skill_id: "web" };
  return [
    { type: "tool_started", ...tool, title, input: {} },
    { type: "stage", call_id: callId, skill_id: "web", name: "fetch", status: "completed" },
    { type: "tool_finished", ...tool, status: "ok", output: {}, duration_ms: 1200 },
  ];
}
