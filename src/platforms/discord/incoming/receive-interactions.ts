import type { App } from "../../../app/app.ts";
import type { ChatCommand, ChatIntake } from "../../../app/chat/chat-intake.ts";
import type { SkillForm } from "../../../app/chat/skill-form.ts";
import { cutAtWord } from "../../../base/line-for-people.ts";
import { unlessLate } from "../../../base/time-limit.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import type { ConversationTargets } from "../channel/conversation-targets.ts";
import type { Directory } from "../channel/directory.ts";
import { displayName } from "../channel/directory-facts.ts";
import { knownNames } from "../channel/known-names.ts";
import { filesOf, namesIn, type RawMessage } from "../channel/parse-message.ts";
import { readableText } from "../channel/readable-text.ts";
import type { ReplyChains } from "../channel/reply-chains.ts";
import { saidText } from "../channel/said-text.ts";
import {
  callbackTypes,
  commandTypes,
  errorCodes,
  interactionTypes,
  isThreadType,
  messageFlags,
  timeOf,
} from "../connection/discord-facts.ts";
import { channelPlace, directPlace, placeIn, readPlace, referenceOf } from "../connection/discord-place.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { type HeardShards, hears } from "../connection/heard-shards.ts";
import { isOutside, type RawInteraction } from "../connection/raw-interaction.ts";
import {
  type LiveInteraction,
  type LiveInteractions,
  liveInteraction,
} from "../outgoing/live-interactions.ts";
import { messageBody } from "../outgoing/message-body.ts";
import { fitsModal, modalValues, skillModal, skillOfModal } from "./skill-modal.ts";
import { type CommandDefinition, commandText, isPrivateCommand, typedSoFar } from "./slash-commands.ts";

export interface InteractionDeps {
  app: App;
  /** The commands as they are registered. */
  commands: readonly CommandDefinition[];
  intake: ChatIntake;
  rest: DiscordRest;
  directory: Directory;
  targets: ConversationTargets;
  chains: ReplyChains;
  live: LiveInteractions;
  clock: Clock;
  logger: Log;
}

/** Maximum wait before the first answer, ms. Discord waits three seconds, including the time on the network. */
const maxWaitMs = 2_000;

/**
 * Handles a command, press, completion or form. Each is acknowledged at once, before anything is stored, since Discord waits
 * three seconds; the person is told about a later failure.
 */
export async function receiveInteraction(deps: InteractionDeps, raw: RawInteraction): Promise<void> {
  const person = raw.member?.user ?? raw.user;
  if (person === undefined) return;
  if (isOutside(raw)) deps.directory.see.author({ author: person });
  else if (raw.guild_id !== undefined && raw.member !== undefined)
    deps.directory.see.member(raw.guild_id, person, raw.member);
  else if (raw.channel_id !== undefined) deps.directory.see.directMessage(person.id, raw.channel_id);
  try {
    await receive(deps, raw, person.id);
  } catch (error) {
    deps.logger.warn({ err: error }, "Discord: an interaction could not be processed");
    await tellFailure(deps, raw);
  }
}

async function receive(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
  switch (raw.type) {
    case interactionTypes.autocomplete:
      return complete(deps, raw, person);
    case interactionTypes.component:
      return press(deps, raw, person);
    case interactionTypes.modal:
      return submitForm(deps, raw, person);
    case interactionTypes.command:
      return raw.data?.type === commandTypes.menu
        ? askAboutMessage(deps, raw, person)
        : command(deps, raw, person);
    default:
      return;
  }
}

async function command(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
  const text = commandText(raw.data ?? {}, deps.commands);
  const place = await placeOf(deps, raw, person);
  const form = await unlessLate(maxWaitMs, deps.clock, deps.intake.formOfCommand(text, place, person));
  if (form !== undefined && fitsModal(form)) return openForm(deps, raw, form);
  await take(deps, raw, person, place, { text });
}

async function openForm(deps: InteractionDeps, raw: RawInteraction, form: SkillForm): Promise<void> {
  await answer(deps, raw, { type: callbackTypes.modal, data: skillModal(form) });
}

/** Acknowledges a command with "thinking…", stores what an answer after a restart needs, and hands the command in. */
async function take(
  deps: InteractionDeps,
  raw: RawInteraction,
  person: string,
  place: Place,
  { text, command }: Pick<ChatCommand, "text" | "command">,
) {
  const seen = isPrivateCommand(text, deps.app.commands) ? "private" : "public";
  const placeholder = isOutside(raw) ? "own" : seen;
  const data = placeholder === "public" ? {} : { flags: messageFlags.ephemeral };
  const key = `discord:interaction:${raw.id}`;
  const given = { key, place, id: raw.id, author: person, text, command, said_at: timeOf(raw.id) };
  const interaction = interactionOf(raw, placeholder, given);
  const shared = deps.live.share(interaction);
  try {
    await answer(deps, raw, { type: callbackTypes.deferredMessage, data });
  } catch (error) {
    await shared;
    await deps.live.forget(raw.id);
    throw error;
  }
  deps.live.add(interaction);
  // Whoever runs the command must find it.
  await shared;
  await deps.intake.command(given);
}

