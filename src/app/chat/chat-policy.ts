import type { ReplyMode } from "../../core/skill/namespace-state.ts";

/** Who may use the bot on chat platforms, and how it behaves there, as the operator configured it. Times are ms. */
export interface ChatPolicy {
  access: {
    /** Ids of Slack workspaces and Discord servers, or `*`. */
    workspaces: readonly string[];
    /** Channel ids, namespaces, or `*`. Direct messages are not channels. */
    channels: readonly string[];
    /** User ids, or `*`. With `roles`: either is enough. */
    users: readonly string[];
    /** Role ids. */
    roles: readonly string[];
    guests: boolean;
    outsiders: boolean;
    /** `members`: people of the workspace or of a server the bot is in. */
    direct_messages: "members" | "everyone" | "nobody";
    /** Ids of bots that are answered; with `*`, all others too, in channels whose managers choose that. */
    bots: readonly string[];
    /** Minimum time between two questions of one person. */
    cooldown_ms: number;
  };
  /** When it answers in a thread without a mention, unless the channel sets it. */
  reply: Exclude<ReplyMode, "ambient">;
  /** Maximum offers a day in a channel with the reply mode `ambient`, and messages that the small model judges for them. */
  offers: { per_day: number; judged_per_day: number };
  /** For a missed message older than this, the bot asks first whether it is still wanted. */
  stale_ms: number;
  /** How far back missed messages are searched. */
  catch_up_ms: number;
  /** Progress is shown for turns that take longer. */
  progress_delay_ms: number;
  /** An answer whose first message is older than this at the end is posted anew, so that people are notified. */
  notify_after_ms: number;
  /** The namespace that gets a line for every change of skills, approval and deletion. */
  audit_channel?: string | undefined;
}
