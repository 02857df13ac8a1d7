import type { NewFile } from "../../core/ports/storage.ts";
import type { ToolResult } from "../../core/skill/tool.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import type { Place } from "../../core/values/place.ts";
import type { KnownCommand } from "../turns/command-reader.ts";
import type { CompletableCommand, Services } from "./services.ts";

/** What a slash command answers. Markdown. */
export interface CommandResult {
  ok: boolean;
  text: string;
  /** The same for programs. */
  output?: Json;
  /** Belongs to the answer. Never with `private`: a file is seen by all. */
  file?: NewFile;
  /** Only for who asked: help, listings, refusals. */
  private?: true;
  /** Everybody in the thread sees by itself what was done: a chat platform posts nothing. */
  silent?: true;
}

/** A file that came with a command. */
export interface CommandFile {
  name: string;
  bytes: number;
  /** @throws PlatformError when the platform does not give it */
  read(maxBytes: number): Promise<Uint8Array>;
}

/** A slash command as somebody wrote it. */
export interface CommandCall {
  turn_id: string;
  place: Place;
  author: Author;
  /** What was written after its name, for people. */
  words: string;
  /** What it was given; undefined when something it needs was not written. */
  input: Json | undefined;
  files: readonly CommandFile[];
  signal: AbortSignal;
  /**
   * Runs a skill; its events belong to the command's turn.
   * @throws WaitingForPerson when it waits for one: let it pass, the command is run again
   */
  runSkill(skillId: string, params: Json): Promise<ToolResult>;
}

/** One slash command: `/skill enable`. */
export interface Command extends KnownCommand, CompletableCommand {
  run(call: CommandCall, services: Services): Promise<CommandResult>;
}

/** An answer for the channel, of a command that did what it should. */
export function said(text: string): CommandResult {
  return { ok: true, text };
}

/** An answer for who asked: help, listings, settings. */
export function shown(text: string): CommandResult {
  return { ok: true, text, private: true };
}

/** An answer for who asked, of a command that could not: why, and what to do or whom to ask. */
export function refused(text: string): CommandResult {
  return { ok: false, text, private: true };
}
