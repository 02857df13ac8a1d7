/** The initial state of the fake Slack. Field names are Slack's. */

export interface SeedWorkspace {
  id: string;
  name: string;
  domain: string;
  bot_user_id: string;
  bot_id: string;
  bot_token: string;
  bot_scopes: readonly string[];
  /** False: the app is there only after an OAuth exchange; until then its token answers `invalid_auth`. */
  installed: boolean;
  /**
   * Agent sessions: `stoppable` for an app with a subscription to `agent_session_stopped`, `yes` without it; `none`: not in this
   * workspace. Default: `yes`.
   */
  sessions?: "none" | "yes" | "stoppable";
}

export interface SeedUser {
  id: string;
  team_id: string;
  name: string;
  real_name: string;
  display_name: string;
  tz: string;
  is_admin?: boolean;
  is_owner?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_bot?: boolean;
  /** From another company, seen through a shared channel. */
  is_stranger?: boolean;
  deleted?: boolean;
}

export type ChannelKind = "public" | "private" | "im" | "mpim";

export interface SeedChannel {
  id: string;
  team_id: string;
  name: string;
  kind: ChannelKind;
  creator: string;
  /** User ids. The bot is in the channel only if it is one of them. */
  members: readonly string[];
  is_archived?: boolean;
  /** Shared with another company (Slack Connect). */
  is_ext_shared?: boolean;
}

interface SeedUserGroup {
  id: string;
  team_id: string;
  handle: string;
  name: string;
  users: readonly string[];
}

interface SeedApp {
  id: string;
  name: string;
  app_token: string;
  signing_secret: string;
  verification_token: string;
  client_id: string;
  client_secret: string;
}

export interface SlackSeed {
  app: SeedApp;
  workspaces: readonly SeedWorkspace[];
  users: readonly SeedUser[];
  channels: readonly SeedChannel[];
  user_groups?: readonly SeedUserGroup[];
}

/** Every scope that an event or method of the fake asks for. */
export const allScopes: readonly string[] = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "mpim:read",
  "mpim:write",
  "pins:write",
  "reactions:read",
  "reactions:write",
  "search:read.im",
  "search:read.mpim",
  "search:read.private",
  "search:read.public",
  "team:read",
  "usergroups:read",
  "users:read",
];

/**
 * Two workspaces with the app, and one (`T0INITECH`) that has not installed it. In Acme: Anna (owner), Ben (member), Gus
 * (single-channel guest) and Stella (from another company). `C0RANDOM` is public and the bot is not in it.
 */
export function defaultSeed(): SlackSeed {
  return {
    app: {
      id: "A0KNACK",
      name: "Knack",
      app_token: "xapp-1-A0KNACK-1-test",
      signing_secret: "signing-secret-of-the-fake",
      verification_token: "verification-token",
      client_id: "1000.2000",
      client_secret: "client-secret-of-the-fake",
    },
    workspaces: [
      workspace("T0ACME", "Acme", "U0KNACK", "B0KNACK"),
      workspace("T0GLOBEX", "Globex", "U1KNACK", "B1KNACK"),
      { ...workspace("T0INITECH", "Initech", "U2KNACK", "B2KNACK"), installed: false },
    ],
    users: [
      user("U0ANNA", "T0ACME", "anna", "Anna Acker", { is_admin: true, is_owner: true }),
      user("U0BEN", "T0ACME", "ben", "Ben Beck"),
      user("U0GUS", "T0ACME", "gus", "Gus Gast", { is_restricted: true, is_ultra_restricted: true }),
      user("U0STELLA", "T0OTHER", "stella", "Stella Stern", { is_stranger: true }),
      user("U1CARL", "T0GLOBEX", "carl", "Carl Clay"),
      user("U2DORA", "T0INITECH", "dora", "Dora Dorn", { is_admin: true }),
    ],
    channels: [
      channel("C0GENERAL", "general", "public", ["U0ANNA", "U0BEN", "U0KNACK"]),
      channel("C0RANDOM", "random", "public", ["U0ANNA", "U0BEN"]),
      channel("C0PRIVATE", "leads", "private", ["U0ANNA", "U0KNACK"]),
      channel("C0HIDDEN", "hidden", "private", ["U0ANNA"]),
      { ...channel("C0OLD", "old", "public", ["U0ANNA", "U0KNACK"]), is_archived: true },
      {
        ...channel("C0SHARED", "shared", "public", ["U0ANNA", "U0GUS", "U0STELLA", "U0KNACK"]),
        is_ext_shared: true,
      },
      channel("D0ANNA", "", "im", ["U0ANNA", "U0KNACK"]),
      channel("D0BEN", "", "im", ["U0BEN", "U0KNACK"]),
      channel("G0GROUP", "mpdm-anna--ben--knack-1", "mpim", ["U0ANNA", "U0BEN", "U0KNACK"]),
      { ...channel("C1GENERAL", "general", "public", ["U1CARL", "U1KNACK"]), team_id: "T0GLOBEX" },
      { ...channel("C2GENERAL", "general", "public", ["U2DORA", "U2KNACK"]), team_id: "T0INITECH" },
    ],
    user_groups: [{ id: "S0ONCALL", team_id: "T0ACME", handle: "oncall", name: "On call", users: ["U0BEN"] }],
  };
}

function workspace(id: string, name: string, botUser: string, bot: string): SeedWorkspace {
  return {
    id,
    name,
    domain: name.toLowerCase(),
    bot_user_id: botUser,
    bot_id: bot,
    bot_token: `xoxb-${id}-first`,
    bot_scopes: allScopes,
    installed: true,
  };
}

function user(
  id: string,
  team: string,
  name: string,
  realName: string,
  more: Partial<SeedUser> = {},
): SeedUser {
  return {
    id,
    team_id: team,
    name,
    real_name: realName,
    display_name: name,
    tz: "Europe/Amsterdam",
    ...more,
  };
}

function channel(id: string, name: string, kind: ChannelKind, members: readonly string[]): SeedChannel {
  return { id, team_id: "T0ACME", name, kind, creator: members[0] ?? "", members };
}
