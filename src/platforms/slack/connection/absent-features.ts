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
export interface AbsentFeature {
  isAbsent(room: Where): boolean;
  /** Remembers a refusal that means that the feature is missing. @param more further codes that say so */
  note(error: unknown, room: Where, ...more: string[]): void;
}

export function createAbsentFeature(clock: Clock): AbsentFeature {
  /** Ids of workspaces and channels, each with the time of the next try. */
  const absent = new Map<string, number>();
  const has = (id: string) => {
    const until = absent.get(id);
    if (until !== undefined && until <= clock.now()) absent.delete(id);
    return absent.has(id);
  };
  return {
    isAbsent: ({ team, channel }) => has(team) || has(channel),
    note(error, { team, channel }, ...more) {
      const until = clock.now() + retryMs;
      if (refusedWith(error, ...workspaceRefusals, ...more)) absent.set(team, until);
      if (refusedWith(error, ...channelRefusals)) absent.set(channel, until);
    },
  };
}
