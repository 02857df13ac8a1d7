import { acceptBlocks } from "../api/block-rules.ts";
import { isRecord } from "../api/call-arguments.ts";
import { channelOf, type Method, type MethodCall, openChannelOf } from "../api/method.ts";
import { refusalWithMessages, SlackRefusal } from "../api/slack-refusal.ts";
import type { MessageRecord } from "../world/message-record.ts";
import type { SessionRecord, World } from "../world/world.ts";

/** Slack takes a status away when the app answers in the thread. */
export function clearStatus(world: World, message: MessageRecord): void {
  const { channel, thread_ts } = message;
  if (message.bot_id === undefined || thread_ts === undefined) return;
  const current = world.statuses.findLast((each) => each.channel === channel && each.thread_ts === thread_ts);
  if (current === undefined || current.status === "") return;
  world.statuses.push({ channel, thread_ts, status: "", loading_messages: [], at: Date.now() });
}

const setStatus: Method = {
  token: "bot",
  scope: "assistant:write",
  run: (call) => {
    const channel = openChannelOf(call, "channel_id");
    const thread_ts = call.arguments.required("thread_ts");
    if (
      !isAssistantThread(call, channel.id, thread_ts) &&
      call.world.message(channel.id, thread_ts) === undefined
    )
      throw new SlackRefusal("invalid_thread_ts");
    const status = call.arguments.all.status;
    if (typeof status !== "string")
      throw refusalWithMessages("invalid_arguments", ["missing required field: status"]);
    const loading = call.arguments.list("loading_messages") ?? [];
    if (loading.length > 10 || !loading.every((each) => typeof each === "string"))
      throw refusalWithMessages("invalid_arguments", [
        "no more than 10 items allowed [json-pointer:/loading_messages]",
      ]);
    call.world.statuses.push({
      channel: channel.id,
      thread_ts,
      status,
      loading_messages: loading.map(String),
      at: Date.now(),
    });
    call.world.touch();
    return {};
  },
};

const setTitle: Method = {
  token: "bot",
  scope: "assistant:write",
  run: (call) => {
    const { channel, thread_ts } = assistantThreadOf(call, call.arguments.required("thread_ts"));
    const title = call.arguments.required("title");
    call.world.titles.push({ channel, thread_ts, title });
    call.world.touch();
    return {};
  },
};

const setSuggestedPrompts: Method = {
  token: "bot",
  scope: "assistant:write",
  run: (call) => {
    const given = call.arguments.text("thread_ts");
    const channel =
      given === undefined ? channelOf(call, "channel_id").id : assistantThreadOf(call, given).channel;
    const prompts = call.arguments.list("prompts") ?? [];
    const title = call.arguments.text("title");
    const complete = prompts.every(
      (prompt) => isRecord(prompt) && typeof prompt.title === "string" && typeof prompt.message === "string",
    );
    if (prompts.length === 0 || prompts.length > 4 || !complete)
      throw refusalWithMessages("invalid_arguments", [
        "1 to 4 prompts with title and message [json-pointer:/prompts]",
      ]);
    call.world.prompts.push({
      channel,
      ...(given === undefined ? {} : { thread_ts: given }),
      ...(title === undefined ? {} : { title }),
      prompts,
    });
    call.world.touch();
    return {};
  },
};

const sessionStatuses = ["active", "processing", "suspended", "closed"];

/** The session of a thread, if the workspace has sessions. @param makes whether a missing one is made */
function sessionOf(call: MethodCall, makes: boolean): SessionRecord {
  if (call.workspace.sessions === "none") throw new SlackRefusal("unknown_method");
  const channel = openChannelOf(call, "channel_id");
  const thread_ts = call.arguments.required("thread_ts");
  const isThere =
    call.world.message(channel.id, thread_ts) !== undefined || isAssistantThread(call, channel.id, thread_ts);
  if (!isThere) throw new SlackRefusal("invalid_thread_ts");
  const { sessions } = call.world;
  const found = sessions.find((each) => each.channel === channel.id && each.thread_ts === thread_ts);
  if (found !== undefined) return found;
  if (!makes) throw new SlackRefusal("session_not_found");
  const made: SessionRecord = { channel: channel.id, thread_ts, statuses: [] };
  sessions.push(made);
  return made;
}

/** docs.slack.dev/reference/methods/agents.sessions.setStatus: the title counts only for a new session. */
const setSessionStatus: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const status = call.arguments.required("status");
    const title = call.arguments.text("title");
    if (!sessionStatuses.includes(status) || (title ?? "").length > 200)
      throw refusalWithMessages("invalid_arguments", ["[json-pointer:/status] or [json-pointer:/title]"]);
    const session = sessionOf(call, true);
    if (session.statuses.length === 0 && title !== undefined) session.title = title;
    session.statuses.push(status);
    call.world.touch();
    const warning = "missing_agent_session_stopped_event_subscription";
    return {
      status,
      ...(call.workspace.sessions === "stoppable" ? {} : { response_metadata: { warnings: [warning] } }),
    };
  },
};

