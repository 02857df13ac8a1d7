import { acceptContent } from "../api/message-content.ts";
import {
  channelOf,
  type Method,
  type MethodCall,
  openChannelOf,
  openChannelOrPerson,
} from "../api/method.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";
import { type MessageRecord, renderMessage } from "../world/message-record.ts";
import { heardNow, notifiedBy, shownWords } from "../world/notified.ts";
import { clearStatus } from "./assistant-methods.ts";

/** Finds the message that a call changes, and refuses one that the bot did not write. */
export function ownMessage(call: MethodCall, refusal: string): MessageRecord {
  const channel = channelOf(call);
  const message = call.world.message(channel.id, call.arguments.required("ts"));
  if (message === undefined) throw new SlackRefusal("message_not_found");
  if (message.bot_id !== call.workspace.bot_id) throw new SlackRefusal(refusal);
  return message;
}

/** A new message of the bot, not yet stored. */
export function botMessage(call: MethodCall, channel: string): MessageRecord {
  const username = call.arguments.text("username");
  return {
    team_id: call.workspace.id,
    channel,
    ts: call.world.timestamp(),
    user: call.workspace.bot_user_id,
    bot_id: call.workspace.bot_id,
    ...(username === undefined ? {} : { username }),
    text: "",
    blocks: [],
    attachments: [],
    files: [],
    broadcast: false,
    edits: 0,
    truncated: false,
    reactions: [],
    gone: false,
  };
}

/** The thread that a `thread_ts` names: of a reply's ts its parent's, as Slack does. */
export function threadOf(call: MethodCall, channel: string): { thread_ts?: string } {
  const given = call.arguments.text("thread_ts");
  if (given === undefined) return {};
  const parent = call.world.message(channel, given);
  const assistant = call.world.assistantThreads.some(
    (thread) => thread.channel === channel && thread.thread_ts === given,
  );
  if (parent === undefined && !assistant) throw new SlackRefusal("thread_not_found");
  return { thread_ts: parent?.thread_ts ?? given };
}

/** Stores a message and tells the app about it, as Slack also does about the app's own. */
export function post(call: MethodCall, message: MessageRecord): void {
  message.notified ??= notifiedBy(call.world, message.channel, shownWords(message));
  message.heard = heardNow(call.world, message);
  call.world.messages.push(message);
  call.events.posted(message);
  clearStatus(call.world, message);
  call.world.touch();
}

const postMessage: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const channel = openChannelOrPerson(call);
    const content = acceptContent(call.world, call.arguments);
    const thread = threadOf(call, channel.id);
    const message: MessageRecord = {
      ...botMessage(call, channel.id),
      ...thread,
      text: content.text,
      truncated: content.truncated,
      blocks: content.blocks ?? [],
      attachments: content.attachments ?? [],
      ...(content.metadata === undefined ? {} : { metadata: content.metadata }),
      broadcast: thread.thread_ts !== undefined && call.arguments.flag("reply_broadcast"),
    };
    if (message.broadcast) message.subtype = "thread_broadcast";
    post(call, message);
    return { channel: channel.id, ts: message.ts, message: rendered(call, message) };
  },
};

/** `chat.update` takes far less than `chat.postMessage`: seratch/ChatGPT-in-Slack #102 and others saw `msg_too_long`. */
const updateCharacters = 4_000;

const update: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const message = ownMessage(call, "cant_update_message");
    if (message.stream?.state === "in_progress") throw new SlackRefusal("streaming_state_conflict");
    if (call.world.channels.get(message.channel)?.is_archived === true) throw new SlackRefusal("is_archived");
    const content = acceptContent(call.world, call.arguments);
    if (content.text.length > updateCharacters) throw new SlackRefusal("msg_too_long");
    const more = filesToAdd(call, message);
    const previous = call.events.snapshot(message);
    message.text = content.text;
    message.truncated ||= content.truncated;
    // Text alone takes the blocks away; attachments stay unless the call names them.
    const textAlone = content.blocks === undefined && content.text !== "";
    if (textAlone) message.blocks = [];
    else if (content.blocks !== undefined) message.blocks = content.blocks;
    // The streamed text is replaced together with the rest.
    if (message.stream !== undefined) {
      message.stream.tasks = [];
      delete message.stream.plan_title;
    }
    message.files.push(...more);
    if (content.attachments !== undefined) message.attachments = content.attachments;
    if (content.metadata !== undefined) message.metadata = content.metadata;
    // Slack shows no "edited" on a message of blocks.
    if (textAlone) message.edited = { user: message.user, ts: call.world.timestamp() };
    message.edits += 1;
    call.events.changed(message, previous, false);
    call.world.touch();
    const { channel, ts, text } = message;
    return { channel, ts, text, message: rendered(call, message) };
  },
};

/** New files of a changed message: complete ones of the app's own. */
function filesToAdd(call: MethodCall, message: MessageRecord): string[] {
  const ids = (call.arguments.list("file_ids") ?? []).map(String);
  for (const id of ids) {
    const file = call.world.files.get(id);
    if (file?.user !== call.workspace.bot_user_id || file.state !== "complete")
      throw new SlackRefusal("file_not_found");
    if (!file.channels.includes(message.channel)) file.channels.push(message.channel);
  }
  return ids.filter((id) => !message.files.includes(id));
}

const remove: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const message = ownMessage(call, "cant_delete_message");
    const previous = call.events.snapshot(message);
    message.gone = true;
    call.events.deleted(message, previous);
    call.world.touch();
    return { channel: message.channel, ts: message.ts };
  },
};

const postEphemeral: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const channel = openChannelOf(call);
    const user = call.arguments.required("user");
    if (!channel.members.includes(user)) throw new SlackRefusal("user_not_in_channel");
    const content = acceptContent(call.world, call.arguments);
    const ts = call.world.timestamp();
    const thread = threadOf(call, channel.id);
    const { thread_ts } = thread as { thread_ts?: string };
    call.world.ephemerals.push({
      user,
      channel: channel.id,
      ts,
      text: content.text,
      blocks: content.blocks ?? [],
      ...thread,
      shown: thread_ts === undefined || call.world.isOpenThread(channel.id, thread_ts),
      edits: 0,
    });
    call.world.touch();
    return { message_ts: ts };
  },
};

const getPermalink: Method = {
  token: "bot",
  run: (call) => {
    const channel = channelOf(call);
    const ts = call.arguments.required("message_ts");
    const message = call.world.message(channel.id, ts);
    if (message === undefined) throw new SlackRefusal("message_not_found");
    const thread = message.thread_ts === undefined ? "" : `?thread_ts=${message.thread_ts}&cid=${channel.id}`;
    const address = `https://${call.workspace.domain}.slack.com/archives`;
    return {
      channel: channel.id,
      permalink: `${address}/${channel.id}/p${ts.replace(".", "")}${thread}`,
    };
  },
};

function rendered(call: MethodCall, message: MessageRecord): Record<string, unknown> {
  return renderMessage(call.world, message, { metadata: true, baseUrl: call.baseUrl });
}

export const chatMethods: Record<string, Method> = {
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.delete": remove,
  "chat.postEphemeral": postEphemeral,
  "chat.getPermalink": getPermalink,
};
