import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { TurnRecord } from "../../../core/log/turn-log.ts";
import { isPrivateTurn } from "../../../core/transcript/audience.ts";
import { mayOperate } from "../../../core/values/inbound.ts";
import type { SkillRun } from "../../services/skill-runs.ts";
import type { OperationCall } from "../operation.ts";

type Reader = Pick<OperationCall<unknown>, "asker" | "services">;

/** A turn, and its events. */
interface ReadableTurn {
  turn: TurnRecord;
  events: TurnEvent[];
}

/**
 * What a person may read of a turn that they may reach. A private turn is for its asker and for operators: others get that it was asked,
 * and the question if a message asked it, but neither the task of work in the background nor the answer nor the events.
 */
export async function readableTurn(turn: TurnRecord, { asker, services }: Reader): Promise<ReadableTurn> {
  const events = await services.turns.events(turn);
  if (isReader(turn.author.id, asker) || !isForAsker(events)) return { turn, events };
  const [entry] = events;
  const isSaid = entry?.type === "inbound" && entry.inbound.cause === undefined;
  return { turn: { ...turn, text: isSaid ? turn.text : "", answer: undefined }, events: [] };
}

/** What a person may read of the runs of skills: of those in private turns of others only that they ran. */
export function readableRuns(runs: readonly SkillRun[], { asker }: Pick<Reader, "asker">): SkillRun[] {
  return runs.map((run) =>
    run.private && !isReader(run.user, asker)
      ? { ...run, input: {}, output: undefined, error: undefined }
      : run,
  );
}

function isReader(author: string, { by }: Reader["asker"]): boolean {
  return author === by.id || mayOperate(by);
}

/** Work in the background of a private turn is private before it begins. */
function isForAsker(events: readonly TurnEvent[]): boolean {
  const [entry] = events;
  const begun = entry?.type === "inbound" ? entry.inbound.cause?.background : undefined;
  return begun?.private_from !== undefined || isPrivateTurn(events);
}
