import type { TurnReading } from "../../core/log/turn-log.ts";
import type { ChatPerson, ChatPlatforms } from "../../core/ports/chat-platform.ts";
import type { Planner } from "../../core/ports/schedules.ts";
import type { Clock, Leases, Log } from "../../core/ports/storage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { CatalogueLoader } from "../../core/skill/catalogue.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import { zoneOf } from "../../core/values/said-line.ts";
import type { ScheduleSetup } from "../app-deps.ts";
import type { Submit } from "../turns/submit.ts";
import type { PlanBook } from "./plan-book.ts";

/** What plans work with. */
export interface Planning
  extends ScheduleSetup,
    Pick<TurnPorts, "store" | "offers" | "folders" | "redact" | "report" | "time_zone"> {
  log: Pick<TurnReading, "get" | "list" | "read">;
  platforms: ChatPlatforms;
  catalogue: CatalogueLoader;
  /** The agent's own tools, which need no approval. */
  metaTools: readonly { name: string }[];
  submit: Submit;
  clock: Clock;
  leases: Leases;
  logger: Log;
  /** The public address of the bot; without it, addresses of webhooks have no host. */
  public_url?: string | undefined;
  /** Why a person may not use the bot in a place; undefined when they may. */
  refusalOf(person: ChatPerson, place: Place): string | undefined;
  /** Why nothing more may be spent in a channel for a person; undefined below the limits. */
  overBudget(namespace: string, person: Author): Promise<string | undefined>;
  /** Stops a turn. @param by a person's id */
  stop(turnId: string, by: string): Promise<unknown>;
  book: PlanBook;
  /** A plan may have come due. */
  wake(): void;
  /** Whether this process runs a job. */
  isRunning(id: string): boolean;
}

/** The zone in which a person reads times in a channel. */
export async function zoneFor(
  { store, time_zone }: Planning,
  author: Author,
  namespace: string,
): Promise<string> {
  return zoneOf(author, (await settingsOf(store, namespace)).time_zone, time_zone);
}

/** What a plan has of the person who makes it, and of the place. */
export function madeBy({ platforms, clock }: Planning, { author, place }: Planner) {
  const on_platform = platforms.of(place.namespace) !== undefined;
  return { maker: author, on_platform, thread: place.thread, made_at: clock.now(), failures: 0 };
}

export function refused(
  message: string,
  status: 400 | 403 | 404 | 409 = 400,
): Outcome<never> & { ok: false } {
  return { ok: false, status, message };
}
