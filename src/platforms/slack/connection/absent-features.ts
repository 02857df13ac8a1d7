import type { Clock } from "../../../core/ports/storage.ts";
import { refusedWith } from "./slack-call.ts";

/** Refusals of an app or workspace that does not have a feature. */
const workspaceRefusals = [
  "access_denied",
  "feature_not_enabled",
  "missing_scope",
  "not_allowed",
  "not_allowed_token_type",
  "team_not_eligible",
  "unknown_method",
];

/** Refusals of a channel without the feature, in workspaces that have it. */
const channelRefusals = ["channel_type_not_supported", "method_not_supported_for_channel_type"];

/** Time after which a refused feature is tried again, ms: an admin may have added it. */
const retryMs = 3_600_000;

interface Where {
  team: string;
  channel: string;
}

/** Where Slack does not have a feature: decided by its refusal, and asked again later. */
export class AbsentFeature {
  readonly #clock: Clock;
  /** Ids of workspaces and channels, each with the time of the next try. */
  readonly #absent = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isAbsent({ team, channel }: Where): boolean {
    return [team, channel].some((id) => (this.#absent.get(id) ?? 0) > this.#clock.now());
  }

  /** Remembers a refusal that means that the feature is missing. @param more further codes that say so */
  note(error: unknown, { team, channel }: Where, ...more: string[]): void {
    const until = this.#clock.now() + retryMs;
    if (refusedWith(error, ...workspaceRefusals, ...more)) this.#absent.set(team, until);
    if (refusedWith(error, ...channelRefusals)) this.#absent.set(channel, until);
  }
}
