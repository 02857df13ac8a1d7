import {
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from "discord-api-types/v10";
import type { ButtonPress, ChatCommand } from "../../../app/chat/chat-intake.ts";
import type { SkillForm } from "../../../app/chat/skill-form.ts";
import { cutAtWord } from "../../../base/line-for-people.ts";
import { unlessLate } from "../../../base/time-limit.ts";
import type { Place } from "../../../core/values/place.ts";
import { readPlace, referenceOf } from "../channel/discord-place.ts";
import { timeOf } from "../connection/discord-facts.ts";
import { type HeardShards, hears } from "../connection/heard-shards.ts";
import { askAboutMessage } from "./ask-about-message.ts";
import { answer, type InteractionContext, interactionOf, placeOf, refuse } from "./interaction-answers.ts";
import { isOutside, type RawInteraction } from "./raw-interaction.ts";
import {
  fitsModal,
  modalValues,
  opensForm,
  skillModal,
  skillOfModal,
  textModal,
  textOfModal,
} from "./skill-modal.ts";
import { commandText, isPrivateCommand, typedSoFar } from "./slash-commands.ts";

/** Maximum wait before the first answer, ms. Discord waits three seconds, including the time on the network. */
const maxWaitMs = 2_000;

/**
 * Handles a command, press, completion or form. Each is acknowledged at once, before anything is stored, since Discord waits
 * three seconds; the person is told about a later failure.
 */
export async function receiveInteraction(deps: InteractionContext, raw: RawInteraction): Promise<void> {
  const person = raw.member?.user ?? raw.user;
  if (person === undefined) return;
  if (isOutside(raw)) deps.directory.noteAuthor({ author: person });
  else if (raw.guild_id !== undefined && raw.member !== undefined)
    deps.directory.noteMember(raw.guild_id, person, raw.member);
  else if (raw.channel_id !== undefined) deps.directory.noteDirectMessage(person.id, raw.channel_id);
  try {
    await receive(deps, raw, person.id);
  } catch (error) {
    deps.logger.warn({ err: error }, "Discord: an interaction could not be processed");
    await tellFailure(deps, raw);
  }
}

async function receive(deps: InteractionContext, raw: RawInteraction, person: string): Promise<void> {
  switch (raw.type) {
    case InteractionType.ApplicationCommandAutocomplete:
      return complete(deps, raw, person);
    case InteractionType.MessageComponent:
      return press(deps, raw, person);
    case InteractionType.ModalSubmit:
      return submitForm(deps, raw, person);
    case InteractionType.ApplicationCommand:
      return raw.data?.type === ApplicationCommandType.Message
        ? askAboutMessage(deps, raw, person)
        : command(deps, raw, person);
    default:
      return;
  }
}

async function command(deps: InteractionContext, raw: RawInteraction, person: string): Promise<void> {
  const text = commandText(raw.data ?? {}, deps.commands);
  const place = await placeOf(deps, raw, person);
  const form = await unlessLate(maxWaitMs, deps.clock, deps.intake.formOfCommand(text, place, person));
  if (form !== undefined && fitsModal(form)) return openForm(deps, raw, form);
  await take(deps, raw, person, place, { text });
}

async function openForm(deps: InteractionContext, raw: RawInteraction, form: SkillForm): Promise<void> {
  await answer(deps, raw, { type: InteractionResponseType.Modal, data: skillModal(form) });
}

/** Acknowledges a command with "thinking…", stores what an answer after a restart needs, and hands the command in. */
async function take(
  deps: InteractionContext,
  raw: RawInteraction,
  person: string,
  place: Place,
  { text, command }: Pick<ChatCommand, "text" | "command">,
) {
  const seen = isPrivateCommand(text, deps.app.commands) ? "private" : "public";
  const placeholder = isOutside(raw) ? "own" : seen;
  const data = placeholder === "public" ? {} : { flags: MessageFlags.Ephemeral };
  const key = `discord:interaction:${raw.id}`;
  const given = { key, place, id: raw.id, author: person, text, command, said_at: timeOf(raw.id) };
  const interaction = interactionOf(raw, placeholder, given);
  const shared = deps.live.share(interaction);
  try {
    await answer(deps, raw, { type: InteractionResponseType.DeferredChannelMessageWithSource, data });
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
  deps: Pick<InteractionContext, "live" | "intake" | "logger">,
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

async function submitForm(deps: InteractionContext, raw: RawInteraction, person: string): Promise<void> {
  const id = raw.data?.custom_id ?? "";
  const text = textOfModal(id, raw.data?.components ?? []);
  if (text !== undefined) return takePress(deps, raw, person, { button: id, text });
  const skill = skillOfModal(id);
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
  const again = `Nothing was run. Correct the fields and run \`${commandOf(form)}\` again.`;
  await refuse(deps, raw, ["Some fields are invalid:", ...problems, again].join("\n"));
}

/** The command that opens a form. */
function commandOf({ skill_id }: SkillForm): string {
  return skill_id.startsWith("/") ? skill_id : `/skill run ${skill_id}`;
}

async function press(deps: InteractionContext, raw: RawInteraction, person: string): Promise<void> {
  const { custom_id = "", values = [] } = raw.data ?? {};
  // The value of a menu's choice is the id that its button would have.
  const [button = custom_id] = values;
  if (opensForm(button)) {
    const pressed = await pressOf(deps, raw, person, { button });
    const form = await unlessLate(maxWaitMs, deps.clock, deps.intake.formOfPress(pressed));
    if (form !== undefined)
      return answer(deps, raw, { type: InteractionResponseType.Modal, data: textModal(form, button) });
  }
  await takePress(deps, raw, person, { button });
}

/** Acknowledges a press, or the form that it opened, and hands it in. */
async function takePress(
  deps: InteractionContext,
  raw: RawInteraction,
  person: string,
  said: Pick<ButtonPress, "button" | "text">,
): Promise<void> {
  await answer(deps, raw, { type: InteractionResponseType.DeferredMessageUpdate });
  deps.live.add(interactionOf(raw, "none"));
  await deps.intake.press(await pressOf(deps, raw, person, said));
}

async function pressOf(
  deps: InteractionContext,
  raw: RawInteraction,
  person: string,
  said: Pick<ButtonPress, "button" | "text">,
): Promise<ButtonPress> {
  const place = await placeOf(deps, raw, person, raw.message?.id);
  const reference = referenceOf(raw.channel_id ?? "", raw.message?.id ?? "");
  return { place, id: raw.id, person, reference, ...said };
}

/** Completes an option: at most 25 choices of 100 characters. Source: Discord reference, "Application Command Option Choice". */
async function complete(deps: InteractionContext, raw: RawInteraction, person: string): Promise<void> {
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
  await answer(deps, raw, {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices: choices.slice(0, 25) },
  });
}

/** Tells the person, if they saw an acknowledgement. */
async function tellFailure(
  deps: Pick<InteractionContext, "live" | "logger">,
  { id }: { id: string },
): Promise<void> {
  const markdown = "That could not be stored, so nothing was done. Try again in a minute.";
  try {
    await deps.live.whisper(id, { markdown });
  } catch (error) {
    deps.logger.warn({ err: error }, "Discord: the person could not be told about a failure");
  }
}
