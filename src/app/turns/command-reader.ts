import { marksAround } from "../../base/markdown-text.ts";
import type { GivenCommand, Guide, Inbound } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import { onlyFiles } from "../../core/values/message.ts";
import type { Place } from "../../core/values/place.ts";

/** A slash command that the reader recognises. */
export interface KnownCommand {
  /** `skill enable`, without the slash. */
  name: string;
  /** The name of its operation. */
  operation: string;
  /** It stops something and does not wait for other commands. */
  urgent?: true | undefined;
  /** Reads its input from the words after its name; undefined when something is missing. */
  read(words: string, place: Place): Json | undefined;
  /** The request to the agent, if the named skill is a guide. */
  guide?(input: Json): Guide;
  /** Words that it does not read are a message to the agent, where a model answers. */
  elseAgent?: true | undefined;
  /** The skill whose parameters a form may ask for when only its name was given, or the command itself. `words` are those after its name. */
  form?: ((input: Json | undefined, words: string) => string | undefined) | undefined;
}

/** Where something was said, on a chat platform: to the bot, or into a channel in which it answers everything. */
export type SaidTo = "bot" | "room";

/** A message or command as it was read. `text` is the stored, readable form. */
export type Said =
  | { kind: "message"; text: string }
  | {
      kind: "command";
      text: string;
      /** Without slash and mention, short forms written out: `skill enable memory`. */
      words: string;
      /** Absent for help and for unknown commands. */
      command?: GivenCommand;
    };

/** The only place that distinguishes commands from messages and reads the input of commands. */
export interface CommandReader {
  /**
   * Reads a text. Without `to` it came through the API or as a slash command of a platform: then everything that begins with a
   * slash is a command, and a bare `stop` stops, since only the bot can be meant.
   */
  read(text: string, place: Place, to?: SaidTo): Said;
  /** Whether a command stops something. */
  isUrgent(command: GivenCommand): boolean;
  /** The request to the agent, if the skill named by the command is a guide. */
  guideOf(command: GivenCommand): Guide | undefined;
  /** Whether a command has words that only the agent can understand. */
  isForAgent(inbound: Inbound): boolean;
  /** The id of the form that may ask for what a command lacks, before it is taken. */
  formOf(text: string, place: Place): string | undefined;
}

/** Short forms people type: `@knack stop`. */
const short: { readonly [words: string]: string } = {
  stop: "agent stop here",
  help: "help",
  status: "agent status",
};

/**
 * Commands are `/skill …` and the like, all of them also after `/knack`, and said to the bot: `@Knack flow run x`, but not `@Knack
 * flow start times are wrong`.
 *
 * @param botName the name people call the bot by
 */
export function createCommandReader(commands: readonly KnownCommand[], botName: string): CommandReader {
  const read = createRead(commands, botName);
  const known = ({ name }: GivenCommand) => commands.find((each) => each.name === name);
  const guideOf: CommandReader["guideOf"] = (command) =>
    command.input === undefined ? undefined : known(command)?.guide?.(command.input);
  return {
    read,
    isUrgent: (command) => known(command)?.urgent === true,
    guideOf,
    isForAgent({ text, command, namespace, thread }) {
      if (command === undefined || command.input !== undefined) return false;
      const said = read(text, { namespace, thread });
      const words = said.kind === "command" ? said.words : text;
      return known(command)?.elseAgent === true && words.trim().length > command.name.length;
    },
    formOf(text, place) {
      const said = read(text, place);
      const command = said.kind === "command" ? said.command : undefined;
      if (said.kind !== "command" || command === undefined) return undefined;
      return known(command)?.form?.(command.input, said.words.trim().slice(command.name.length).trim());
    },
  };
}

