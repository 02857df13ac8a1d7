import { acceptBlocks, maxTasks } from "../api/block-rules.ts";
import { isRecord } from "../api/call-arguments.ts";
import { acceptMessageBlocks, acceptMetadata, markdownTextCharacters } from "../api/message-content.ts";
import { type Method, type MethodCall, openChannelOf } from "../api/method.ts";
import { refusalWithMessages, SlackRefusal } from "../api/slack-refusal.ts";
import { type MessageRecord, renderMessage, type StreamRecord } from "../world/message-record.ts";
import { notifiedBy } from "../world/notified.ts";
import { botMessage, ownMessage, post, threadOf } from "./chat-methods.ts";

/** Blocks by chunks, and again as many by `chat.stopStream`. */
const maxChunkBlocks = 50;
const taskStates = ["pending", "in_progress", "complete", "error"];

const startStream: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const channel = openChannelOf(call);
    const thread = threadOf(call, channel.id);
    if (thread.thread_ts === undefined) throw new SlackRefusal("invalid_thread_ts");
    const recipient = call.arguments.text("recipient_user_id");
    if (channel.kind !== "im") {
      if (call.arguments.text("recipient_team_id") === undefined)
        throw new SlackRefusal("missing_recipient_team_id");
      if (recipient === undefined) throw new SlackRefusal("missing_recipient_user_id");
    }
    const mode = call.arguments.text("task_display_mode") ?? "timeline";
    if (!["timeline", "plan", "dense"].includes(mode))
      throw refusalWithMessages("invalid_arguments", ["must be a valid enum value: task_display_mode"]);
    const stream: StreamRecord = {
      state: "in_progress",
      tasks: [],
      task_display_mode: mode,
      ...(recipient === undefined ? {} : { recipient_user_id: recipient }),
      pieces: 0,
    };
    const message: MessageRecord = { ...botMessage(call, channel.id), ...thread, stream };
    addPiece(call, message, stream, false);
    post(call, message);
    return { channel: channel.id, ts: message.ts };
  },
};

const appendStream: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const { message, stream } = runningStream(call);
    addPiece(call, message, stream, true);
    call.world.touch();
    return { channel: message.channel, ts: message.ts };
  },
};

const stopStream: Method = {
  token: "bot",
  scope: "chat:write",
  run: (call) => {
    const { message, stream } = runningStream(call);
    const previous = call.events.snapshot(message);
    const blocks = call.arguments.list("blocks", "invalid_blocks_format");
    const accepted = blocks === undefined ? [] : acceptMessageBlocks(call.world, blocks);
    const metadata = acceptMetadata(call.arguments);
    const status = call.arguments.text("session_status");
    const session = call.world.sessions.find(
      (each) => each.channel === message.channel && each.thread_ts === message.thread_ts,
    );
    if (status !== undefined && call.workspace.sessions === "none")
      throw refusalWithMessages("invalid_arguments", ["[json-pointer:/session_status]"]);
    addPiece(call, message, stream, false);
    if (status !== undefined) session?.statuses.push(status);
    message.blocks.push(...accepted);
    if (metadata !== undefined) message.metadata = metadata;
    stream.state = "completed";
    call.events.changed(message, previous, false);
    call.world.touch();
    const rendered = renderMessage(call.world, message, { metadata: true, baseUrl: call.baseUrl });
    return { channel: message.channel, ts: message.ts, message: rendered };
  },
};

function runningStream(call: MethodCall): { message: MessageRecord; stream: StreamRecord } {
  const message = ownMessage(call, "message_not_owned_by_app");
  const { stream } = message;
  if (stream === undefined || stream.state !== "in_progress")
    throw new SlackRefusal("message_not_in_streaming_state");
  return { message, stream };
}

