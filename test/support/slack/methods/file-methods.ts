import { acceptBlocks } from "../api/block-rules.ts";
import { isRecord } from "../api/call-arguments.ts";
import { type Method, openChannelOf } from "../api/method.ts";
import { refusalWithMessages, SlackRefusal } from "../api/slack-refusal.ts";
import { fileFields } from "../world/message-record.ts";
import type { FileRecord } from "../world/world.ts";
import { botMessage, post, threadOf } from "./chat-methods.ts";

const mimetypes: Record<string, string> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
};

const getUploadUrl: Method = {
  token: "bot",
  scope: "files:write",
  run: (call) => {
    const name = call.arguments.required("filename");
    if (call.arguments.integer("length", 0) < 1)
      throw refusalWithMessages("invalid_arguments", ["missing required field: length"]);
    const id = call.world.id("F");
    call.world.files.set(id, {
      id,
      name,
      title: name,
      mimetype: mimetypes[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      user: call.workspace.bot_user_id,
      team_id: call.workspace.id,
      content: Buffer.alloc(0),
      channels: [],
      state: "upload-open",
      created: Math.floor(Date.now() / 1000),
    });
    return { upload_url: `${call.baseUrl}/upload/${id}`, file_id: id };
  },
};

const completeUpload: Method = {
  token: "bot",
  scope: "files:write",
  run: (call) => {
    const given = (call.arguments.list("files") ?? []).filter(isRecord);
    if (given.length === 0) throw refusalWithMessages("invalid_arguments", ["missing required field: files"]);
    const files = given.map(({ id, title }) => {
      const file = call.world.files.get(String(id));
      if (file === undefined || file.user !== call.workspace.bot_user_id)
        throw new SlackRefusal("file_not_found");
      if (file.state === "upload-open") throw new SlackRefusal("file_update_failed");
      return { file, title: typeof title === "string" && title !== "" ? title : file.name };
    });
    const toChannel = call.arguments.text("channel_id") !== undefined;
    const channel = toChannel ? openChannelOf(call, "channel_id") : undefined;
    const thread = channel === undefined ? {} : threadOf(call, channel.id);
    const blocks = call.arguments.list("blocks", "invalid_blocks_format") ?? [];
    const accepted = acceptBlocks(blocks, "message", () => call.world.id("b"));
    for (const { file, title } of files) complete(file, title, channel?.id);
    if (channel !== undefined)
      post(call, {
        ...botMessage(call, channel.id),
        ...thread,
        text: call.arguments.text("initial_comment") ?? "",
        blocks: accepted,
        files: files.map(({ file }) => file.id),
        subtype: "file_share",
      });
    call.world.touch();
    return { files: files.map(({ file }) => fileFields(call.world, file.id, call.baseUrl)) };
  },
};

function complete(file: FileRecord, title: string, channel: string | undefined): void {
  file.title = title;
  file.state = "complete";
  if (channel !== undefined && !file.channels.includes(channel)) file.channels.push(channel);
}

const info: Method = {
  token: "bot",
  scope: "files:read",
  run: (call) => {
    const file = call.world.files.get(call.arguments.required("file"));
    const bot = call.workspace.bot_user_id;
    const seen = file?.channels.some(
      (channel) => call.world.channels.get(channel)?.members.includes(bot) === true,
    );
    if (file === undefined || seen !== true) throw new SlackRefusal("file_not_found");
    return { file: fileFields(call.world, file.id, call.baseUrl), comments: [] };
  },
};

export const fileMethods: Record<string, Method> = {
  "files.getUploadURLExternal": getUploadUrl,
  "files.completeUploadExternal": completeUpload,
  "files.info": info,
};
