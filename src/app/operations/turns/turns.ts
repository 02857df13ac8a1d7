import { z } from "zod";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { type Author, mayStop } from "../../../core/values/inbound.ts";
import { isDirectMessage, namespaceSchema, threadSchema } from "../../../core/values/place.ts";
import { channelName, forgottenTurn, milliseconds } from "../../services/shapes.ts";
import { type CommandResult, type OperationCall, operation, refused, said, shown } from "../operation.ts";
import type { Services } from "../services.ts";
import { readableTurn } from "./readable-turn.ts";
import { presentTurn, turnEvent, turnOfInput, turnRecord } from "./turn-view.ts";

const turnId = z.string().min(1).max(300).describe("a turn's id");

export const showTurn = operation({
  name: "turn.show",
  input: z.object({ id: turnId }),
  output: turnRecord,
  who: "anyone",
  about: turnOfInput,
  http: { route: "GET /turns/{id}", summary: "A turn and its answer", answers: "the turn" },
  async run(call) {
    const turn = await findTurn(call.input.id, call.services);
    if (!turn.ok) return turn;
    return { ok: true, value: presentTurn((await readableTurn(turn.value, call)).turn) };
  },
});

export const stopTurn = operation({
  name: "turn.stop",
  input: z.object({ id: turnId }),
  output: z.object({ stopped: z.boolean().describe("false when the turn had already finished") }),
  who: ofAsker(() => "Only the person who asked, or a manager of the channel, may stop this."),
  about: turnOfInput,
  http: { route: "POST /turns/{id}/stop", summary: "Stop a turn", answers: "whether it was still running" },
  async run({ input: { id }, asker, services }) {
    return { ok: true, value: { stopped: await services.control.stop(id, asker.by.id) } };
  },
});

export const answerTurn = operation({
  name: "turn.answer",
  input: z.object({ id: turnId, question_id: z.string(), text: z.string().min(1) }),
  output: z.object({ answered: z.boolean().describe("false when the question was no longer open") }),
  who: ofAsker(() => "Only the person who asked may answer this."),
  about: turnOfInput,
  http: {
    route: "POST /turns/{id}/answer",
    summary: "Answer a question the turn waits for",
    answers: "whether the question was still open",
  },
  async run({ input: { id, question_id, text }, asker, services }) {
    const answered = await services.control.answer(id, question_id, text, asker.by.id);
    return { ok: true, value: { answered } };
  },
});

export const forgetTurn = operation({
  name: "turn.forget",
  input: z.object({ id: turnId }),
  output: forgottenTurn,
  who: ofAsker(({ name }) => `Only ${name}, who asked, or a manager of the channel may delete this.`),
  about: turnOfInput,
  http: {
    route: "DELETE /turns/{id}",
    summary: "Delete a turn permanently: its texts, files and answer",
    answers: "the turn is stopped and deleted; its record stays without texts",
  },
  run: ({ input: { id }, asker, services }) => services.forget(id, asker.by),
});

const stopResult = z.object({
  stopped: z.number(),
  elsewhere: z.number().describe("of those, in other threads than the command"),
  others: z.number().describe("turns that run and that they may not stop"),
});

/** `/agent stop`, and `stop` alone. In a channel it stops the person's own turns; in a thread, all turns they may stop. */
export const stopTurns = operation({
  name: "turn.stop_all",
  input: z.object({ namespace: namespaceSchema, thread: threadSchema.optional() }),
  output: stopResult,
  who: "anyone",
  chat: {
    command: "agent stop",
    public: true,
    description: "Stops what runs for you in this channel",
    urgent: true,
    read(words, { namespace, thread }) {
      // In a direct message all threads belong to one person, who may mean an earlier thread.
      return words === "here" && !isDirectMessage(namespace) ? { namespace, thread } : { namespace };
    },
    say: stoppedText,
  },
  async run({ input, asker, services, command }) {
    const { namespace, thread } = input;
    const filter = thread === undefined ? { namespace } : { namespace, thread };
    const open = (await services.turns.list({ ...filter, limit: 200 })).filter(
      (turn) => turn.status !== "finished" && turn.turn_id !== command?.turn_id,
    );
    const mine = open.filter((turn) =>
      thread === undefined ? turn.author.id === asker.by.id : mayStop(asker.by, turn),
    );
    const goals = await services.goals.end(filter, ({ id }) =>
      thread === undefined ? id === asker.by.id : mayStop(asker.by, { author: { id }, namespace }),
    );
    for (const turn of mine) await services.control.stop(turn.turn_id, asker.by.id);
    const elsewhere = mine.filter((turn) => turn.thread !== command?.place.thread).length;
    // A goal may be between two turns.
    const stopped = Math.max(mine.length, goals.length);
    return { ok: true, value: { stopped, elsewhere, others: open.length - mine.length } };
  },
});

/** Said to a person who stops where only turns of other people run. */
export const othersWork =
  "Somebody else asked for what runs here. They, or a manager of this channel, can stop it.";

/** Stopped turns also say so in their own threads. */
function stoppedText({ stopped, elsewhere, others }: z.output<typeof stopResult>): CommandResult {
  if (stopped > 0) {
    if (elsewhere === 0) return { ...said("Stopped."), silent: true };
    return shown(stopped === 1 ? "It is stopped." : `All ${stopped} are stopped.`);
  }
  if (others === 0) return shown("Nothing is running here.");
  return refused(othersWork);
}

export const listThreads = operation({
  name: "thread.list",
  input: z.object({ ns: channelName }),
  output: z.object({
    threads: z.array(
      z.object({
        thread: z.string(),
        title: z.string(),
        turns: z.number(),
        last_at: milliseconds,
        busy: z.boolean(),
      }),
    ),
  }),
  who: "anyone",
  http: {
    route: "GET /namespaces/{ns}/threads",
    summary: "The threads of a channel, the latest active first",
    answers: "the threads",
  },
  run: async ({ input: { ns }, services }) => ({ ok: true, value: { threads: await services.threads(ns) } }),
});

/** Maximum turns of a thread that are shown. */
const maxTurns = 500;

export const showThread = operation({
  name: "thread.show",
  input: z.object({ ns: channelName, thread: threadSchema }),
  output: z.object({ turns: z.array(z.object({ turn: turnRecord, events: z.array(turnEvent) })) }),
  who: "anyone",
  http: {
    route: "GET /namespaces/{ns}/threads/{thread}",
    summary: "The turns of a thread with their events, oldest first",
    answers: "the turns",
  },
  async run(call) {
    const { ns: namespace, thread } = call.input;
    const records = await call.services.turns.list({ namespace, thread, limit: maxTurns });
    const shown = records.reverse().map(async (record) => {
      const { turn, events } = await readableTurn(record, call);
      return { turn: presentTurn(turn), events };
    });
    return { ok: true, value: { turns: await Promise.all(shown) } };
  },
});

async function findTurn(id: string, { turns }: Services): Promise<Outcome<TurnRecord>> {
  const turn = await turns.get(id);
  if (turn !== undefined) return { ok: true, value: turn };
  return failed(404, `There is no turn ${id}.`);
}

/** The person who asked for the turn, and managers of its channel. */
function ofAsker(refusal: (author: Author) => string) {
  return {
    async decide({ input, asker, services }: OperationCall<{ id: string }>): Promise<Outcome<unknown>> {
      const turn = await findTurn(input.id, services);
      if (!turn.ok || mayStop(asker.by, turn.value)) return turn;
      return { ok: false, status: 403, message: refusal(turn.value.author) };
    },
  };
}