/** Hands in again the commands of an earlier process with these shards, which may have ended before it stored them. */
export async function takeUnanswered(
  deps: Pick<InteractionDeps, "live" | "intake" | "logger">,
  shards: HeardShards,
): Promise<void> {
  for (const given of await deps.live.unanswered()) {
    if (!hears(shards, readPlace(given.place).guild)) continue;
    try {
      await deps.intake.command(given);
    } catch (error) {
      deps.logger.warn({ err: error }, "Discord: a command from before a restart could not be processed");
      await tellFailure(deps, given);
    }
  }
}

async function submitForm(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
  const skill = skillOfModal(raw.data?.custom_id ?? "");
  const place = await placeOf(deps, raw, person);
  const form =
    skill === undefined
      ? undefined
      : await unlessLate(maxWaitMs, deps.clock, deps.intake.form(skill, place, person));
  if (form === undefined) return refuse(deps, raw, "This skill no longer exists here. Nothing was run.");
  const filled = modalValues(raw.data?.components ?? []);
  if (!filled.ok) return refuse(deps, raw, filled.problem);
  const result = form.command(filled.values);
  if (result.ok) return take(deps, raw, person, place, result);
  const problems = Object.entries(result.problems).map(([name, problem]) => `- **${name}**: ${problem}`);
  const again = `Nothing was run. Correct the fields and run \`/skill run ${form.skill_id}\` again.`;
  await refuse(deps, raw, ["Some fields are invalid:", ...problems, again].join("\n"));
}

async function press(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
  await answer(deps, raw, { type: callbackTypes.deferredUpdate });
  deps.live.add(interactionOf(raw, "none"));
  const { custom_id = "", values = [] } = raw.data ?? {};
  // The value of a menu's choice is the id that its button would have.
  const [button = custom_id] = values;
  const place = await placeOf(deps, raw, person, raw.message?.id);
  const reference = referenceOf(raw.channel_id ?? "", raw.message?.id ?? "");
  await deps.intake.press({ place, id: raw.id, person, button, reference });
}

/** Completes an option: at most 25 choices of 100 characters. Source: Discord reference, "Application Command Option Choice". */
async function complete(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
  const place = await placeOf(deps, raw, person);
  const { text, before, isNumber } = typedSoFar(raw.data ?? {});
  // People who may not use the bot do not see the names of its skills.
  const allowed = async () =>
    (await deps.intake.refusal(place, person)) === undefined ? deps.app.complete(text, place.namespace) : [];
  const found = (await unlessLate(maxWaitMs, deps.clock, allowed())) ?? [];
  const choices = found
    .map(({ text: whole, label, description }) => ({
      name: cutAtWord(description === "" ? label : `${label} — ${description}`, 100),
      value: whole.slice(before.length).trim(),
    }))
    .filter(({ value }) => value !== "" && value.length <= 100)
    .map(({ name, value }) => ({ name, value: isNumber ? Number(value) : value }));
  await answer(deps, raw, { type: callbackTypes.autocomplete, data: { choices: choices.slice(0, 25) } });
}

async function askAboutMessage(deps: InteractionDeps, raw: RawInteraction, person: string): Promise<void> {
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
  deps: InteractionDeps,
  raw: RawInteraction,
  person: string,
  message: RawMessage,
): Promise<void> {
  await answer(deps, raw, { type: callbackTypes.deferredMessage, data: { flags: messageFlags.ephemeral } });
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
    ({ code }) => code === "forbidden",
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

/** The place of an interaction. `message` begins the conversation if there is no thread yet. */
async function placeOf(
  { directory, chains }: InteractionDeps,
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

async function answer({ rest }: InteractionDeps, { id, token }: RawInteraction, body: object): Promise<void> {
  const request = rest.request("POST", `/interactions/${id}/${token}/callback`, { body, auth: false });
  // The reply to an earlier attempt was lost, or another process has heard it too.
  await unlessRefused(request, ({ discordCode }) => discordCode === errorCodes.alreadyAnswered);
}

function ephemeral(content: string) {
  const flags = messageFlags.ephemeral | messageFlags.suppressEmbeds;
  const data = { content, flags, allowed_mentions: { parse: [] } };
  return { type: callbackTypes.message, data };
}

async function refuse(deps: InteractionDeps, raw: RawInteraction, text: string): Promise<void> {
  await answer(deps, raw, ephemeral(text));
}

function interactionOf(
  { id, token, application_id }: RawInteraction,
  placeholder: LiveInteraction["placeholder"],
  command?: ChatCommand,
): LiveInteraction {
  return liveInteraction({ id, token, application: application_id, placeholder }, command);
}

/** Tells the person, if they saw an acknowledgement. */
async function tellFailure(
  deps: Pick<InteractionDeps, "live" | "logger">,
  { id }: { id: string },
): Promise<void> {
  const markdown = "That could not be stored, so nothing was done. Try again in a minute.";
  try {
    await deps.live.whisper(id, { markdown });
  } catch (error) {
    deps.logger.warn({ err: error }, "Discord: the person could not be told about a failure");
  }
}
