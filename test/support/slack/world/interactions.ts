import { elementValue, findElement } from "../api/action-elements.ts";
import type { Backend } from "../api/method.ts";
import { postAcknowledgement } from "../api/response-urls.ts";
import { ControlRefusal } from "../control-refusal.ts";
import { requireView } from "../view-controls.ts";
import { requireWorkspace } from "../workspace-controls.ts";
import { channelName, interactionBase, renderView } from "./interaction-payloads.ts";
import { renderMessage } from "./message-record.ts";
import { requireChannel, requireMemberUser, requireMessage, requireUser } from "./people.ts";
import type { Channel, Workspace } from "./world.ts";

type Fields = Record<string, unknown>;

export interface Click {
  user: string;
  /** The channel of the message; not for a view. */
  channel?: string;
  message_ts?: string;
  view_id?: string;
  action_id: string;
  block_id?: string;
  /** Of a button the one to click if several have the action; of a select what the person chooses. */
  value?: unknown;
}

/** Commands, clicks and shortcuts. Each answers the id of its delivery. */
export function interactionControls(backend: Backend) {
  const { world, deliveries, interactivity } = backend;
  return {
    /** A slash command; people can write one in any channel, also where the bot is not. */
    command: (given: { user: string; channel: string; command: string; text?: string }) => {
      const channel = requireChannel(backend, given.channel);
      requireMemberUser(backend, given.user, channel);
      const workspace = requireWorkspace(backend, channel.team_id);
      const team = workspace.id;
      if (world.botToken(team)?.scopes.includes("commands") !== true)
        throw new ControlRefusal(
          "no_commands",
          "The app has no `commands` scope, so nobody can see its commands.",
        );
      const place = { channel: channel.id, user: given.user, team_id: team };
      const enterprise = world.botToken(team)?.enterprise_id;
      const delivery = deliveries.deliver(
        "slash_commands",
        given.command,
        team,
        {
          token: world.seed.app.verification_token,
          team_id: team,
          team_domain: workspace.domain,
          channel_id: channel.id,
          channel_name: channelName(channel),
          user_id: given.user,
          user_name: requireUser(backend, given.user).name,
          command: given.command,
          text: given.text ?? "",
          api_app_id: world.seed.app.id,
          ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
          is_enterprise_install: `${enterprise !== undefined}`,
          response_url: interactivity.responseUrl("commands", place),
          trigger_id: interactivity.trigger(given.user, team),
        },
        (response) => answerCommand(backend, channel, given.user, response),
      );
      return { id: delivery.id };
    },
    /** Clicks or chooses in a message or view. Refused if that is not there any more. */
    click: (given: Click) => {
      const user = requireUser(backend, given.user);
      const payload =
        given.view_id === undefined ? clickedMessage(backend, given) : clickedView(backend, given);
      const { team } = payload as { team: { id: string } };
      const delivery = deliveries.deliver("interactive", "block_actions", team.id, payload);
      return { id: delivery.id, user: user.id };
    },
    /** A message shortcut. */
    shortcut: (given: { user: string; callback_id: string; channel: string; message_ts: string }) => {
      const channel = requireChannel(backend, given.channel);
      requireMemberUser(backend, given.user, channel);
      const message = requireMessage(backend, channel.id, given.message_ts);
      const workspace = requireWorkspace(backend, channel.team_id);
      const place = { channel: channel.id, user: given.user, team_id: workspace.id };
      const delivery = deliveries.deliver("interactive", "message_action", workspace.id, {
        ...interactionBase(backend, workspace, given.user),
        type: "message_action",
        action_ts: world.timestamp(),
        channel: { id: channel.id, name: channelName(channel) },
        callback_id: given.callback_id,
        trigger_id: interactivity.trigger(given.user, workspace.id),
        response_url: interactivity.responseUrl("app", place),
        message_ts: message.ts,
        message: renderMessage(world, message, { metadata: false, baseUrl: backend.baseUrl }),
      });
      return { id: delivery.id };
    },
  };
}

/** What the app acknowledges a command with becomes a message, for the person alone unless it says otherwise. */
function answerCommand(backend: Backend, channel: Channel, user: string, response: unknown): void {
  const fields: Fields = typeof response === "string" ? { text: response } : { ...(response as Fields) };
  const { text, blocks, response_type } = fields;
  if (typeof text !== "string" && !Array.isArray(blocks)) return;
  const place = { channel: channel.id, user, team_id: channel.team_id };
  postAcknowledgement(backend, place, { ...fields, response_type: response_type ?? "ephemeral" });
}

interface Clicked {
  ts: string;
  blocks: unknown[];
  thread_ts?: string;
  ephemeral: boolean;
  rendered: Fields;
}

function clickedMessage(backend: Backend, given: Click): Fields {
  const channel = requireChannel(backend, given.channel ?? "");
  requireMemberUser(backend, given.user, channel);
  const clicked = messageForClick(backend, channel, given);
  const workspace = requireWorkspace(backend, channel.team_id);
  const thread = clicked.thread_ts === undefined ? {} : { thread_ts: clicked.thread_ts };
  return {
    ...interactionBase(backend, workspace, given.user),
    type: "block_actions",
    container: {
      type: "message",
      message_ts: clicked.ts,
      channel_id: channel.id,
      is_ephemeral: clicked.ephemeral,
      ...thread,
    },
    trigger_id: backend.interactivity.trigger(given.user, workspace.id),
    channel: { id: channel.id, name: channelName(channel) },
    ...(clicked.ephemeral ? {} : { message: clicked.rendered }),
    state: { values: {} },
    response_url: backend.interactivity.responseUrl("actions", {
      channel: channel.id,
      user: given.user,
      team_id: workspace.id,
      original: { ts: clicked.ts, ephemeral: clicked.ephemeral },
    }),
    actions: [actionOf(backend, clicked.blocks, given)],
  };
}

function messageForClick(backend: Backend, channel: Channel, given: Click): Clicked {
  const ts = given.message_ts ?? "";
  const ephemeral = backend.world.ephemerals.find((each) => each.channel === channel.id && each.ts === ts);
  if (ephemeral !== undefined) {
    if (!ephemeral.shown || ephemeral.user !== given.user)
      throw new ControlRefusal("message_not_found", `${given.user} does not see this message.`);
    return { ...ephemeral, ephemeral: true, rendered: {} };
  }
  const message = requireMessage(backend, channel.id, ts);
  const rendered = renderMessage(backend.world, message, { metadata: true, baseUrl: backend.baseUrl });
  return { ...message, ephemeral: false, rendered };
}

function clickedView(backend: Backend, given: Click): Fields {
  const record = requireView(backend, given.user, given.view_id ?? "");
  const workspace: Workspace = requireWorkspace(backend, record.team_id);
  const modal = record.type === "modal" ? record.id : undefined;
  return {
    ...interactionBase(backend, workspace, given.user),
    type: "block_actions",
    container: { type: "view", view_id: record.id },
    trigger_id: backend.interactivity.trigger(given.user, workspace.id, modal),
    view: renderView(backend, record),
    actions: [actionOf(backend, record.blocks, given)],
  };
}

function actionOf(backend: Backend, blocks: readonly unknown[], given: Click): Fields {
  const { element, block_id } = findElement(blocks, given.action_id, given.block_id, given.value);
  return {
    action_id: given.action_id,
    block_id,
    ...(element.text === undefined ? {} : { text: element.text }),
    ...elementValue(element, given.value),
    action_ts: backend.world.timestamp(),
  };
}
