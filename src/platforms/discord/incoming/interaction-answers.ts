import { InteractionResponseType, MessageFlags, RESTJSONErrorCodes } from "discord-api-types/v10";
import type { ChatHost } from "../../../app/app.ts";
import type { ChatCommand, ChatIntake } from "../../../app/chat/chat-intake.ts";
import type { Place } from "../../../core/values/place.ts";
import type { DiscordContext } from "../channel/discord-context.ts";
import { channelPlace, directPlace, placeIn } from "../channel/discord-place.ts";
import { isThreadType } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import {
  type LiveInteraction,
  type LiveInteractions,
  liveInteraction,
} from "../outgoing/live-interactions.ts";
import { isOutside, type RawInteraction } from "./raw-interaction.ts";
import type { CommandDefinition } from "./slash-commands.ts";

/** What answering interactions takes. */
export interface InteractionContext extends DiscordContext, Pick<ChatHost, "app" | "clock" | "logger"> {
  /** The commands as they are registered. */
  commands: readonly CommandDefinition[];
  intake: ChatIntake;
  live: LiveInteractions;
}

/** The place of an interaction. `message` begins the conversation if there is no thread yet. */
export async function placeOf(
  { directory, chains }: InteractionContext,
  raw: RawInteraction,
  person: string,
  message?: string,
): Promise<Place> {
  const { guild_id, channel_id = "" } = raw;
  if (guild_id === undefined || isOutside(raw)) return directPlace(person);
  // Not requested: the first answer must not wait.
  const channel = directory.knownChannel(channel_id) ?? channelOf(raw);
  if (channel === undefined) return channelPlace(guild_id, channel_id);
  if (isThreadType(channel.type) || message === undefined) return placeIn(guild_id, channel, channel.id);
  return placeIn(guild_id, channel, (await chains.threadOf(channel_id, message)) ?? message);
}

function channelOf({ channel }: RawInteraction) {
  return channel && { id: channel.id, type: channel.type, parent_id: channel.parent_id ?? undefined };
}

/** Answers an interaction for the first time. @throws DiscordProblem */
export async function answer(
  { rest }: InteractionContext,
  { id, token }: RawInteraction,
  body: object,
): Promise<void> {
  const request = rest.request("POST", `/interactions/${id}/${token}/callback`, { body, auth: false });
  // The reply to an earlier attempt was lost, or another process has heard it too.
  await unlessRefused(request, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
}

/** A first answer that the person alone sees. */
export function ephemeral(content: string) {
  const flags = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds;
  const data = { content, flags, allowed_mentions: { parse: [] } };
  return { type: InteractionResponseType.ChannelMessageWithSource, data };
}

/** Tells the person alone that nothing was done, and why. @throws DiscordProblem */
export async function refuse(deps: InteractionContext, raw: RawInteraction, text: string): Promise<void> {
  await answer(deps, raw, ephemeral(text));
}

/** The interaction as it can be answered later. */
export function interactionOf(
  { id, token, application_id }: RawInteraction,
  placeholder: LiveInteraction["placeholder"],
  command?: ChatCommand,
): LiveInteraction {
  return liveInteraction({ id, token, application: application_id, placeholder }, command);
}
