import { flatComponents } from "../api/component-check.ts";
import { type Json, objects, strings, text } from "../api/json.ts";
import { memberOf, wireChannel, wireMember, wireMessage, wireUserById } from "../api/wire.ts";
import type { ControlInput, OptionValues } from "../control-protocol.ts";
import { type CommandStore, optionsOf } from "./command-store.ts";
import { type Interaction, type Interactions, interactionTypes, mayUse } from "./interactions.ts";
import { channelOf, messageOf, require, userOf } from "./people.ts";
import type { Channel, World } from "./world.ts";

interface Parts {
  world: World;
  commands: CommandStore;
  interactions: Interactions;
}

/** A person uses a chat command that is registered here, with options it has. Throws if Discord would not offer that. */
export function useCommand(parts: Parts, input: ControlInput<"command">): Interaction {
  const { command, channel, options } = lookUp(parts, input);
  const missing = options.find(
    (option) => option.required === true && input.options?.[text(option.name)] === undefined,
  );
  if (missing) throw new Error(`/${input.name} needs ${text(missing.name)}.`);
  const data = commandData(parts.world, channel, command, input, chosen(options, input.options ?? {}));
  return parts.interactions.begin({ type: interactionTypes.command, user: input.user, channel, data });
}

/** A person types into an option that completes. */
export function autocomplete(parts: Parts, input: ControlInput<"autocomplete">): Interaction {
  const { command, channel, options } = lookUp(parts, input);
  const focused = options.find((option) => option.name === input.focused);
  if (focused?.autocomplete !== true) throw new Error(`/${input.name} does not complete ${input.focused}.`);
  const values = chosen(options, { [input.focused]: "", ...input.options }, input.focused).map((option) =>
    option.name === input.focused ? { ...option, focused: true } : option,
  );
  const data = commandData(parts.world, channel, command, input, values);
  return parts.interactions.begin({ type: interactionTypes.autocomplete, user: input.user, channel, data });
}

/** A person picks a message command from the menu of a message. */
export function contextMenu(
  parts: Parts,
  { user, message: id, name }: ControlInput<"contextMenu">,
): Interaction {
  const { world, commands, interactions } = parts;
  const message = messageOf(world, id);
  const channel = channelOf(world, message.channel);
  const command = commands.find(channel.guild, name, 3);
  if (!command) throw new Error(`There is no message command "${name}" here.`);
  requireInstall(world, channel, user, command);
  const data = {
    id: command.id,
    name,
    type: 3,
    target_id: id,
    resolved: { messages: { [id]: wireMessage(world, message, "all") } },
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
  };
  return interactions.begin({ type: interactionTypes.command, user, channel, data });
}

/** A person uses a button or a menu that the message has at this moment; the value of an option picks it in its menu. */
export function click({ world, interactions }: Parts, input: ControlInput<"click">): Interaction {
  const message = messageOf(world, input.message);
  const channel = channelOf(world, message.channel);
  if (message.ephemeralFor !== null && message.ephemeralFor !== input.user) {
    throw new Error(`${userOf(world, input.user).name} does not see this message.`);
  }
  require(world, channel, input.user, "ViewChannel");
  const all = flatComponents(message.components);
  const offers = (one: Json) => objects(one.options).some((option) => text(option.value) === input.customId);
  const component = all.find((one) => one.custom_id === input.customId) ?? all.find(offers);
  if (!component) throw new Error(`The message has no component ${input.customId} now.`);
  if (component.disabled === true) throw new Error(`The component ${input.customId} is disabled.`);
  const offered = objects(component.options).map((option) => text(option.value));
  const isOption = component.custom_id !== input.customId;
  const values = isOption ? [input.customId] : (input.values ?? []);
  if (component.type === 3 && !values.every((value) => offered.includes(value))) {
    throw new Error(`The menu ${input.customId} does not offer ${values.join(", ")}.`);
  }
  const type = Number(component.type);
  const picked = type === 2 ? {} : { values, ...resolvedOf(world, channel, values) };
  const data = { custom_id: component.custom_id, component_type: type, id: component.id ?? 1, ...picked };
  return interactions.begin({
    type: interactionTypes.component,
    user: input.user,
    channel,
    data,
    source: message.id,
  });
}

/** A person sends the modal that the bot opened on their interaction; `fields` by custom id. */
export function submitModal({ world, interactions }: Parts, input: ControlInput<"submitModal">): Interaction {
  const opener = interactions.byId(input.interaction);
  const modal = opener?.modal;
  if (!opener || !modal) throw new Error("The bot opened no modal there.");
  if (opener.user !== input.user) throw new Error("The modal is open for someone else.");
  const inputs = flatComponents(modal.components).filter(({ custom_id: id }) => typeof id === "string");
  const unknown = Object.keys(input.fields).find((id) => !inputs.some((field) => field.custom_id === id));
  if (unknown !== undefined) throw new Error(`The modal has no field ${unknown}.`);
  for (const field of inputs) checkField(field, input.fields[text(field.custom_id)]);
  const components = objects(modal.components).map((row, index) => submittedRow(row, index, input.fields));
  const data = { custom_id: modal.custom_id, components, resolved: {} };
  const channel = channelOf(world, opener.channel);
  return interactions.begin({
    type: interactionTypes.modal,
    user: input.user,
    channel,
    data,
    ...(opener.source === null ? {} : { source: opener.source }),
  });
}

