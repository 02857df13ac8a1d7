import { createHash } from "node:crypto";
import type { Completion } from "../../../app/operations/operation.ts";
import { commandTypes, optionTypes } from "../connection/discord-facts.ts";
import type { RawInteractionData, RawOption } from "../connection/raw-interaction.ts";

/** A command as Discord registers it. Source: Discord reference, "Application Command Object". */
export interface CommandDefinition {
  name: string;
  type: (typeof commandTypes)[keyof typeof commandTypes];
  description?: string;
  options?: OptionDefinition[];
  /** 0 servers, 1 direct messages with the bot. */
  contexts: number[];
  /** 0: servers that added the bot. */
  integration_types: number[];
}

interface OptionDefinition {
  type: (typeof optionTypes)[keyof typeof optionTypes];
  name: string;
  description: string;
  required?: boolean;
  autocomplete?: boolean;
  choices?: { name: string; value: string }[];
  options?: OptionDefinition[];
}

/** The command of a message's menu. */
const askAbout = "Ask Knack about this";

/** Limits. Source: Discord reference, "Application Command Object". */
const limits = { description: 100, subcommands: 25 };
const everywhere = { contexts: [0, 1], integration_types: [0] };

/**
 * The app's commands, from its completions of `/`: each first word is a command, each second word a subcommand. `/knack` takes
 * any command as text.
 */
export function slashCommands(completions: readonly Completion[]): CommandDefinition[] {
  const families = new Map<string, OptionDefinition[]>();
  for (const { text, label, description } of completions) {
    const [family = "", verb = ""] = text.slice(1).trim().split(" ");
    if (verb === "" || !/^[a-z-]{1,32}$/.test(family + verb)) continue;
    const usage = label.slice(`/${family} ${verb}`.length).trim();
    const subcommand: OptionDefinition = {
      type: optionTypes.subcommand,
      name: verb,
      description: description.slice(0, limits.description),
      options: optionsOf(usage),
    };
    families.set(family, [...(families.get(family) ?? []), subcommand]);
  }
  const groups = [...families].map(
    ([name, options]): CommandDefinition => ({
      name,
      type: commandTypes.slash,
      description: `Commands: ${options.map((option) => option.name).join(", ")}`.slice(
        0,
        limits.description,
      ),
      options: options.slice(0, limits.subcommands),
      ...everywhere,
    }),
  );
  return [...groups, knack, { name: askAbout, type: commandTypes.menu, ...everywhere }];
}

const knack: CommandDefinition = {
  name: "knack",
  type: commandTypes.slash,
  description: "Any command of Knack; alone: what there is",
  options: [
    {
      type: optionTypes.text,
      name: "command",
      description: "For example: skill list",
      required: false,
      autocomplete: true,
    },
  ],
  ...everywhere,
};

/** The options of a command, from its usage in the help: `<skill> [name=value …]`, `on|off`, `[words]`. */
function optionsOf(usage: string): OptionDefinition[] {
  if (usage === "") return [];
  if (/^[a-z]+(\|[a-z]+)+$/.test(usage)) {
    const choices = usage.split("|").map((value) => ({ name: value, value }));
    return [{ type: optionTypes.text, name: "value", description: usage, required: true, choices }];
  }
  const [first = "", name = ""] = /^[<[]([a-z-]+)(?![a-z-])[^\]>]*[\]>]/.exec(usage) ?? [];
  const rest = usage.slice(first.length).trim();
  const more: OptionDefinition = {
    type: optionTypes.text,
    name: "more",
    description: rest.slice(0, limits.description) || usage.slice(0, limits.description),
    required: false,
  };
  if (first === "") return [more];
  const required = first.startsWith("<");
  const option: OptionDefinition = {
    type: optionTypes.text,
    name,
    description: first,
    required,
    autocomplete: true,
  };
  return rest === "" ? [option] : [option, more];
}

/** A hash of the commands, so that they are registered only after a change. */
export function commandsHash(commands: readonly CommandDefinition[]): string {
  return createHash("sha256").update(JSON.stringify(commands)).digest("base64url");
}

/** The command as text: `/skill enable memory`. */
export function commandText(data: RawInteractionData): string {
  const words = [`/${data.name ?? ""}`];
  const add = (options: readonly RawOption[] = []) => {
    for (const { type, name, value, options: inner } of options) {
      words.push(type <= 2 ? name : String(value ?? "").trim());
      add(inner);
    }
  };
  add(data.options);
  return words.filter((word) => word !== "").join(" ");
}

/** The text typed so far, and the part of it before the option. */
export function typedSoFar(data: RawInteractionData): { text: string; before: string } {
  const upTo = (options: readonly RawOption[] = []): RawOption[] => {
    const at = options.findIndex((option) => option.focused === true);
    return options
      .slice(0, at === -1 ? options.length : at)
      .map((option) => ({ ...option, ...(option.options ? { options: upTo(option.options) } : {}) }));
  };
  const focused = (options: readonly RawOption[] = []): RawOption | undefined =>
    options
      .flatMap((option) => (option.focused === true ? [option] : [focused(option.options)]))
      .find(Boolean);
  const before = commandText({ ...data, options: upTo(data.options) });
  const typed = String(focused(data.options)?.value ?? "");
  // The text after `/knack` is a command.
  const text = data.name === "knack" ? `/${typed}` : `${before} ${typed}`;
  return { text, before: data.name === "knack" ? "/" : `${before} ` };
}

/** Subcommands with a public answer: changes. Listings, help and refusals are for the person alone. */
const publicVerbs: readonly string[] = [
  "enable",
  "disable",
  "reset",
  "only",
  "run",
  "use",
  "progress",
  "steering",
  "reply",
  "timezone",
  "pause",
  "resume",
  "stop",
  "install",
  "update",
  "remove",
  "grant",
  "revoke",
  "start",
  "restart",
];

/** Whether only the person who gave a command sees its answer. */
export function isPrivateCommand(text: string): boolean {
  const [, verb = ""] = text.replace(/^\/knack\s+/, "/").split(" ");
  return !publicVerbs.includes(verb);
}
