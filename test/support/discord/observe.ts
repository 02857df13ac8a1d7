import { allWords, shownFiles } from "./api/component-check.ts";
import { objects } from "./api/json.ts";
import { messageFlags } from "./api/message-body.ts";
import type { Call } from "./api/rest-api.ts";
import { wireMessage } from "./api/wire.ts";
import type {
  ObservedInteraction,
  ObservedMessage,
  ObservedState,
  ObservedThread,
} from "./observed-state.ts";
import type { CommandStore } from "./world/command-store.ts";
import type { Gateway } from "./world/gateway.ts";
import { type Interaction, interactionTypes } from "./world/interactions.ts";
import { type Channel, channelTypes, isSystemNote, type Message, type World } from "./world/world.ts";

interface Parts {
  world: World;
  gateway: Gateway;
  commands: CommandStore;
  interactions: readonly Interaction[];
  calls: Call[];
}

/** @param channel whose messages are observed; null for all */
export function observe(
  { world, gateway, commands, interactions, calls }: Parts,
  channel: string | null,
): ObservedState {
  const channels = [...world.channels.values()];
  return {
    version: world.changes.version,
    messages: [...world.messages.values()]
      .filter((message) => !isSystemNote(message) && (channel === null || message.channel === channel))
      .map((message) => observedMessage(world, message)),
    threads: channels.flatMap(observedThread),
    channels: channels.map(({ id, guild, name, type, recipient }) => ({
      ...{ id, guild: guild ?? null, name, type },
      ...(recipient === undefined ? {} : { recipient }),
    })),
    commands: { global: commands.global, guilds: Object.fromEntries(commands.byGuild), puts: commands.puts },
    calls,
    typing: world.typing,
    identified: gateway.identified,
    sessions: gateway.sessions(),
    interactions: interactions.map((interaction) => observedInteraction(world, interaction)),
  };
}

function observedMessage(world: World, message: Message): ObservedMessage {
  const { attachments: _, reactions, ...plain } = message;
  const isMade = (message.flags & messageFlags.modern) !== 0;
  const shown = isMade ? shownFiles(message.components) : undefined;
  const files = objects(wireMessage(world, message, "all").attachments).filter(
    ({ filename }) => shown?.includes(String(filename)) ?? true,
  );
  return {
    ...plain,
    content: allWords(message),
    attachments: files.map((file) => ({
      id: String(file.id),
      filename: String(file.filename),
      contentType: String(file.content_type),
      size: Number(file.size),
      url: String(file.url),
    })),
    reactions: Object.fromEntries(
      [...reactions].filter(([, users]) => users.size > 0).map(([emoji, users]) => [emoji, [...users]]),
    ),
  };
}

function observedThread({ id, parent, name, type, thread }: Channel): ObservedThread[] {
  if (!thread) return [];
  const { owner, members, archived, locked } = thread;
  const kind =
    type === channelTypes.privateThread
      ? "private"
      : type === channelTypes.publicThread
        ? "public"
        : "announcement";
  return [{ id, parent, name, type: kind, owner, members, archived, locked }];
}

const kinds = {
  [interactionTypes.command]: "command",
  [interactionTypes.component]: "component",
  [interactionTypes.autocomplete]: "autocomplete",
  [interactionTypes.modal]: "modal",
} as const;

function observedInteraction(world: World, interaction: Interaction): ObservedInteraction {
  const original = world.messages.get(interaction.original ?? "");
  const followups = interaction.followups.flatMap((id) => world.messages.get(id) ?? []);
  return {
    id: interaction.id,
    kind: kinds[interaction.type as keyof typeof kinds],
    user: interaction.user,
    channel: interaction.channel,
    callback: interaction.callback,
    loading: interaction.loading,
    original: original ? observedMessage(world, original) : null,
    followups: followups.map((message) => observedMessage(world, message)),
    modal: interaction.modal,
    choices: interaction.choices,
  };
}
