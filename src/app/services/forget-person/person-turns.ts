import type { TurnRecord } from "../../../core/log/turn-log.ts";
import type { Knowledge } from "../../../core/ports/services.ts";
import type { Author } from "../../../core/values/inbound.ts";
import { partsOf } from "../../../core/values/place.ts";
import type { AppDeps, ScheduleSetup } from "../../app-deps.ts";
import type { StoredOpenings } from "../../turns/openings.ts";
import { type ForgettingDeps, forgetTurn, wasForgotten } from "../forgetting.ts";
import type { StoredAudit } from "../stored-audit.ts";
import { isAt, type Person, turnsIn } from "./person.ts";

/** What a person is deleted from. `sealed` has the secrets of webhooks, by the id of their trigger. */
export type PersonDeps = ForgettingDeps &
  Pick<AppDeps, "index" | "copies" | "servers"> &
  Pick<ScheduleSetup, "due" | "sealed"> & {
    stored: StoredAudit;
    openings: StoredOpenings;
    /** What channels learned from documents. */
    knowledge: Knowledge | undefined;
  };

export interface ForgetTurnsOptions {
  by: Author;
  dryRun: boolean;
  leavePosts: boolean;
}

/** The names the person's turns have. */
export async function namesOf({ log }: PersonDeps, person: Person): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { namespace, author } of turnsIn(log, { author: person.id }))
    if (isAt(person, namespace) && author.name !== "") names.add(author.name);
  return names;
}

/** Deletes the person's turns with their answers and files. Returns how many, and what could not be deleted. */
export async function forgetOwnTurns(
  deps: PersonDeps,
  person: Person,
  options: ForgetTurnsOptions,
): Promise<{ count: number; left: string[] }> {
  const left: string[] = [];
  let count = 0;
  for await (const turn of turnsIn(deps.log, { author: person.id })) {
    if (!isAt(person, turn.namespace) || wasForgotten(await deps.log.read(turn.turn_id))) continue;
    const problem = options.dryRun ? undefined : await forgetPersonsTurn(deps, turn, options);
    if (problem === undefined) count += 1;
    else left.push(`Their turn ${turn.turn_id} in ${turn.namespace}: ${problem}`);
  }
  return { count, left };
}

/** Deletes a turn with its answer. Its thread's folder stays. Returns why the turn is kept; undefined if it is deleted. */
export async function forgetPersonsTurn(
  deps: PersonDeps,
  turn: TurnRecord,
  { by, leavePosts }: ForgetTurnsOptions,
): Promise<string | undefined> {
  const isPosted = (await deps.log.read(turn.turn_id)).some(({ type }) => type === "message_posted");
  if (isPosted && !leavePosts && deps.platforms.of(turn.namespace) === undefined) {
    const { platform } = partsOf(turn.namespace);
    return `its answer was posted on ${platform}, which is not connected here. Run this while the bot runs there, or say that posts may stay.`;
  }
  const outcome = await forgetTurn(deps, turn, by, { leavePosts, keepsFolder: true });
  return outcome.ok ? undefined : outcome.message;
}
