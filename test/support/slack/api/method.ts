import type { Deliveries } from "../world/deliveries.ts";
import type { Events } from "../world/events.ts";
import type { Interactivity } from "../world/interactivity.ts";
import { type Channel, kindWords, type Token, type Workspace, type World } from "../world/world.ts";
import type { CallArguments } from "./call-arguments.ts";
import type { OauthGrants } from "./oauth-grants.ts";
import { SlackRefusal } from "./slack-refusal.ts";

/** The context shared by all parts of the fake. */
export interface Backend {
  world: World;
  events: Events;
  deliveries: Deliveries;
  interactivity: Interactivity;
  oauth: OauthGrants;
  /** `http://127.0.0.1:PORT`. */
  baseUrl: string;
}

export interface MethodCall extends Backend {
  arguments: CallArguments;
  token: Token;
  /** The workspace of the token; of an app token the first. */
  workspace: Workspace;
  /** Basic credentials or arguments of `oauth.v2.access`. */
  client: { id: string; secret: string };
}

export interface Method {
  token: "bot" | "app" | "none";
  /** The scope that the call needs; it may depend on the kind of channel. */
  scope?: string | ((call: MethodCall) => string | undefined);
  /** Throws `SlackRefusal`; what it answers goes next to `ok: true`. */
  run(call: MethodCall): Record<string, unknown> | Promise<Record<string, unknown>>;
}

/** The channel named by an argument, if the bot can see it. */
export function channelOf(call: MethodCall, name = "channel"): Channel {
  const channel = call.world.channels.get(call.arguments.text(name) ?? "");
  if (channel === undefined || !canSee(call, channel)) throw new SlackRefusal("channel_not_found");
  return channel;
}

/** `channelOf`, and the bot is a member of it, and it is not archived. */
export function openChannelOf(call: MethodCall, name = "channel"): Channel {
  return requireOpen(call, channelOf(call, name));
}

/** As `openChannelOf`; a user's id stands for the direct message with them, which only `chat.postMessage` takes. */
export function openChannelOrPerson(call: MethodCall): Channel {
  const direct = directMessage(call, call.arguments.text("channel") ?? "");
  return direct === undefined ? openChannelOf(call) : requireOpen(call, direct);
}

function requireOpen(call: MethodCall, channel: Channel): Channel {
  if (channel.is_archived === true) throw new SlackRefusal("is_archived");
  requireMember(call, channel);
  return channel;
}

export function isMember(call: MethodCall, channel: Channel): boolean {
  return channel.members.includes(call.workspace.bot_user_id);
}

/** Refuses `not_in_channel` where the bot of the call is no member. */
export function requireMember(call: MethodCall, channel: Channel): void {
  if (!isMember(call, channel)) throw new SlackRefusal("not_in_channel");
}

export function canSee(call: MethodCall, channel: Channel): boolean {
  if (isMember(call, channel)) return true;
  return channel.kind === "public" && channel.team_id === call.workspace.id;
}

export function directMessage(call: MethodCall, userId: string): Channel | undefined {
  return [...call.world.channels.values()].find(
    (channel) =>
      channel.kind === "im" &&
      channel.members.includes(userId) &&
      channel.members.includes(call.workspace.bot_user_id),
  );
}

/** `channels:history`, `im:read` … by the kind of the channel named in the call. */
export function scopeByKind(suffix: "history" | "read" | "write", name = "channel") {
  return (call: MethodCall): string | undefined => {
    const channel = call.world.channels.get(call.arguments.text(name) ?? "");
    return channel === undefined ? undefined : `${kindWords[channel.kind].scope}:${suffix}`;
  };
}

/** The scope of a list of conversations: of its `types` the first that the token may not read. */
export function scopeByTypes(call: MethodCall): string {
  const scopes = typesOf(call).map((type) => {
    const kind = type.replace("_channel", "");
    return `${kind === "public" || kind === "private" || kind === "mpim" ? kindWords[kind].scope : "im"}:read`;
  });
  return scopes.find((scope) => !call.token.scopes.includes(scope)) ?? scopes[0] ?? "channels:read";
}

/** The `types` of the call; public channels unless it names others. */
export function typesOf(call: MethodCall): string[] {
  const types = (call.arguments.text("types") ?? "public_channel").split(",").map((type) => type.trim());
  if (types.some((type) => !["public_channel", "private_channel", "im", "mpim"].includes(type)))
    throw new SlackRefusal("invalid_types");
  return types;
}

/** One page of `items` and the cursor of the next, empty on the last page. */
export function page<T>(
  call: MethodCall,
  items: readonly T[],
  limit: { default: number; most: number },
): { items: T[]; next_cursor: string } {
  const size = call.arguments.integer("limit", limit.default);
  if (size < 1 || size > limit.most) throw new SlackRefusal("invalid_limit");
  const cursor = call.arguments.text("cursor");
  const start = cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64").toString().split(":")[1]);
  if (!Number.isInteger(start) || start < 0 || start > items.length) throw new SlackRefusal("invalid_cursor");
  const end = start + size;
  const next = end < items.length ? Buffer.from(`next:${end}`).toString("base64") : "";
  return { items: items.slice(start, end), next_cursor: next };
}
