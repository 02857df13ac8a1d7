import type { App as Bolt, Context } from "@slack/bolt";
import { z } from "zod";
import type { ChatIntake } from "../../../app/chat/chat-intake.ts";
import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { LookedAt } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ActionTokens } from "../channel/action-tokens.ts";
import {
  appContextSchema,
  changedEventSchema,
  deletedEventSchema,
  isSaid,
  messageEventSchema,
  type SlackMessage,
} from "../channel/message-event.ts";
import {
  isDirect,
  isOwn,
  lookedAt,
  parseEdit,
  parseMessage,
  placeOf,
  type Self,
  type Where,
} from "../channel/parse-message.ts";
import { namesOf } from "../channel/read-history.ts";
import type { ReplyAddresses } from "../channel/reply-addresses.ts";
import {
  directNamespace,
  directThread,
  isTimestamp,
  messageKey,
  slackNamespace,
  timeOf,
} from "../channel/slack-place.ts";
import type { SlackContext } from "../channel/slack-rooms.ts";
import type { ThreadTitles } from "../channel/thread-titles.ts";
import { fallbackTo } from "../connection/slack-call.ts";
import type { Home } from "./home.ts";

/** What listening to Slack takes. */
export interface Listening extends SlackContext {
  intake: ChatIntake;
  home: Home;
  titles: ThreadTitles;
  tokens: ActionTokens;
  addresses: ReplyAddresses;
  clock: Clock;
  /** The app was removed from a workspace, or its tokens were withdrawn. */
  uninstalled(team: string): Promise<void>;
}

/**
 * Hands Slack's events to the intake. A listener resolves when the event is stored, and rejects when it must be delivered
 * again.
 */
export function listenToEvents(bolt: Bolt, listening: Listening): void {
  // Looking up names takes a different time for each message.
  const order = new KeyedMutex();
  for (const name of ["message", "app_mention"] as const)
    bolt.event(name, ({ event, context }) => {
      const { channel, ts, thread_ts = ts }: { channel: string; ts: string; thread_ts?: string } = event;
      const thread = isDirect(event) ? channel : `${channel} ${thread_ts}`;
      return order.run(thread, () => onMessage(listening, event, selfOf(context)));
    });
  bolt.event("member_joined_channel", async ({ event, context }) => {
    const { team, self } = selfOf(context);
    if (event.user !== self) return;
    await listening.intake.joined({ namespace: slackNamespace(team, event.channel), by: event.inviter });
  });
  bolt.event("member_left_channel", async ({ event, context }) => {
    const { team, self } = selfOf(context);
    if (event.user === self) await listening.intake.left(slackNamespace(team, event.channel));
  });
  for (const name of ["reaction_added", "reaction_removed"] as const) {
    bolt.event(name, ({ event, context }) => onReaction(listening, event, selfOf(context)));
  }
  for (const name of ["channel_left", "group_left"] as const) {
    bolt.event(name, ({ event, context }) =>
      listening.intake.left(slackNamespace(selfOf(context).team, String(event.channel))),
    );
  }
  bolt.event("agent_session_stopped", async ({ event, context }) => {
    const { channel, user, thread_ts, event_ts } = event;
    const me = selfOf(context);
    const place = placeOf({ channel }, { ts: event_ts, thread_ts }, me, user);
    await listening.intake.stopped({ place, person: user, id: event_ts });
  });
  bolt.event("assistant_thread_started", async ({ event, context }) => {
    const { team } = selfOf(context);
    const { user_id, channel_id, thread_ts } = event.assistant_thread;
    listening.directory.learnDirectChannel(team, user_id, channel_id);
    const place = { namespace: directNamespace(team, user_id), thread: thread_ts };
    await listening.titles.started(place);
    await suggestPrompts(listening, team, channel_id, place, user_id);
  });
  bolt.event("app_home_opened", async ({ event, context }) => {
    const { team } = selfOf(context);
    listening.directory.learnDirectChannel(team, event.user, event.channel);
    if (event.tab !== "messages") return listening.home.show(team, event.user);
    // Apps with an agent view get no `assistant_thread_started`; this event says that somebody opened the conversation.
    const place = { namespace: directNamespace(team, event.user), thread: directThread };
    const seen = await lookedAt(
      appContextSchema.parse(event.context),
      team,
      namesOf(listening.directory, team),
    );
    await suggestPrompts(listening, team, event.channel, place, event.user, seen);
  });
  bolt.event("app_context_changed", async ({ event, context }) => {
    const { team } = selfOf(context);
    const { user, channel, context: open } = contextEventSchema.parse(event);
    // Slack's page documents the event without both: then nobody knows whose prompts these are.
    if (user === undefined || channel === undefined) return;
    const seen = await lookedAt(open, team, namesOf(listening.directory, team));
    const place = { namespace: directNamespace(team, user), thread: directThread };
    await suggestPrompts(listening, team, channel, place, user, seen);
  });
  for (const name of ["app_uninstalled", "tokens_revoked"] as const) {
    bolt.event(name, ({ body, event }) => {
      const bots = "tokens" in event ? (event.tokens.bot ?? []) : ["all"];
      return bots.length === 0 ? Promise.resolve() : listening.uninstalled(body.team_id);
    });
  }
}

