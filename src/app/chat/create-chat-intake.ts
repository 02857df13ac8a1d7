import type { ChatIntake } from "./chat-intake.ts";
import { createSkillForm } from "./create-skill-form.ts";
import { createCatchUp, createJoinedChannels } from "./intake/catch-up.ts";
import { forgetGreeting, greet, suggestPrompts } from "./intake/greet.ts";
import { type ChatIntakeDeps, createSettingsReader, type IntakeContext } from "./intake/intake-context.ts";
import { createLateMessages } from "./intake/late-messages.ts";
import { createTakeEdit, takeRemoval } from "./intake/message-changes.ts";
import { pressButton } from "./intake/press-button.ts";
import { refusalOf } from "./intake/refusal-of.ts";
import { takeCommand } from "./intake/take-command.ts";
import { createTakeMessage } from "./intake/take-message.ts";
import { createThreadStates } from "./intake/thread-states.ts";
import { createWhisperer } from "./intake/whisperer.ts";

/** The manners of the bot on one platform: whom it answers, when, and what it says to those it does not answer. */
export function createChatIntake(deps: ChatIntakeDeps): ChatIntake {
  const context = contextOf(deps);
  const late = createLateMessages(context);
  const message = createTakeMessage(context, late);
  const channels = createJoinedChannels(deps.store);
  const refusal: ChatIntake["refusal"] = async (place, person) =>
    refusalOf(deps.policy.access, await deps.platform.person(place, person), place);
  const form: ChatIntake["form"] = async (skillId, place, person) => {
    if ((await refusal(place, person)) !== undefined) return undefined;
    const skill = await deps.app.skills.detail(skillId, place.namespace);
    return skill === undefined ? undefined : createSkillForm(skill);
  };
  const { listeners } = deps;
  const edited = createTakeEdit(context, message, late);
  return {
    async message(given) {
      await Promise.all(listeners.map((each) => each.heard?.(given)));
      await message(given);
    },
    command: (command) => takeCommand(context, command),
    press: (press) => pressButton(context, late, press),
    async edited(edit) {
      await Promise.all(listeners.map((each) => each.heard?.(edit)));
      await edited(edit);
    },
    async removed(gone) {
      await Promise.all(listeners.map((each) => each.removed?.(gone)));
      await takeRemoval(context, late, gone);
    },
    async reacted(reaction) {
      await Promise.all(listeners.map((each) => each.reacted?.(reaction)));
    },
    async joined(channel) {
      await channels.add(channel.namespace);
      await greet(context, channel);
    },
    async left(namespace) {
      await channels.remove(namespace);
      await Promise.all(listeners.map((each) => each.left?.(namespace)));
      await forgetGreeting(context, namespace);
    },
    refusal,
    form,
    async formOfCommand(text, place, person) {
      const skillId = deps.app.reader.formOf(text, place);
      return skillId === undefined ? undefined : form(skillId, place, person);
    },
    suggestions: (place) => suggestPrompts(context, place),
    ...createCatchUp(context, channels),
  };
}

function contextOf(deps: ChatIntakeDeps): IntakeContext {
  const { store, platform, clock, logger } = deps;
  return {
    ...deps,
    settings: createSettingsReader(store),
    threads: createThreadStates(store),
    whisperer: createWhisperer(platform, clock, logger),
    background(work, what) {
      work().catch((error: unknown) => logger.warn({ err: error }, what));
    },
  };
}
