import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import type { TurnLog } from "../../core/log/turn-log.ts";
import type { Background } from "../../core/scope/turn.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import type { Submission, Submit } from "./submit.ts";
import { type TurnControl, workingIn } from "./turn-control.ts";

/** Characters of a task that stand for it where its end is told. */
const maxTask = 200;

/** Sub-runs in the background: turns that a handoff begins, each in a line of its own. */
export function createBackground(
  log: TurnLog,
  submit: Submit,
  control: Pick<TurnControl, "stop">,
): Background {
  const mutex = new KeyedMutex();
  return {
    begin: (turn, { key, task, most, means }) =>
      // Calls of one round begin at the same time.
      mutex.run(`${turn.place.namespace} ${turn.place.thread}`, async () => {
        const isBegun = (await log.find(key)) !== undefined;
        if (!isBegun && (await workingIn(log, turn.place)).length >= most) return undefined;
        const work = { because: "in the background", background: means };
        const cause = { kind: "handoff", id: turn.turn_id, ...work } as const;
        const where = { ...turn.place, author: turn.author, origin: originOf(turn) };
        const begun = await submit({ ...where, key, text: task, cause });
        if (!begun.ok) return begun;
        // Whoever stopped the turn meanwhile did not find this one.
        const stop = (await log.signals(turn.turn_id)).find(({ type }) => type === "stop");
        if (stop?.type === "stop") await control.stop(begun.value.turn_id, stop.by);
        return { ok: true, value: begun.value.turn_id };
      }),
    async ended(turnId) {
      const turn = await log.get(turnId);
      if (turn !== undefined && turn.status !== "finished") return undefined;
      const events = await log.read(turnId);
      const agent = events.find((event) => event.type === "turn_started")?.profile ?? "";
      const answer = turn?.answer ?? "This was deleted.";
      const files = events.flatMap((event) =>
        event.type === "file" && !answer.includes(event.name) ? event.name : [],
      );
      return {
        agent,
        task: beginningOf(turn?.text ?? "", maxTask),
        text: files.length === 0 ? answer : `${answer}\n\nFiles: ${[...new Set(files)].join(", ")}`,
        only_for: isPrivateTurn(events) ? turn?.author.id : undefined,
      };
    },
  };
}

/** It is shown where the turn that begins it is, and has the time of its message. */
function originOf({
  events,
  said_at,
  mentions = [],
}: Parameters<Background["begin"]>[0]): Submission["origin"] {
  const [entry] = events;
  if (entry?.type !== "inbound" || entry.inbound.origin === undefined) return undefined;
  return { said_at, files: [], in_thread: false, mentions: [...mentions] };
}
