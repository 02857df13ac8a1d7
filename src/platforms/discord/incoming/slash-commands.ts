import { createHash } from "node:crypto";
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
} from "discord-api-types/v10";
import type { App } from "../../../app/app.ts";
import { commandGroups } from "../../../app/commands/command-groups.ts";
import type { CommandOption } from "../../../app/operations/services.ts";
import { cutAtWord } from "../../../base/line-for-people.ts";
import type { RawInteractionData, RawOption } from "./raw-interaction.ts";

/** A command as Discord registers it. Source: Discord reference, "Application Command Object". */
export interface CommandDefinition {
  name: string;
  type: ApplicationCommandType;
  description?: string;
  options?: OptionDefinition[];
  /** Where it is offered. */
  contexts: number[];
  /** Who has to have added the app. */
  integration_types: number[];
}

export interface OptionDefinition {
  type: ApplicationCommandOptionType;
  name: string;
  description: string;
  required?: boolean;
  autocomplete?: boolean;
  choices?: { name: string; value: string }[];
  options?: OptionDefinition[];
}

/** The command of a message's menu. */
const askAbout = "Ask Knack about this";

/** Maximum characters of a description, and of a choice. Source: Discord reference, "Application Command Object". */
const maxText = 100;
const { Guild, BotDM, PrivateChannel } = InteractionContextType;
const { GuildInstall, UserInstall } = ApplicationIntegrationType;
const everywhere = {
  contexts: [Guild, BotDM, PrivateChannel],
  integration_types: [GuildInstall, UserInstall],
};

/**
 * The app's commands as Discord registers them: the first word is a command, the second a subcommand. Where three words are needed,
 * the second is a group of subcommands. `/knack` takes any command as text.
 */
export function slashCommands(commands: App["commands"]): CommandDefinition[] {
  const families = new Map<string, OptionDefinition[]>();
  for (const { name, description, options } of commands) {
    const words = name.split(" ");
    const [family = ""] = words;
    const inner = families.get(family) ?? [];
    families.set(family, inner);
    const last = words.pop() ?? "";
    parentOf(inner, words).push({
      type: ApplicationCommandOptionType.Subcommand,
      name: last,
      description: cutAtWord(description, maxText),
      options: options.map(optionOf),
    });
  }
  const slash = { type: ApplicationCommandType.ChatInput, ...everywhere };
  const tops = [...families].map(([name, inner]) => ({ ...describedGroup(name, name, inner), ...slash }));
  return [...tops, knack, { name: askAbout, type: ApplicationCommandType.Message, ...everywhere }];
}

/** The commands for an app that people cannot add to their account: Discord refuses the others for it. */
export function onlyForServers(commands: readonly CommandDefinition[]): CommandDefinition[] {
  return commands.map((command) => ({
    ...command,
    contexts: [Guild, BotDM],
    integration_types: [GuildInstall],
  }));
}

/** The list that the subcommand belongs to, whose group is made if necessary. */
function parentOf(options: OptionDefinition[], [family = "", group]: readonly string[]): OptionDefinition[] {
  if (group === undefined) return options;
  const found = options.find(({ name }) => name === group);
  if (found?.options !== undefined) return found.options;
  const inner: OptionDefinition[] = [];
  options.push({
    ...describedGroup(group, `${family} ${group}`, inner),
    type: ApplicationCommandOptionType.SubcommandGroup,
  });
  return inner;
}

function describedGroup(name: string, beginning: string, options: OptionDefinition[]) {
  return { name, description: commandGroups[beginning] ?? `Commands of ${beginning}`, options };
}

const typeOf = {
  text: ApplicationCommandOptionType.String,
  number: ApplicationCommandOptionType.Integer,
  flag: ApplicationCommandOptionType.Boolean,
};

function optionOf({ name, description, required, type = "text", choices, complete }: CommandOption) {
  return {
    type: typeOf[type],
    name,
    description: cutAtWord(description, maxText),
    ...(required ? { required } : {}),
    ...(choices === undefined ? {} : { choices: choices.map(choiceOf) }),
    ...(complete === undefined ? {} : { autocomplete: true }),
  };
}

function choiceOf({ text, description }: { text: string; description: string }) {
  return { name: cutAtWord([text, description].filter(Boolean).join(" — "), maxText), value: text };
}

const knack: CommandDefinition = {
  name: "knack",
  type: ApplicationCommandType.ChatInput,
  description: "Any command of Knack; alone: what there is",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "command",
      description: "For example: skill list",
      required: false,
      autocomplete: true,
    },
  ],
  ...everywhere,
};

/** A hash of the commands, so that they are registered only after a change. */
export function commandsHash(commands: readonly CommandDefinition[]): string {
  return createHash("sha256").update(JSON.stringify(commands)).digest("base64url");
}

/**
 * The command as text: `/skill enable memory`. Discord sends the options in the order in which the person filled them; the text has
 * them in the order in which they are registered.
 */
export function commandText(data: RawInteractionData, registered: readonly CommandDefinition[]): string {
  const { path, given } = chosen(data);
  const command = registered.find(
    ({ name, type }) => name === path[0] && type === ApplicationCommandType.ChatInput,
  );
  const options = path
    .slice(1)
    .reduce((inner, name) => inner?.find((each) => each.name === name)?.options, command?.options);
  const at = ({ name }: RawOption) => options?.findIndex((each) => each.name === name) ?? 0;
  const values = given.toSorted((one, other) => at(one) - at(other)).map(written);
  return `/${[...path, ...values].filter((word) => word !== "").join(" ")}`;
}

function written({ type, name, value }: RawOption): string {
  if (type === ApplicationCommandOptionType.Boolean) return value === true ? `--${name}` : "";
  return String(value ?? "").trim();
}

/** The names of a command, its group and its subcommand, and the values a person gave. */
function chosen({ name = "", options = [] }: RawInteractionData): {
  path: string[];
  given: readonly RawOption[];
} {
  const path = [name];
  let given = options;
  for (let [first] = given; first !== undefined && isNesting(first); [first] = given) {
    path.push(first.name);
    given = first.options ?? [];
  }
  return { path, given };
}

function isNesting({ type }: RawOption): boolean {
  return (
    type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup
  );
}

/** The text typed so far, the part of it before the option, and whether the option takes numbers. */
export function typedSoFar(data: RawInteractionData): { text: string; before: string; isNumber: boolean } {
  const { path, given } = chosen(data);
  const focused = given.find((option) => option.focused === true);
  // The text after `/knack` is a command. Otherwise only the first option completes.
  const before = data.name === "knack" ? "/" : `/${path.join(" ")} `;
  const isNumber = focused?.type === ApplicationCommandOptionType.Integer;
  return { text: `${before}${focused?.value ?? ""}`, before, isNumber };
}

/** Whether only the person who gave a command sees its answer: listings, help, and what is no command. */
export function isPrivateCommand(text: string, commands: App["commands"]): boolean {
  const words = `${text.replace(/^\/(knack\s+)?/, "")} `;
  return !commands.some((command) => command.public === true && words.startsWith(`${command.name} `));
}
