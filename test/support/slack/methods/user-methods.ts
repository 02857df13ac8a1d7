import { canSee, type Method, type MethodCall, page, scopeByTypes, typesOf } from "../api/method.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";
import { renderChannel, typeName } from "../world/channel-shape.ts";
import { profileOf } from "../world/message-record.ts";
import type { SeedUser } from "../world/seed.ts";

const authTest: Method = {
  token: "bot",
  run: ({ workspace, world }) => ({
    url: `https://${workspace.domain}.slack.com/`,
    team: workspace.name,
    user: world.users.get(workspace.bot_user_id)?.name ?? "",
    team_id: workspace.id,
    user_id: workspace.bot_user_id,
    bot_id: workspace.bot_id,
    is_enterprise_install: false,
  }),
};

const connectionsOpen: Method = {
  token: "app",
  scope: "connections:write",
  run: ({ deliveries, baseUrl }) => {
    if (deliveries.hub.refusing) throw new SlackRefusal("internal_error");
    return { url: `${baseUrl.replace("http:", "ws:")}${deliveries.hub.ticket()}` };
  },
};

const usersInfo: Method = {
  token: "bot",
  scope: "users:read",
  run: (call) => {
    const user = call.world.users.get(call.arguments.text("user") ?? "");
    if (user === undefined || !known(call, user)) throw new SlackRefusal("user_not_found");
    return { user: renderUser(call, user) };
  },
};

const usersList: Method = {
  token: "bot",
  scope: "users:read",
  run: (call) => {
    const users = [...call.world.users.values()].filter((user) => known(call, user));
    const { items, next_cursor } = page(call, users, { default: 1000, most: 1000 });
    return { members: items.map((user) => renderUser(call, user)), response_metadata: { next_cursor } };
  },
};

/** Of a workspace's members, and of strangers those that share a channel with its bot. */
function known(call: MethodCall, user: SeedUser): boolean {
  if (user.team_id === call.workspace.id) return true;
  return [...call.world.channels.values()].some(
    (channel) =>
      channel.is_ext_shared === true &&
      channel.members.includes(user.id) &&
      channel.members.includes(call.workspace.bot_user_id),
  );
}

function renderUser(call: MethodCall, user: SeedUser): Record<string, unknown> {
  const stranger = user.team_id !== call.workspace.id;
  return {
    id: user.id,
    team_id: user.team_id,
    name: user.name,
    deleted: user.deleted === true,
    real_name: user.real_name,
    ...(user.deleted === true ? {} : { tz: user.tz, tz_label: user.tz, tz_offset: 3600 }),
    profile: {
      ...profileOf(call.world, user.id),
      ...(user.is_bot === true ? { api_app_id: call.world.seed.app.id } : {}),
    },
    is_admin: !stranger && user.is_admin === true,
    is_owner: !stranger && user.is_owner === true,
    is_primary_owner: !stranger && user.is_owner === true,
    is_restricted: user.is_restricted === true,
    is_ultra_restricted: user.is_ultra_restricted === true,
    is_bot: user.is_bot === true,
    is_app_user: false,
    is_stranger: stranger,
    updated: 1_700_000_000,
  };
}

/** A person's public channels, and their other channels that include the bot. Returns fewer fields than the other methods. */
const usersConversations: Method = {
  token: "bot",
  scope: scopeByTypes,
  run: (call) => {
    const kinds = typesOf(call);
    const user = call.arguments.text("user") ?? call.workspace.bot_user_id;
    if (call.world.users.get(user)?.is_stranger === true) throw new SlackRefusal("user_not_found");
    const channels = [...call.world.channels.values()].filter(
      (channel) =>
        channel.members.includes(user) &&
        canSee(call, channel) &&
        kinds.includes(typeName(channel.kind)) &&
        !(call.arguments.flag("exclude_archived") && channel.is_archived === true),
    );
    const { items, next_cursor } = page(call, channels, { default: 100, most: 999 });
    return {
      channels: items.map((channel) => {
        const { is_member: _, ...limited } = renderChannel(call, channel);
        return limited;
      }),
      response_metadata: { next_cursor },
    };
  },
};

/** https://docs.slack.dev/reference/methods/usergroups.list */
const userGroups: Method = {
  token: "bot",
  scope: "usergroups:read",
  run: ({ world, workspace, arguments: given }) => ({
    usergroups: (world.seed.user_groups ?? [])
      .filter(({ team_id }) => team_id === workspace.id)
      .map(({ id, handle, name, users, team_id }) => ({
        id,
        team_id,
        handle,
        name,
        is_usergroup: true,
        date_delete: 0,
        ...(given.flag("include_count") ? { user_count: String(users.length) } : {}),
      })),
  }),
};

export const userMethods: Record<string, Method> = {
  "usergroups.list": userGroups,
  "auth.test": authTest,
  "apps.connections.open": connectionsOpen,
  "users.info": usersInfo,
  "users.list": usersList,
  "users.conversations": usersConversations,
};
