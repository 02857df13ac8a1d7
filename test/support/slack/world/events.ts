import { mentions } from "../api/rich-text.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { type MessageRecord, renderMessage } from "./message-record.ts";
import { type Channel, kindWords, type Workspace, type World } from "./world.ts";

type Fields = Record<string, unknown>;

/** Sends events to the app, to the workspaces and with the scopes that Slack would. */
export class Events {
  readonly #world: World;
  readonly #deliveries: Deliveries;
  readonly #baseUrl: string;

  constructor(world: World, deliveries: Deliveries, baseUrl: string) {
    this.#world = world;
    this.#deliveries = deliveries;
    this.#baseUrl = baseUrl;
  }

  /** An event for one workspace. Undefined if its bot lacks the scope that the event needs. */
  send(workspace: Workspace, event: Fields, scope?: string, shared = false): Delivery | undefined {
    const token = this.#world.botToken(workspace.id);
    if (scope !== undefined && token?.scopes.includes(scope) !== true) return undefined;
    const enterprise = token?.enterprise_id ?? null;
    const eventId = this.#world.id("Ev");
    const name = event.subtype === undefined ? String(event.type) : `${event.type}.${event.subtype}`;
    const { app } = this.#world.seed;
    return this.#deliveries.deliver("events_api", name, workspace.id, {
      token: app.verification_token,
      team_id: workspace.id,
      ...(enterprise === null ? {} : { enterprise_id: enterprise }),
      context_team_id: workspace.id,
      context_enterprise_id: enterprise,
      api_app_id: app.id,
      event,
      type: "event_callback",
      event_id: eventId,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        {
          enterprise_id: enterprise,
          team_id: workspace.id,
          user_id: workspace.bot_user_id,
          is_bot: true,
          is_enterprise_install: enterprise !== null,
        },
      ],
      is_ext_shared_channel: shared,
      event_context: `4-${Buffer.from(eventId).toString("base64url")}`,
    });
  }

  /** `message`, and `app_mention` with an event id of its own if the message mentions the bot outside a direct message. */
  posted(message: MessageRecord): void {
    for (const { workspace, channel, scope } of this.#audience(message)) {
      const rendered = renderMessage(this.#world, message, { metadata: true, baseUrl: this.#baseUrl });
      const asks = channel.kind === "im" || mentions(message.text, workspace.bot_user_id);
      const token = asks && message.bot_id === undefined ? this.#actionToken(message.user) : {};
      const entities = channel.kind === "im" ? this.#world.looking.get(message.user) : undefined;
      const open = entities === undefined ? {} : { app_context: { entities } };
      const event = { ...rendered, ...token, ...open, ...this.#place(channel, message.ts) };
      this.send(workspace, event, scope, channel.is_ext_shared);
      this.#mention(workspace, channel, message, { ...rendered, ...token }, message.ts);
    }
  }

  /** `message_changed`. A person's edit that still mentions the bot comes as `app_mention` once more, with `edited`. */
  changed(message: MessageRecord, previous: Fields, byPerson: boolean): void {
    const at = this.#world.timestamp();
    for (const { workspace, channel, scope } of this.#audience(message)) {
      const rendered = renderMessage(this.#world, message, { metadata: true, baseUrl: this.#baseUrl });
      const event = {
        type: "message",
        subtype: "message_changed",
        message: rendered,
        previous_message: previous,
        hidden: true,
        ...this.#place(channel, at),
        ts: at,
      };
      this.send(workspace, event, scope, channel.is_ext_shared);
      if (byPerson) this.#mention(workspace, channel, message, rendered, at);
    }
  }

  deleted(message: MessageRecord, previous: Fields): void {
    const at = this.#world.timestamp();
    for (const { workspace, channel, scope } of this.#audience(message)) {
      const event = {
        type: "message",
        subtype: "message_deleted",
        previous_message: previous,
        deleted_ts: message.ts,
        hidden: true,
        ...this.#place(channel, at),
        ts: at,
      };
      this.send(workspace, event, scope, channel.is_ext_shared);
    }
  }

  /** The message in the form of the next event; take it before a change for `previous_message`. */
  snapshot(message: MessageRecord): Fields {
    return renderMessage(this.#world, message, { metadata: true, baseUrl: this.#baseUrl });
  }

  #mention(
    workspace: Workspace,
    channel: Channel,
    message: MessageRecord,
    rendered: Fields,
    eventTs: string,
  ): void {
    const direct = channel.kind === "im";
    if (direct || message.bot_id !== undefined || !mentions(message.text, workspace.bot_user_id)) return;
    const { subtype: _, ...fields } = rendered;
    const event = { ...fields, type: "app_mention", channel: channel.id, event_ts: eventTs };
    this.send(workspace, event, "app_mentions:read", channel.is_ext_shared);
  }

  /** Comes with a message to the bot, at the top of the event (slack-go #1577). */
  #actionToken(user: string): Fields {
    const action_token = this.#world.id("act-");
    this.#world.actionTokens.set(action_token, user);
    return { action_token };
  }

  #audience(message: MessageRecord): { workspace: Workspace; channel: Channel; scope: string }[] {
    const channel = this.#world.channels.get(message.channel);
    if (channel === undefined) return [];
    const scope = `${kindWords[channel.kind].scope}:history`;
    return this.#world.workspacesIn(channel).map((workspace) => ({ workspace, channel, scope }));
  }

  #place(channel: Channel, eventTs: string): Fields {
    return {
      channel: channel.id,
      event_ts: eventTs,
      channel_type: kindWords[channel.kind].channelType,
    };
  }
}
