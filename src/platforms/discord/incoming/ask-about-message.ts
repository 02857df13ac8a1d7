import { InteractionResponseType, MessageFlags } from "discord-api-types/v10";
import { displayName } from "../channel/directory-facts.ts";
import { directPlace } from "../channel/discord-place.ts";
import { knownNames } from "../channel/known-names.ts";
import { filesOf, namesIn, type RawMessage } from "../channel/parse-message.ts";
import { readableText } from "../channel/readable-text.ts";
import { saidText } from "../channel/said-text.ts";
import { timeOf } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { messageBody } from "../outgoing/message-body.ts";
import {
  answer,
  ephemeral,
  type InteractionContext,
  interactionOf,
  placeOf,
  refuse,
} from "./interaction-answers.ts";
import { isOutside, type RawInteraction } from "./raw-interaction.ts";

/** Answers in a thread of the message. */
export async function askAboutMessage(
  deps: InteractionContext,
  raw: RawInteraction,
  person: string,
): Promise<void> {
  const message = raw.data?.resolved?.messages?.[raw.data.target_id ?? ""];
  if (message === undefined) return refuse(deps, raw, "That message no longer exists.");
  if (isOutside(raw)) return askOutside(deps, raw, person, message);
  await answer(deps, raw, ephemeral("I am on it. The answer comes in a thread of that message."));
  deps.live.add(interactionOf(raw, "none"));
  const place = await placeOf(deps, raw, person, message.id);
  const text = saidText(message);
  if (place.thread === message.id) {
    if (message.thread === undefined) deps.targets.noteMessage(message.id, text);
    else deps.targets.noteThread(message.id);
  }
  const names = namesIn(message, knownNames(deps.directory, raw.guild_id));
  await deps.intake.message({
    key: `discord:interaction:${raw.id}`,
    place,
    id: message.id,
    author: person,
    by_bot: false,
    text: questionAbout(message, readableText(text, names)),
    said_at: timeOf(raw.id),
    addressed: "mention",
    mentions_others: false,
    in_thread: true,
    files: filesOf(message),
  });
}

/**
 * Answers in the direct messages of the person, where the bot is no member. They are told about the message first, so that the answer
 * does not stand alone, and hear in the interaction if they accept no direct messages.
 */
async function askOutside(
  deps: InteractionContext,
  raw: RawInteraction,
  person: string,
  message: RawMessage,
): Promise<void> {
  await answer(deps, raw, {
    type: InteractionResponseType.DeferredChannelMessageWithSource,
    data: { flags: MessageFlags.Ephemeral },
  });
  deps.live.add(interactionOf(raw, "private"));
  const place = directPlace(person);
  const tell = (markdown: string) => deps.live.whisper(raw.id, { markdown });
  const refusal = await deps.intake.refusal(place, person);
  if (refusal !== undefined) return void (await tell(refusal));
  const text = questionAbout(message, readableText(saidText(message), namesIn(message, noNames)));
  const { channel } = await deps.targets.open(place);
  const request = { body: messageBody({ markdown: text }, undefined) };
  const posted = await unlessRefused(
    deps.rest.request("POST", `/channels/${channel}/messages`, request),
    "forbidden",
  );
  if (posted === undefined) return void (await tell(closed));
  await tell("I am on it. The answer comes in our direct messages.");
  await deps.intake.message({
    key: `discord:interaction:${raw.id}`,
    place,
    id: raw.id,
    author: person,
    by_bot: false,
    text,
    said_at: timeOf(raw.id),
    addressed: "direct",
    mentions_others: false,
    in_thread: false,
    files: filesOf(message),
  });
}

/** What a message from outside names is not looked up: the person may not see the bot's servers. */
const noNames = { user: () => undefined, channel: () => undefined, role: () => undefined };

const closed =
  "I answer in direct messages here, and you accept none from me. Allow direct messages, or add me to this server. Nothing was done.";

function questionAbout({ author }: RawMessage, readable: string): string {
  const quoted = readable.replaceAll("\n", "\n> ");
  return `What can you tell me about this message of ${displayName(author)}?\n\n> ${quoted}`;
}
