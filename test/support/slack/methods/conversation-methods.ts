import {
  channelOf,
  directMessage,
  type Method,
  type MethodCall,
  page,
  requireMember,
  scopeByKind,
} from "../api/method.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";
import { renderChannel } from "../world/channel-shape.ts";
import { type MessageRecord, renderMessage, repliesTo } from "../world/message-record.ts";

const info: Method = {
  token: "bot",
  scope: scopeByKind("read"),
  run: (call) => {
    const channel = channelOf(call);
    return {
      channel: {
        ...renderChannel(call, channel),
        ...(call.arguments.flag("include_num_members") ? { num_members: channel.members.length } : {}),
      },
    };
  },
};

const members: Method = {
  token: "bot",
  scope: scopeByKind("read"),
  run: (call) => {
    const channel = channelOf(call);
    const { items, next_cursor } = page(call, channel.members, { default: 100, most: 1000 });
    return { members: items, response_metadata: { next_cursor } };
  },
};

const open: Method = {
  token: "bot",
  scope: (call) => ((call.arguments.text("users") ?? "").includes(",") ? "mpim:write" : "im:write"),
  run: (call) => {
    const ids = (call.arguments.text("users") ?? "").split(",").filter((id) => id !== "");
    if (ids.length === 0) throw new SlackRefusal("users_list_not_supplied");
    for (const id of ids) {
      if (!call.world.users.has(id)) throw new SlackRefusal("user_not_found");
      if (call.world.users.get(id)?.is_bot === true) throw new SlackRefusal("cannot_dm_bot");
    }
    const [first = ""] = ids;
    const bot = call.workspace.bot_user_id;
    const existing =
      ids.length === 1
        ? directMessage(call, first)
        : [...call.world.channels.values()].find(
            ({ kind, members: people }) =>
              kind === "mpim" &&
              people.length === ids.length + 1 &&
              [...ids, bot].every((id) => people.includes(id)),
          );
    const channel =
      existing ??
      call.world.addChannel({
        id: call.world.id(ids.length === 1 ? "D" : "G"),
        team_id: call.workspace.id,
        name: ids.length === 1 ? "" : `mpdm-${ids.join("--").toLowerCase()}-1`,
        kind: ids.length === 1 ? "im" : "mpim",
        creator: bot,
        members: [...ids, bot],
      });
    call.world.touch();
    const whole = call.arguments.flag("return_im") ? renderChannel(call, channel) : { id: channel.id };
    return existing === undefined ? { channel: whole } : { no_op: true, already_open: true, channel: whole };
  },
};

const history: Method = {
  token: "bot",
  scope: scopeByKind("history"),
  run: (call) => {
    const channel = channelOf(call);
    requireMember(call, channel);
    const messages = call.world.messages
      .filter((message) => message.channel === channel.id && !message.gone)
      .filter((message) => message.thread_ts === undefined || message.broadcast)
      .filter(within(call))
      .reverse();
    return answer(call, messages, 100);
  },
};

const replies: Method = {
  token: "bot",
  scope: scopeByKind("history"),
  run: (call) => {
    const channel = channelOf(call);
    requireMember(call, channel);
    const ts = call.arguments.required("ts");
    const parent = call.world.message(channel.id, ts);
    const inThread = call.world.messages.filter(
      (message) => message.channel === channel.id && message.thread_ts === ts && !message.gone,
    );
    if (parent === undefined && inThread.length === 0) throw new SlackRefusal("thread_not_found");
    const below = parent === undefined ? inThread : repliesTo(call.world, parent);
    const newer = below.filter(within(call));
    // The parent comes first regardless of `oldest`.
    return answer(call, parent === undefined ? newer : [parent, ...newer], 1000);
  },
};

/** `oldest` and `latest` are exclusive unless `inclusive`. */
function within(call: MethodCall): (message: MessageRecord) => boolean {
  const oldest = call.arguments.text("oldest") ?? "0";
  const latest = call.arguments.text("latest");
  const inclusive = call.arguments.flag("inclusive");
  return ({ ts }) => {
    const afterOldest = Number(ts) > Number(oldest) || (inclusive && ts === oldest);
    if (latest === undefined) return afterOldest;
    return afterOldest && (Number(ts) < Number(latest) || (inclusive && ts === latest));
  };
}

function answer(
  call: MethodCall,
  messages: readonly MessageRecord[],
  defaultLimit: number,
): Record<string, unknown> {
  const { items, next_cursor } = page(call, messages, { default: defaultLimit, most: 1000 });
  const metadata = call.arguments.flag("include_all_metadata");
  return {
    messages: items.map((message) => renderMessage(call.world, message, { metadata, baseUrl: call.baseUrl })),
    has_more: next_cursor !== "",
    pin_count: 0,
    ...(next_cursor === "" ? {} : { response_metadata: { next_cursor } }),
  };
}

export const conversationMethods: Record<string, Method> = {
  "conversations.info": info,
  "conversations.members": members,
  "conversations.open": open,
  "conversations.history": history,
  "conversations.replies": replies,
};
