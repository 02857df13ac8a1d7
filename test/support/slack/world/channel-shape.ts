import { isMember, type MethodCall } from "../api/method.ts";
import type { Channel } from "./world.ts";

/** A conversation object as the bot of the call sees it. */
export function renderChannel(call: MethodCall, channel: Channel): Record<string, unknown> {
  const shared = channel.is_ext_shared === true;
  const common = {
    id: channel.id,
    created: channel.created,
    is_archived: channel.is_archived === true,
    is_im: channel.kind === "im",
    is_mpim: channel.kind === "mpim",
    is_org_shared: false,
    context_team_id: channel.team_id,
    updated: channel.created * 1000,
  };
  if (channel.kind === "im")
    return {
      ...common,
      user: channel.members.find((member) => member !== call.workspace.bot_user_id) ?? "",
      is_user_deleted: false,
      priority: 0,
    };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === "public",
    is_group: channel.kind === "private",
    is_private: channel.kind !== "public",
    is_general: channel.name === "general",
    is_shared: shared,
    is_ext_shared: shared,
    is_pending_ext_shared: false,
    is_member: isMember(call, channel),
    creator: channel.creator,
    shared_team_ids: [channel.team_id],
    topic: { value: "", creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
    previous_names: [],
  };
}

/** The word that `types` uses: `public_channel`, `im` … */
export function typeName(kind: string): string {
  return kind === "public" || kind === "private" ? `${kind}_channel` : kind;
}
