import type { Fault } from "./api/faults.ts";
import type { Json } from "./api/json.ts";
import type { OverwriteSeed } from "./discord-options.ts";

/** A file as it travels to the fake. */
export interface SaidFile {
  name: string;
  contentType: string;
  base64: string;
}

export type OptionValues = Record<string, string | number | boolean>;

interface Command {
  user: string;
  channel: string;
  name: string;
  group?: string;
  subcommand?: string;
  options?: OptionValues;
}

interface OnMessage {
  user: string;
  message: string;
}

/** Input and output of each action that tests can trigger. */
export interface ControlActions {
  say: {
    input: {
      user: string;
      channel: string;
      content: string;
      replyTo?: string;
      files?: SaidFile[];
      /** Age of the message, ms. */
      agoMs?: number;
      /** Other content in the format of Discord's API: embeds, components, a poll, stickers, a forwarded message. Not checked. */
      parts?: Json;
    };
    output: string;
  };
  edit: { input: { message: string; content: string }; output: null };
  unfurl: { input: { message: string; embeds: Json[] }; output: null };
  remove: { input: { message: string }; output: null };
  react: { input: OnMessage & { emoji: string; remove?: boolean }; output: null };
  openDm: { input: { user: string }; output: string };
  joinGuild: { input: { guild: string }; output: null };
  startThread: {
    input: { user: string; channel: string; name: string; private?: boolean; message?: string };
    output: string;
  };
  createForumPost: {
    input: { user: string; channel: string; name: string; content: string };
    output: string;
  };
  addToThread: { input: { thread: string; user: string }; output: null };
  archiveThread: { input: { thread: string; archived?: boolean; locked?: boolean }; output: null };
  deleteChannel: { input: { channel: string }; output: null };
  /** Sets the permissions of a channel and sends CHANNEL_UPDATE. */
  setOverwrites: { input: { channel: string; overwrites: OverwriteSeed[] }; output: null };
  setRoles: { input: { guild: string; user: string; roles: string[] }; output: null };
  command: { input: Command; output: string };
  autocomplete: { input: Command & { focused: string }; output: string };
  click: { input: OnMessage & { customId: string; values?: string[] }; output: string };
  submitModal: {
    input: { user: string; interaction: string; fields: Record<string, string | string[]> };
    output: string;
  };
  contextMenu: { input: OnMessage & { name: string }; output: string };
  fault: { input: Fault; output: null };
  disconnect: {
    input: { code: number } | { abrupt: true } | { reconnect: true } | { invalid: "resumable" | "gone" };
    output: null;
  };
  refuseConnections: { input: { on: boolean; rest: boolean }; output: null };
  holdConnections: { input: { on: boolean }; output: null };
  revokeToken: { input: null; output: null };
}

export type ControlInput<Action extends keyof ControlActions> = ControlActions[Action]["input"];
export type ControlOutput<Action extends keyof ControlActions> = ControlActions[Action]["output"];
