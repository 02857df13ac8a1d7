import type { Backend } from "./api/method.ts";
import { ControlRefusal } from "./control-refusal.ts";
import { requireChannel, requireUser } from "./world/people.ts";
import type { SeedChannel, SeedUser } from "./world/seed.ts";
import { type Channel, kindWords, type Workspace } from "./world/world.ts";

/** Changes to channels, people, tokens and the app in a workspace. */
export function workspaceControls(backend: Backend) {
  const { world, events } = backend;
  return {
    /** Removes the bot from a channel. */
    kick: ({ channel: id }: { channel: string }): void => {
      const { channel, workspace } = botPlace(backend, id);
      channel.members = channel.members.filter((member) => member !== workspace.bot_user_id);
      membership(backend, workspace, channel, "member_left_channel", {});
      world.touch();
    },
    /** A person leaves a channel, or is removed from it. */
    leave: ({ channel: id, user }: { channel: string; user: string }): void => {
      const channel = requireChannel(backend, id);
      channel.members = channel.members.filter((member) => member !== user);
      world.touch();
    },
    addChannel: (channel: SeedChannel): void => {
      world.addChannel(channel);
      world.touch();
    },
    archive: ({ channel: id }: { channel: string }): void => {
      requireChannel(backend, id).is_archived = true;
      world.touch();
    },
    addUser: (given: SeedUser | readonly SeedUser[]): void => {
      for (const user of [given].flat()) world.users.set(user.id, user);
      world.touch();
    },
    changeUser: ({ user, ...changes }: { user: string } & Partial<Omit<SeedUser, "id">>): void => {
      world.users.set(user, { ...requireUser(backend, user), ...changes });
      world.touch();
    },
    /** The person opens the app's home or its messages tab. */
    openHome: ({ user, tab }: { user: string; tab?: "home" | "messages" }): void => {
      const { channel, workspace } = directWith(backend, user);
      const home = [...world.views.values()].find((view) => view.type === "home" && view.user === user);
      const view = home === undefined ? {} : { view: { id: home.id, ...home.view, hash: home.hash } };
      const entities = world.looking.get(user);
      const open = entities === undefined ? {} : { context: { entities } };
      const at = { user, channel: channel.id, tab: tab ?? "home" };
      const event = { type: "app_home_opened", ...at, ...open, ...view };
      events.send(workspace, { ...event, event_ts: world.timestamp() });
    },
    /** The person opens something beside the agent view. `anonymous`: the event without person and channel, as Slack's page has it. */
    lookAt: ({
      user,
      entities,
      anonymous,
    }: {
      user: string;
      entities: unknown[];
      anonymous?: boolean;
    }): void => {
      const { channel, workspace } = directWith(backend, user);
      world.looking.set(user, entities);
      const who = anonymous === true ? {} : { user, channel: channel.id };
      const context = entities.length === 0 ? {} : { entities };
      events.send(workspace, { type: "app_context_changed", ...who, context, event_ts: world.timestamp() });
    },
    /** The person starts an assistant thread in the direct message with the bot. */
    assistantThread: ({ user, context_channel }: { user: string; context_channel?: string }) => {
      const { channel, workspace } = directWith(backend, user);
      const thread_ts = world.timestamp();
      world.assistantThreads.push({ channel: channel.id, thread_ts, user });
      world.messages.push({
        team_id: workspace.id,
        channel: channel.id,
        ts: thread_ts,
        user: workspace.bot_user_id,
        bot_id: workspace.bot_id,
        text: "New Assistant Thread",
        subtype: "assistant_app_thread",
        blocks: [],
        attachments: [],
        files: [],
        broadcast: false,
        edits: 0,
        truncated: false,
        reactions: [],
        gone: false,
      });
      assistantEvent(
        backend,
        workspace,
        "assistant_thread_started",
        channel,
        thread_ts,
        user,
        context_channel,
      );
      world.touch();
      return { channel: channel.id, thread_ts };
    },
    /** Somebody presses Slack's own Stop: Slack ends the streams of the thread, and leaves the rest to the app. */
    stopSession: ({ channel: id, user, thread_ts }: { channel: string; user: string; thread_ts: string }) => {
      const { channel, workspace } = botPlace(backend, id);
      const session = world.sessions.find((each) => each.channel === id && each.thread_ts === thread_ts);
      if (session?.statuses.at(-1) !== "processing" || workspace.sessions !== "stoppable")
        throw new ControlRefusal("no_stop", "Slack shows no Stop button there.");
      const streams = world.messages.filter(
        (each) =>
          each.channel === id &&
          each.thread_ts === thread_ts &&
          each.stream?.state === "in_progress" &&
          !each.gone,
      );
      for (const { stream } of streams) if (stream !== undefined) stream.state = "completed";
      const streaming_message_ts = streams.map(({ ts }) => ts);
      const event = {
        type: "agent_session_stopped",
        channel: channel.id,
        user,
        thread_ts,
        streaming_message_ts,
      };
      events.send(workspace, { ...event, event_ts: world.timestamp() });
      world.touch();
    },
    /** Takes the app out of a workspace. */
    uninstall: ({ team }: { team: string }): void => {
      const workspace = requireWorkspace(backend, team);
      for (const token of world.tokens.values()) if (token.team_id === team) token.refused = "token_revoked";
      const tokens = { oauth: [], bot: [workspace.bot_user_id] };
      events.send(workspace, { type: "tokens_revoked", tokens, event_ts: world.timestamp() });
      events.send(workspace, { type: "app_uninstalled", event_ts: world.timestamp() });
      workspace.installed = false;
      world.touch();
    },
    /** Makes a token answer `error` from now on. */
    revoke: ({ token: text, error }: { token: string; error?: "token_revoked" | "invalid_auth" }): void => {
      const token = world.tokens.get(text);
      if (token === undefined) throw new ControlRefusal("token_not_found", "There is no such token.");
      token.refused = error ?? "token_revoked";
      const workspace = world.workspaces.get(token.team_id);
      if (workspace !== undefined) {
        const tokens = { oauth: [], bot: [workspace.bot_user_id] };
        events.send(workspace, { type: "tokens_revoked", tokens, event_ts: world.timestamp() });
      }
      world.touch();
    },
    /** Takes scopes from a workspace's tokens. */
    removeScopes: ({ team, scopes }: { team: string; scopes: readonly string[] }): void => {
      for (const token of world.tokens.values())
        if (token.team_id === team) token.scopes = token.scopes.filter((scope) => !scopes.includes(scope));
      world.touch();
    },
  };
}