/** The bot's ids in the workspace of an event, as our `authorize` returned them. */
export function selfOf({ teamId = "", botUserId = "", botId = "", direct }: Context): Self {
  return { team: teamId, self: botUserId, bot: botId, direct: direct === "one" ? "one" : "threads" };
}

const contextEventSchema = z.looseObject({
  user: z.string().optional(),
  channel: z.string().optional(),
  context: appContextSchema,
});

/** https://docs.slack.dev/reference/events/reaction_added */
const reactionSchema = z.looseObject({
  type: z.string(),
  user: z.string(),
  reaction: z.string(),
  item: z.looseObject({ type: z.string(), channel: z.string().optional(), ts: z.string().optional() }),
  event_ts: z.string(),
});

async function onReaction({ intake }: Listening, event: unknown, me: Self): Promise<void> {
  const { team, self } = me;
  const { type, user, reaction, item, event_ts } = reactionSchema.parse(event);
  const { channel, ts } = item;
  if (user === self || channel === undefined || ts === undefined) return;
  const where = { channel };
  const place = placeOf(where, { ts }, me, user);
  await intake.reacted({
    place,
    reference: ts,
    person: user,
    emoji: reaction.replace(/::skin-tone-\d$/, ""),
    added: type === "reaction_added",
    at: timeOf(event_ts),
    key: `${messageKey(team, channel, ts)}:${user}:${reaction}:${event_ts}`,
  });
}

async function onMessage(
  listening: Listening,
  event: { subtype?: string | undefined },
  self: Self,
): Promise<void> {
  if (event.subtype === "message_changed") return onChanged(listening, event, self);
  if (event.subtype === "message_deleted") return onDeleted(listening, event, self);
  return onSaid(listening, event, self);
}

async function onSaid(listening: Listening, event: unknown, self: Self): Promise<void> {
  const message = messageEventSchema.parse(event);
  if (!isSaid(message) || isOwn(message, self)) return;
  learnDirect(listening, message, message, self);
  const parsed = await parseMessage(message, message, self, namesOf(listening.directory, self.team));
  if (parsed === undefined) return;
  await listening.tokens.remember(parsed.place.namespace, parsed.id, message);
  await listening.intake.message(parsed);
  // Not waited for: the message is stored.
  void listening.titles.said(parsed);
}

async function onChanged(listening: Listening, event: unknown, self: Self): Promise<void> {
  const { message, previous_message, ...where } = changedEventSchema.parse(event);
  if (isOwn(message, self) || (previous_message !== undefined && isOwn(previous_message, self))) return;
  if (message.subtype === "tombstone") return remove(listening, where, previous_message ?? message, self);
  if (!isSaid(message)) return;
  const edit = await parseEdit(message, where.ts, where, self, namesOf(listening.directory, self.team));
  if (edit !== undefined) await listening.intake.edited(edit);
}

async function onDeleted(listening: Listening, event: unknown, self: Self): Promise<void> {
  const { deleted_ts, previous_message, ...where } = deletedEventSchema.parse(event);
  if (previous_message !== undefined && isOwn(previous_message, self)) return;
  await remove(listening, where, { ...previous_message, ts: deleted_ts }, self);
}

async function remove({ intake }: Listening, where: Where, gone: SlackMessage, self: Self): Promise<void> {
  const place = placeOf(where, gone, self, gone.user ?? "");
  await intake.removed({ key: messageKey(self.team, where.channel, gone.ts), place, id: gone.ts });
}

function learnDirect({ directory }: Listening, where: Where, { user }: SlackMessage, { team }: Self): void {
  if (isDirect(where) && typeof user === "string") directory.learnDirectChannel(team, user, where.channel);
}

/** Slack shows at most four. */
const maxPrompts = 4;

/**
 * Suggests prompts to a person who opens the assistant, if they may use it. The assistant works without them, so a refusal is
 * ignored.
 */
async function suggestPrompts(
  { intake, workspaces }: Listening,
  team: string,
  channel: string,
  place: Place,
  person: string,
  lookingAt?: readonly LookedAt[],
): Promise<void> {
  const mayAsk = intake.refusal(place, person).then((refusal) => refusal === undefined);
  if (!(await mayAsk.catch(fallbackTo(false)))) return;
  const found = await intake.suggestions(place, lookingAt);
  const prompts = found.slice(0, maxPrompts).map(({ title, message }) => ({
    title: beginningOf(title, 100),
    message: beginningOf(message, 1_000),
  }));
  if (prompts.length === 0) return;
  await workspaces
    .call(team, "suggest prompts", ({ write }) =>
      write.assistant.threads.setSuggestedPrompts({
        ...{ channel_id: channel, prompts },
        ...(isTimestamp(place.thread) && { thread_ts: place.thread }),
      }),
    )
    .catch(fallbackTo(undefined));
}
