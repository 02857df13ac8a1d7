import { marksAround } from "../../base/markdown-text.ts";
import { pattern } from "../../base/pattern.ts";
import { invisible } from "../../base/text/invisible-text.ts";
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

/** Short forms people type: `@knack stop`. */
const short: { readonly [words: string]: string } = {
  stop: "agent stop here",
  help: "help",
  status: "agent status",
};

/**
 * The only place that distinguishes commands from messages and reads the input of commands. Commands are `/skill …` and the like, all of
 * them also after `/knack`, and said to the bot: `@Knack flow run x`, but not `@Knack flow start times are wrong`.
 */
export class CommandReader {
  readonly #commands: readonly KnownCommand[];
  readonly #families: ReturnType<typeof familiesOf>;
  readonly #botName: string;
  readonly #name: string;

  /** @param botName the name people call the bot by */
  constructor(commands: readonly KnownCommand[], botName: string) {
    this.#commands = commands;
    this.#families = familiesOf(commands);
    this.#botName = botName;
    this.#name = botName.toLowerCase();
  }

  /**
   * Reads a text. Without `to` it came through the API or as a slash command of a platform: then everything that begins with a
   * slash is a command, and a bare `stop` stops, since only the bot can be meant.
   */
  read(text: string, place: Place, to?: SaidTo): Said {
    const said = to !== undefined && text.trim() === "" ? onlyFiles : text.trimStart();
    const bare = unmarked(said);
    if (to === undefined && shortOf(bare) === short.stop) return this.#readSlash("/agent stop here", place);
    if (to === undefined ? bare.startsWith("/") : this.#isSlashCommand(bare))
      return this.#readSlash(bare, place);
    if (to === "bot") return this.#readSpoken(`@${this.#botName} ${said}`, afterMention(said), place);
    return this.#readMentioned(to === undefined ? text : said, place);
  }

  /** Whether a command stops something. */
  isUrgent(command: GivenCommand): boolean {
    return this.#known(command)?.urgent === true;
  }

  /** The request to the agent, if the skill named by the command is a guide. */
  guideOf(command: GivenCommand): Guide | undefined {
    return command.input === undefined ? undefined : this.#known(command)?.guide?.(command.input);
  }

  /** Whether a command has words that only the agent can understand. */
  isForAgent({ text, command, namespace, thread }: Inbound): boolean {
    if (command === undefined || command.input !== undefined) return false;
    const said = this.read(text, { namespace, thread });
    const words = said.kind === "command" ? said.words : text;
    return this.#known(command)?.elseAgent === true && words.trim().length > command.name.length;
  }

  /** The id of the form that may ask for what a command lacks, before it is taken. */
  formOf(text: string, place: Place): string | undefined {
    const said = this.read(text, place);
    if (said.kind !== "command" || said.command === undefined) return undefined;
    const { name, input } = said.command;
    return this.#known(said.command)?.form?.(input, said.words.trim().slice(name.length).trim());
  }

  #known({ name }: GivenCommand): KnownCommand | undefined {
    return this.#commands.find((each) => each.name === name);
  }

  #readSlash(text: string, place: Place): Said {
    const words = text.trim().slice(1).trim();
    const alias = [this.#name, "knack"].find((each) => beginsWith(words, each));
    const own = alias === undefined ? words : expand(words.slice(alias.length).trim() || "help");
    return this.#commandOf(text, own, place);
  }

  /** Reads the words after the mention of the bot; the platform may have removed the mention. */
  #readSpoken(text: string, words: string, place: Place): Said {
    const bare = unmarked(words);
    if (this.#isSlashCommand(bare)) return this.#readSlash(bare, place);
    const [first = "", second = ""] = bare.toLowerCase().split(/\s+/);
    const isSpoken = shortOf(bare) !== undefined || this.#families.get(first)?.has(second) === true;
    return isSpoken ? this.#commandOf(text, expand(bare), place) : { kind: "message", text: words };
  }

  #readMentioned(text: string, place: Place): Said {
    const bare = unmarked(text);
    const [before = ""] = bare.toLowerCase().split(`@${this.#name}`, 1);
    const after = bare.slice(before.length + this.#name.length + 1);
    const marks = marksAround(before, after);
    if (before.length !== marks || before.length === bare.length) return { kind: "message", text };
    return this.#readSpoken(text, afterMention(after.slice(marks)), place);
  }

  #isSlashCommand(text: string): boolean {
    const [word = ""] = text.toLowerCase().split(/\s/, 1);
    return [...this.#families.keys(), "help", "knack", this.#name].some((each) => word === `/${each}`);
  }

  #commandOf(text: string, words: string, place: Place): Said {
    const known = commandIn(this.#commands, words);
    if (known === undefined) return { kind: "command", text, words };
    const { name, operation } = known;
    const input = known.read(words.trim().slice(name.length).trim(), place);
    return { kind: "command", text, words, command: { name, operation, input } };
  }
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

const nothingSeen = pattern("v")`^[\s${invisible}]+`;

/**
 * A text as a command is read: without white space and invisible characters at its beginning, and without marks around the whole of it, as
 * code has them. A full-width slash or at sign at its head becomes the ASCII one: keyboards for Chinese and Japanese type them.
 */
function unmarked(text: string): string {
  const visible = text.replace(nothingSeen, "").trimEnd();
  const marks = visible.startsWith("/") ? 0 : marksAround(visible, visible);
  const bare = visible.slice(marks, visible.length - marks).trim();
  return bare.replace(/^[／＠]/, (head) => (head === "／" ? "/" : "@"));
}

/** What stands between a mention and the words. A colon that begins an emoji (`:wave:`, `:)`) belongs to the words. */
const separators = /^(?:(?!:[\w+'-]+:|:[-']?[()/|DOPp])[\s,:，：])+/;

function afterMention(text: string): string {
  return text.replace(separators, "");
}