export function requireWorkspace(backend: Backend, id: string): Workspace {
  const workspace = backend.world.workspaces.get(id);
  if (workspace === undefined) throw new ControlRefusal("team_not_found", `There is no workspace ${id}.`);
  return workspace;
}

function botPlace(backend: Backend, id: string): { channel: Channel; workspace: Workspace } {
  const channel = requireChannel(backend, id);
  return { channel, workspace: requireWorkspace(backend, channel.team_id) };
}

/** The direct message of a person with the bot of their workspace, created if it does not exist. */
function directWith(backend: Backend, userId: string): { channel: Channel; workspace: Workspace } {
  const user = requireUser(backend, userId);
  const workspace = requireWorkspace(backend, user.team_id);
  const members = [userId, workspace.bot_user_id];
  const existing = [...backend.world.channels.values()].find(
    (channel) => channel.kind === "im" && members.every((member) => channel.members.includes(member)),
  );
  const id = backend.world.id("D");
  const channel =
    existing ??
    backend.world.addChannel({ id, team_id: workspace.id, name: "", kind: "im", creator: userId, members });
  return { channel, workspace };
}

function membership(
  backend: Backend,
  workspace: Workspace,
  channel: Channel,
  type: string,
  more: Record<string, unknown>,
): void {
  const { scope } = kindWords[channel.kind];
  backend.events.send(
    workspace,
    {
      type,
      user: workspace.bot_user_id,
      channel: channel.id,
      channel_type: channel.kind === "public" ? "C" : "G",
      team: workspace.id,
      ...more,
      event_ts: backend.world.timestamp(),
    },
    `${scope}:read`,
  );
}

function assistantEvent(
  backend: Backend,
  workspace: Workspace,
  type: string,
  channel: Channel,
  threadTs: string,
  user: string,
  contextChannel: string | undefined,
): void {
  const context =
    contextChannel === undefined
      ? {}
      : { channel_id: contextChannel, team_id: workspace.id, enterprise_id: null };
  backend.events.send(
    workspace,
    {
      type,
      assistant_thread: { user_id: user, context, channel_id: channel.id, thread_ts: threadTs },
      event_ts: backend.world.timestamp(),
    },
    "assistant:write",
  );
}