/** Takes `markdown_text` or `chunks`. All of a call is checked before any of it shows. */
function addPiece(call: MethodCall, message: MessageRecord, stream: StreamRecord, needed: boolean): void {
  const text = call.arguments.text("markdown_text");
  const chunks = call.arguments.list("chunks", "invalid_chunks");
  if (text === undefined && chunks === undefined) {
    if (needed) throw new SlackRefusal("no_text");
    return;
  }
  if (text !== undefined && chunks !== undefined) throw new SlackRefusal("markdown_text_conflict");
  const given = chunks ?? [{ type: "markdown_text", text }];
  const before = { text: message.text, blocks: [...message.blocks], stream: structuredClone(stream) };
  const apply = given.map((chunk) => acceptChunk(call, chunk, message, stream));
  for (const each of apply) each();
  if (!isTooLong(message, stream)) {
    stream.pieces += 1;
    return;
  }
  Object.assign(message, { text: before.text, blocks: before.blocks });
  Object.assign(stream, before.stream);
  throw new SlackRefusal("msg_too_long");
}

/**
 * Undocumented: below tasks Slack takes less text than alone. openclaw #143882 found about this many bytes of titles and text, with
 * details and outputs counted twice.
 */
const bytesWithTasks = 10_600;

function isTooLong({ text }: MessageRecord, { tasks, plan_title = "" }: StreamRecord): boolean {
  if (tasks.length > maxTasks) return true;
  if (tasks.length === 0 || text === "") return false;
  const parts = tasks.flatMap(({ title, details = "", output = "" }) => [
    title,
    details + output,
    details + output,
  ]);
  return Buffer.byteLength([plan_title, text, ...parts].join("")) > bytesWithTasks;
}

function acceptChunk(
  call: MethodCall,
  chunk: unknown,
  message: MessageRecord,
  stream: StreamRecord,
): () => void {
  if (!isRecord(chunk)) throw new SlackRefusal("invalid_chunks");
  switch (chunk.type) {
    case "markdown_text": {
      const text = requiredText(chunk.text, "text");
      if (text.length > markdownTextCharacters) throw new SlackRefusal("msg_too_long");
      return () => {
        message.text += text;
        message.notified = notifiedBy(call.world, message.channel, message.text);
      };
    }
    case "task_update":
      return acceptTask(chunk, stream);
    case "plan_update": {
      const title = requiredText(chunk.title, "title");
      return () => {
        stream.plan_title = title;
      };
    }
    case "blocks": {
      if (!Array.isArray(chunk.blocks)) throw new SlackRefusal("invalid_chunks");
      const blocks = acceptBlocks(chunk.blocks, "message", () => call.world.id("b"));
      if (message.blocks.length + blocks.length > maxChunkBlocks) throw new SlackRefusal("invalid_blocks");
      return () => {
        message.blocks.push(...blocks);
      };
    }
    default:
      throw refusalWithMessages("invalid_chunks", [`unsupported type: ${chunk.type}`]);
  }
}

function acceptTask(chunk: Record<string, unknown>, stream: StreamRecord): () => void {
  const id = requiredText(chunk.id, "id");
  const title = requiredText(chunk.title, "title");
  const status = String(chunk.status);
  if (!taskStates.includes(status))
    throw refusalWithMessages("invalid_chunks", [`invalid status: ${status}`]);
  const task = {
    id,
    title,
    status,
    ...(typeof chunk.details === "string" ? { details: chunk.details } : {}),
    ...(typeof chunk.output === "string" ? { output: chunk.output } : {}),
  };
  return () => {
    const index = stream.tasks.findIndex((each) => each.id === id);
    if (index < 0) stream.tasks.push(task);
    else stream.tasks[index] = { ...stream.tasks[index], ...task };
  };
}

function requiredText(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw refusalWithMessages("invalid_chunks", [`missing required field: ${name}`]);
}

export const streamMethods: Record<string, Method> = {
  "chat.startStream": startStream,
  "chat.appendStream": appendStream,
  "chat.stopStream": stopStream,
};