function createRead(commands: readonly KnownCommand[], botName: string): CommandReader["read"] {
  const name = botName.toLowerCase();

  const commandOf = (text: string, words: string, place: Place): Said => {
    const known = commandIn(commands, words);
    if (known === undefined) return { kind: "command", text, words };
    const input = known.read(words.trim().slice(known.name.length).trim(), place);
    const { name, operation } = known;
    const command = { name, operation, ...(input === undefined ? {} : { input }) };
    return { kind: "command", text, words, command };
  };
  const isSpoken = (words: string) => {
    const [first = "", second = ""] = words.toLowerCase().split(/\s+/);
    if (shortOf(words) !== undefined) return true;
    return familiesOf(commands).get(first)?.has(second) === true;
  };
  const readSlash = (text: string, place: Place): Said => {
    const words = text.trim().slice(1).trim();
    const alias = [name, "knack"].find((each) => beginsWith(words, each));
    return commandOf(
      text,
      alias === undefined ? words : expand(words.slice(alias.length).trim() || "help"),
      place,
    );
  };
  const isSlashCommand = (text: string) => {
    const [word = ""] = text.toLowerCase().split(/\s/, 1);
    return [...familiesOf(commands).keys(), "help", "knack", name].some((each) => word === `/${each}`);
  };
  /** Reads the words after the mention of the bot; the platform may have removed the mention. */
  const readSpoken = (text: string, words: string, place: Place): Said => {
    const bare = unmarked(words);
    if (isSlashCommand(bare)) return readSlash(bare, place);
    return isSpoken(bare) ? commandOf(text, expand(bare), place) : { kind: "message", text: words };
  };

  const readMentioned = (text: string, place: Place): Said => {
    const bare = unmarked(text);
    const [before = ""] = bare.toLowerCase().split(`@${name}`, 1);
    const after = bare.slice(before.length + name.length + 1);
    const marks = marksAround(before, after);
    if (before.length !== marks || before.length === bare.length) return { kind: "message", text };
    return readSpoken(text, afterMention(after.slice(marks)), place);
  };
  const readByProgram = (text: string, place: Place): Said => {
    const bare = unmarked(text);
    if (shortOf(bare) === short.stop) return readSlash("/agent stop here", place);
    return bare.startsWith("/") ? readSlash(bare, place) : readMentioned(text, place);
  };
  const readInChat = (text: string, place: Place, to: SaidTo): Said => {
    const said = text.trim() === "" ? onlyFiles : text.trimStart();
    const bare = unmarked(said);
    if (isSlashCommand(bare)) return readSlash(bare, place);
    return to === "bot"
      ? readSpoken(`@${botName} ${said}`, afterMention(said), place)
      : readMentioned(said, place);
  };
  return (text, place, to) => (to === undefined ? readByProgram(text, place) : readInChat(text, place, to));
}

/** The command that the words begin with; the longest name wins. */
function commandIn<Each extends { name: string }>(
  commands: readonly Each[],
  words: string,
): Each | undefined {
  const fitting = commands.filter(({ name }) => beginsWith(words.trim(), name));
  return fitting.sort((a, b) => b.name.length - a.name.length)[0];
}

/** The first words of two-word commands, each with its second words. */
export function familiesOf(commands: readonly { name: string }[]): ReadonlyMap<string, ReadonlySet<string>> {
  const families = new Map<string, Set<string>>();
  for (const { name } of commands) {
    const [family = "", verb] = name.split(" ");
    if (verb !== undefined) families.set(family, (families.get(family) ?? new Set(["help"])).add(verb));
  }
  return families;
}

/** Whether the words begin with these, in any case and followed by nothing or white space. */
function beginsWith(words: string, start: string): boolean {
  const begin = words.slice(0, start.length).toLowerCase();
  return begin === start && /^(\s|$)/.test(words.slice(start.length, start.length + 1));
}

function expand(words: string): string {
  return shortOf(words) ?? words;
}

/** The command that a short form stands for: `stop`, `Stop!`. */
function shortOf(words: string): string | undefined {
  return short[
    words
      .trim()
      .toLowerCase()
      .replace(/[.!]{1,3}$/, "")
  ];
}

/**
 * A text as a command is read: without white space and invisible characters at its beginning, and without marks around the whole of it, as
 * code has them. A full-width slash or at sign at its head becomes the ASCII one: keyboards for Chinese and Japanese type them.
 */
function unmarked(text: string): string {
  const visible = text.replace(/^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u, "").trimEnd();
  const marks = visible.startsWith("/") ? 0 : marksAround(visible, visible);
  const bare = visible.slice(marks, visible.length - marks).trim();
  return bare.replace(/^[／＠]/, (head) => (head === "／" ? "/" : "@"));
}

/** What stands between a mention and the words. A colon that begins an emoji (`:wave:`, `:)`) belongs to the words. */
const separators = /^(?:(?!:[\w+'-]+:|:[-']?[()/|DOPp])[\s,:，：])+/;

function afterMention(text: string): string {
  return text.replace(separators, "");
}