const renameSession: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const title = call.arguments.required("title");
    if (title.length > 200) throw refusalWithMessages("invalid_arguments", ["[json-pointer:/title]"]);
    sessionOf(call, false).title = title;
    call.world.touch();
    return {};
  },
};

function isAssistantThread(call: MethodCall, channel: string, threadTs: string): boolean {
  return call.world.assistantThreads.some(
    (thread) => thread.channel === channel && thread.thread_ts === threadTs,
  );
}

function assistantThreadOf(call: MethodCall, threadTs: string): { channel: string; thread_ts: string } {
  const channel = channelOf(call, "channel_id");
  if (channel.kind !== "im") throw new SlackRefusal("channel_type_not_supported");
  if (!isAssistantThread(call, channel.id, threadTs)) throw new SlackRefusal("invalid_thread_ts");
  return { channel: channel.id, thread_ts: threadTs };
}

/** The scope of each kind of conversation: without it Slack refuses the whole search. */
const searchScopes: Record<string, string> = {
  public_channel: "search:read.public",
  private_channel: "search:read.private",
  mpim: "search:read.mpim",
  im: "search:read.im",
};
const kindOfType: Record<string, string> = { public_channel: "public", private_channel: "private" };

/**
 * docs.slack.dev/reference/methods/assistant.search.context: messages with all words, in conversations of the person whose message had
 * the token, the latest first. Modifiers `in:` and `from:` narrow it.
 */
const searchContext: Method = {
  token: "bot",
  scope: (call) => {
    const types = (call.arguments.text("channel_types") ?? "public_channel").split(",");
    const scopes = types.map((type) => searchScopes[type.trim()] ?? "");
    return scopes.find((scope) => !call.token.scopes.includes(scope)) ?? scopes[0];
  },
  run: (call) => {
    const { world } = call;
    const asked = world.actionTokens.get(call.arguments.text("action_token") ?? "");
    if (asked === undefined) throw new SlackRefusal("invalid_action_token");
    const limit = call.arguments.integer("limit", 20);
    if (limit < 1 || limit > 20) throw new SlackRefusal("invalid_limit");
    const types = (call.arguments.text("channel_types") ?? "public_channel").split(",");
    const kinds = types.map((type) => kindOfType[type] ?? type);
    const parts = call.arguments.required("query").split(" ");
    const modifier = (name: string) =>
      parts.find((part) => part.startsWith(`${name}:<`))?.replace(/^.*<.|>$/g, "");
    const words = parts.filter((part) => !/^(?:in|from):</.test(part)).map((word) => word.toLowerCase());
    const found = world.messages.filter((message) => {
      const channel = world.channels.get(message.channel);
      const mayRead =
        channel?.members.includes(asked) === true ||
        (channel?.kind === "public" && world.users.get(asked)?.is_restricted !== true);
      return (
        channel !== undefined &&
        channel.team_id === call.workspace.id &&
        !message.gone &&
        mayRead &&
        kinds.includes(channel.kind) &&
        (modifier("in") ?? channel.id) === channel.id &&
        (modifier("from") ?? message.user) === message.user &&
        Number(message.ts) >= Number(call.arguments.text("after") ?? "0") &&
        words.every((word) => message.text.toLowerCase().includes(word))
      );
    });
    const messages = found
      .slice(-limit)
      .reverse()
      .map((message) => ({
        author_name: world.users.get(message.user)?.real_name ?? message.user,
        author_user_id: message.user,
        team_id: call.workspace.id,
        channel_id: message.channel,
        channel_name: world.channels.get(message.channel)?.name ?? "",
        message_ts: message.ts,
        content: message.text,
        is_author_bot: message.bot_id !== undefined,
        permalink: `https://${call.workspace.domain}.slack.com/archives/${message.channel}/p${message.ts.replace(".", "")}`,
      }));
    return { results: { messages }, response_metadata: { next_cursor: "" } };
  },
};

/** docs.slack.dev/reference/methods/blocks.validate: needs no scope. */
const validateBlocks: Method = {
  token: "bot",
  run: (call) => {
    try {
      acceptBlocks(call.arguments.list("blocks") ?? [], "message", () => "b");
      return {};
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      const errors = [{ pointer: "/0", code: "failed_constraint", message: JSON.stringify(error.details) }];
      throw new SlackRefusal(error.code, { errors });
    }
  },
};

export const assistantMethods: Record<string, Method> = {
  "assistant.search.context": searchContext,
  "blocks.validate": validateBlocks,
  "agents.sessions.setStatus": setSessionStatus,
  "agents.sessions.rename": renameSession,
  "assistant.threads.setStatus": setStatus,
  "assistant.threads.setTitle": setTitle,
  "assistant.threads.setSuggestedPrompts": setSuggestedPrompts,
};
