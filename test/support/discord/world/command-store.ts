import { checkCommands } from "../api/command-check.ts";
import { isObject, type Json, objects, text } from "../api/json.ts";
import type { World } from "./world.ts";

/** The registered commands, global and of guilds. */
export class CommandStore {
  readonly global: Json[] = [];
  readonly byGuild = new Map<string, Json[]>();
  /** How often a list was replaced. */
  puts = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  of(guild: string | undefined): Json[] {
    return guild === undefined ? this.global : (this.byGuild.get(guild) ?? []);
  }

  /** Replaces the list; a command that keeps its name and type keeps its id. Throws 50035. */
  replace(guild: string | undefined, commands: readonly unknown[]): Json[] {
    checkCommands(commands, this.#world.options.application.userInstall);
    const before = this.of(guild);
    const after = commands.filter(isObject).map((command) => {
      const same = before.find((old) => old.name === command.name && old.type === (command.type ?? 1));
      return {
        description: "",
        dm_permission: true,
        contexts: null,
        integration_types: [0],
        nsfw: false,
        default_member_permissions: null,
        ...command,
        type: command.type ?? 1,
        id: same?.id ?? this.#world.snowflakes.next(),
        version: this.#world.snowflakes.next(),
        application_id: this.#world.bot,
        ...(guild === undefined ? {} : { guild_id: guild }),
      };
    });
    if (guild === undefined) this.global.splice(0, this.global.length, ...after);
    else this.byGuild.set(guild, after);
    this.puts += 1;
    this.#world.changes.note();
    return after;
  }

  /** The command that people find in this guild, or in a direct message. */
  find(guild: string | undefined, name: string, type: number): Json | undefined {
    const local = guild === undefined ? [] : this.of(guild);
    return [...local, ...this.global].find((command) => text(command.name) === name && command.type === type);
  }
}

/** The options of a command, or of one of its subcommands. Throws if there is no such subcommand. */
export function optionsOf(command: Json, group: string | undefined, subcommand: string | undefined): Json[] {
  const path = [group, subcommand].filter((name) => name !== undefined);
  const inner = path.reduce((entry, name) => {
    const found = objects(entry.options).find((option) => option.name === name);
    if (!found) throw new Error(`The command /${text(command.name)} has no ${name}.`);
    return found;
  }, command);
  const options = objects(inner.options);
  if (options.some(({ type }) => type === 1 || type === 2))
    throw new Error(`/${[text(command.name), ...path].join(" ")} has subcommands and cannot be used alone.`);
  return options;
}
