import type { BlockAction, App as Bolt, SlashCommand, types, ViewOutput } from "@slack/bolt";
import type { ButtonPress } from "../../../app/chat/chat-intake.ts";
import { unlessLate } from "../../../base/time-limit.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { readableText } from "../channel/mrkdwn.ts";
import { isDirect, placeOf, type Self } from "../channel/parse-message.ts";
import { namesOf } from "../channel/read-history.ts";
import { commandThread, directNamespace, slackNamespace } from "../channel/slack-place.ts";
import { fallbackTo } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { askModal, askModalId, readAsk } from "./ask-modal.ts";
import { formModal, formModalId, readForm, readTextModal, textModal, textModalId } from "./form-modal.ts";
import { type Listening, selfOf } from "./listen-events.ts";

/** Hands slash commands, clicks, the message shortcut and submitted forms to the intake. */
export function listenToCommands(bolt: Bolt, listening: Listening): void {
  const { clock, intake } = listening;
  bolt.command(/^\/(skill|flow|agent|mcp|knack)$/, async ({ command, ack, context }) => {
    await acknowledgeInTime(clock, ack, onCommand(listening, command, selfOf(context)));
  });
  bolt.action<BlockAction>({ type: "block_actions", action_id: /.*/ }, async ({ body, ack, context }) => {
    await acknowledgeInTime(clock, ack, onPress(listening, body, selfOf(context)));
  });
  bolt.shortcut({ type: "message_action", callback_id: "ask_knack" }, async ({ shortcut, ack, context }) => {
    const { team } = selfOf(context);
    const { channel, message, user } = shortcut;
    const isThere = await listening.directory.isMember(team, user.id, channel.id);
    const view = askModal(channel.id, message, !isThere);
    await listening.workspaces.call(team, "open a form", ({ write }) =>
      write.views.open({ trigger_id: shortcut.trigger_id, view }),
    );
    await ack();
  });
  bolt.view(askModalId, async ({ view, body, ack, context }) => {
    await acknowledgeInTime(clock, ack, onAsk(listening, view, body.user.id, selfOf(context)));
  });
  bolt.view(textModalId, async ({ view, body, ack, context }) => {
    const press = readTextModal(view, selfOf(context).team, body.user.id);
    await acknowledgeInTime(clock, ack, press === undefined ? Promise.resolve() : intake.press(press));
  });
  bolt.view(formModalId, async ({ view, body, ack, context }) => {
    const read = await readForm(view, intake, { team: selfOf(context).team, person: body.user.id });
    if (!read.ok) {
      await ack({ response_action: "errors", errors: read.errors });
      return;
    }
    const key = `slack:${selfOf(context).team}:view:${view.id}:${view.hash}`;
    const { place, text, command } = read;
    const said_at = clock.now();
    await intake.command({ key, place, id: view.id, author: body.user.id, text, command, said_at });
    await ack();
  });
}

/** Hands in a question with the quoted message as people read it. */
async function onAsk(listening: Listening, view: ViewOutput, author: string, me: Self): Promise<void> {
  const { directory, clock, intake } = listening;
  const { quote, ...message } = readAsk(view, me, { author, now: clock.now() });
  const words = await readableText(quote, me.self, namesOf(directory, me.team));
  const quoted = words === "" ? "" : `\n\n${words.replaceAll(/^/gm, "> ")}`;
  await intake.message({ ...message, text: message.text + quoted });
}

async function onCommand(listening: Listening, command: SlashCommand, { team, self }: Self): Promise<void> {
  const { intake, addresses, clock, workspaces, directory } = listening;
  const remembered = addresses.remember(command.trigger_id, command.response_url);
  const place = placeOfCommand(command, team);
  const words = await readableText(command.text ?? "", self, namesOf(directory, team));
  const text = `${command.command} ${words}`.trim();
  // `/skill run weather` without values opens a form instead of running.
  const form = await intake.formOfCommand(text, place, command.user_id);
  if (form !== undefined && (await opened(workspaces, team, command.trigger_id, formModal(form, place))))
    return;
  const key = `slack:${team}:command:${command.trigger_id}`;
  const { trigger_id: id, user_id: author } = command;
  // Whoever runs the command must find the address.
  await remembered;
  await intake.command({ key, place, id, author, text, said_at: clock.now() });
}

/** False when Slack refused the form: the command itself then reports missing values. */
async function opened(
  workspaces: Workspaces,
  team: string,
  trigger_id: string,
  view: types.ModalView,
): Promise<boolean> {
  const opening = workspaces.call(team, "open a form", ({ write }) => write.views.open({ trigger_id, view }));
  return opening.then(() => true, fallbackTo(false));
}

/**
 * Slack allows no slash commands in threads, so all commands of a channel share one. Direct messages are the person's own
 * place.
 */
function placeOfCommand({ channel_id, user_id }: SlashCommand, team: string): Place {
  const direct = isDirect({ channel: channel_id });
  return {
    namespace: direct ? directNamespace(team, user_id) : slackNamespace(team, channel_id),
    thread: commandThread,
  };
}

async function onPress(listening: Listening, body: BlockAction, self: Self): Promise<void> {
  const [action] = body.actions;
  if (action === undefined) return;
  if (body.view !== undefined) {
    await listening.home.pressed(self.team, body.user.id, body.trigger_id, action);
    return;
  }
  const { message_ts, channel_id, thread_ts } = containerOf(body);
  // The message that begins a thread is in the channel, where the person saw its button.
  const thread = thread_ts === message_ts ? undefined : thread_ts;
  await listening.addresses.remember(body.trigger_id, body.response_url, thread);
  if (message_ts === undefined || channel_id === undefined) return;
  const press: ButtonPress = {
    place: placeOf({ channel: channel_id }, { ts: message_ts, thread_ts }, self, body.user.id),
    id: body.trigger_id,
    person: body.user.id,
    button: pressed(action),
    reference: message_ts,
  };
  const form = await listening.intake.formOfPress(press);
  const isOpened =
    form !== undefined &&
    (await opened(listening.workspaces, self.team, body.trigger_id, textModal(form, press)));
  if (!isOpened) await listening.intake.press(press);
}

/** The id of the button: Slack's feedback buttons and menus contain several. */
function pressed(action: BlockAction["actions"][number]): string {
  if (action.type === "overflow" || action.type === "static_select")
    return action.selected_option?.value ?? "";
  return action.type === "feedback_buttons" && "value" in action ? String(action.value) : action.action_id;
}

/** A click on an ephemeral message comes without the message, only with its channel and thread. */
function containerOf({ container, message, channel }: BlockAction) {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    message_ts: text(container.message_ts) ?? message?.ts,
    channel_id: text(container.channel_id) ?? channel?.id,
    thread_ts: text(container.thread_ts) ?? text(message?.thread_ts),
  };
}

/**
 * Maximum wait before an acknowledgement, ms. Without one within 3 s Slack shows an error, and does not send the command or
 * click again.
 */
const maxWaitMs = 2_500;

/**
 * Acknowledges when `work` is done, or shortly before Slack's timeout: the work then continues, since nothing would repeat it.
 * Rejects as `work` does, without an acknowledgement, when it fails before that.
 */
async function acknowledgeInTime(
  clock: Clock,
  ack: () => Promise<unknown>,
  work: Promise<void>,
): Promise<void> {
  const done = await unlessLate(
    maxWaitMs,
    clock,
    work.then(() => true),
  );
  await ack();
  if (done === undefined) await work;
}