/** Input that Discord's client does not let a person send. */
function checkField(field: Json, value: string | string[] | undefined): void {
  const id = text(field.custom_id);
  const empty = value === undefined || value.length === 0;
  if (empty && field.required !== false) throw new Error(`The field ${id} must be filled in.`);
  if (field.type !== 4 || typeof value !== "string" || empty) return;
  const { min_length: least, max_length: most } = field;
  if (value.length < Number(least ?? 0) || value.length > Number(most ?? 4000)) {
    throw new Error(`The field ${id} has ${value.length} characters, which it does not take.`);
  }
}

function submittedRow(row: Json, index: number, fields: Record<string, string | string[]>): Json {
  const filled = (field: Json): Json => {
    const value = fields[text(field.custom_id)];
    const content =
      field.type === 4
        ? { value: text(value) }
        : { values: strings(typeof value === "string" ? [value] : value) };
    return { type: field.type, id: index + 100, custom_id: field.custom_id, ...content };
  };
  const [inner] = objects([row.component]);
  if (row.type === 18 && inner) return { type: 18, id: index + 1, component: filled(inner) };
  if (row.type === 1) return { type: 1, id: index + 1, components: objects(row.components).map(filled) };
  return { type: row.type, id: index + 1 };
}

function lookUp({ world, commands }: Parts, input: ControlInput<"command">) {
  const channel = channelOf(world, input.channel);
  const command = commands.find(channel.guild, input.name, 1);
  if (!command) throw new Error(`The command /${input.name} is not registered here.`);
  require(world, channel, input.user, "UseApplicationCommands");
  requireInstall(world, channel, input.user, command);
  if (!mayUse(world, channel, input.user, command.default_member_permissions)) {
    throw new Error(`${userOf(world, input.user).name} may not use /${input.name}.`);
  }
  const contexts = command.contexts;
  const here = channel.guild === undefined ? 1 : 0;
  if (Array.isArray(contexts) && !contexts.includes(here))
    throw new Error(`/${input.name} is not offered here.`);
  return { channel, command, options: optionsOf(command, input.group, input.subcommand) };
}

/** Throws unless the guild or the person has added the app, and the command is offered for that. */
function requireInstall(world: World, channel: Channel, user: string, command: Json): void {
  const types = Array.isArray(command.integration_types) ? command.integration_types : [0];
  const inGuild = world.guildOf(channel)?.joined !== false && types.includes(0);
  const forPerson = userOf(world, user).installed && types.includes(1);
  if (!inGuild && !forPerson) throw new Error(`${text(command.name)} is not offered here.`);
}

/**
 * The options as an interaction carries them, in the order in which the person filled them. Throws on options the command has not, or
 * values it does not take; what is typed into an option that completes is a text.
 */
function chosen(options: readonly Json[], values: OptionValues, typed?: string): Json[] {
  return Object.entries(values).map(([name, value]) => {
    const option = options.find((one) => one.name === name);
    if (!option) throw new Error(`The command has no option ${name}.`);
    const type = Number(option.type);
    const wanted = kindOf(name === typed ? 3 : type);
    if (wanted !== kindOfValue(value)) throw new Error(`The option ${name} takes a ${wanted}.`);
    const choices = objects(option.choices);
    if (choices.length > 0 && !choices.some((choice) => choice.value === value)) {
      throw new Error(`The option ${name} does not offer ${value}.`);
    }
    return { name, type, value };
  });
}

/** What an option of this type takes. */
function kindOf(type: number): string {
  return { 4: "whole number", 5: "boolean", 10: "number" }[type] ?? "string";
}

function kindOfValue(value: string | number | boolean): string {
  return Number.isInteger(value) ? "whole number" : typeof value;
}

function commandData(
  world: World,
  channel: Channel,
  command: Json,
  input: ControlInput<"command">,
  values: Json[],
): Json {
  const inSubcommand =
    input.subcommand === undefined ? values : [{ name: input.subcommand, type: 1, options: values }];
  const options =
    input.group === undefined ? inSubcommand : [{ name: input.group, type: 2, options: inSubcommand }];
  const named = values
    .filter(({ type }) => [6, 7, 8, 9].includes(Number(type)))
    .map(({ value }) => text(value));
  return {
    id: command.id,
    name: command.name,
    type: 1,
    ...(options.length > 0 ? { options } : {}),
    ...resolvedOf(world, channel, named),
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
  };
}

/** The users, members, roles and channels among these ids. */
function resolvedOf(world: World, channel: Channel, ids: readonly string[]): Json {
  const guild = world.guildOf(channel);
  const users = ids.filter((id) => world.users.has(id));
  const members = users.flatMap((id) => memberOf(guild, id) ?? []);
  const roles = (guild?.roles ?? []).filter(({ id }) => ids.includes(id));
  const channels = ids.flatMap((id) => world.channels.get(id) ?? []);
  if (users.length + roles.length + channels.length === 0) return {};
  return {
    resolved: {
      users: Object.fromEntries(users.map((id) => [id, wireUserById(world, id)])),
      members: Object.fromEntries(
        members.map((member) => [member.user, { ...wireMember(member), permissions: "0" }]),
      ),
      roles: Object.fromEntries(
        roles.map((role) => [
          role.id,
          { id: role.id, name: role.name, permissions: String(role.permissions) },
        ]),
      ),
      channels: Object.fromEntries(
        channels.map((one) => [one.id, { ...wireChannel(world, one), permissions: "0" }]),
      ),
    },
  };
}
