import { errorText } from "../../base/error-text.ts";
import { parseExactly } from "../../base/exact-number.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import { cutText } from "../../base/markdown-text.ts";
import { settingsOf } from "../../core/skill/namespace-state.ts";
import type { Parameter } from "../../core/skill/skill.ts";
import type { Json } from "../../core/values/json.ts";
import { skillRunCommand } from "../services/run-skill-now.ts";
import type { SkillDetail } from "../services/skill-listing.ts";
import type { ChatIntake } from "./chat-intake.ts";
import { createCatchUp, createJoinedChannels } from "./intake/catch-up.ts";
import { forgetGreeting, greet, suggestPrompts } from "./intake/greet.ts";
import type { ChatIntakeDeps, IntakeContext } from "./intake/intake-context.ts";
import { createLateMessages } from "./intake/late-messages.ts";
import { createTakeEdit, takeRemoval } from "./intake/message-changes.ts";
import { formOfPress, pressButton, stopThread } from "./intake/press-button.ts";
import { refusalOf } from "./intake/refusal-of.ts";
import { takeCommand } from "./intake/take-command.ts";
import { createTakeMessage } from "./intake/take-message.ts";
import { createThreadStates } from "./intake/thread-states.ts";
import { createUnaskedOffers } from "./intake/unasked-offers.ts";
import { createWhisperer } from "./intake/whisperer.ts";
import { createScheduleForm, scheduleCommand } from "./schedule-form.ts";
import type { FormField, SkillForm } from "./skill-form.ts";

/** The behaviour of the bot on one platform: whom it answers, when, and what it tells people it does not answer. */
export function createChatIntake(deps: ChatIntakeDeps): ChatIntake {
  const context = contextOf(deps);
  const late = createLateMessages(context);
  const offers = createUnaskedOffers(context);
  const message = createTakeMessage(context, late);
  const channels = createJoinedChannels(deps.store);
  const refusal: ChatIntake["refusal"] = async (place, person) =>
    refusalOf(deps.policy.access, await deps.platform.person(place, person), place);
  const form: ChatIntake["form"] = async (skillId, place, person) => {
    const who = await deps.platform.person(place, person);
    if (refusalOf(deps.policy.access, who, place) !== undefined) return undefined;
    if (skillId.startsWith(`/${scheduleCommand}`)) {
      const zone = who.time_zone ?? (await settingsOf(deps.store, place.namespace)).time_zone;
      return createScheduleForm(skillId, place, { zone, now: deps.clock.now() });
    }
    const skill = await deps.app.skills.detail(skillId, place.namespace);
    return skill === undefined ? undefined : createSkillForm(skill);
  };
  const { listeners } = deps;
  const edited = createTakeEdit(context, message, late);
  return {
    async message(given) {
      await Promise.all(listeners.map((each) => each.heard?.(given)));
      await offers.heard(given, await message(given));
    },
    command: (command) => takeCommand(context, command),
    press: (press) => pressButton(context, { late, offers }, press),
    stopped: (stop) => stopThread(context, stop),
    async edited(edit) {
      await Promise.all(listeners.map((each) => each.heard?.(edit)));
      offers.changed(edit);
      await edited(edit);
    },
    async removed(gone) {
      await Promise.all(listeners.map((each) => each.removed?.(gone)));
      offers.changed({ key: gone.key });
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
    formOfPress: (press) => formOfPress(context, press),
    suggestions: (place, lookingAt) => suggestPrompts(context, place, lookingAt),
    ...createCatchUp(context, channels),
  };
}

function contextOf(deps: ChatIntakeDeps): IntakeContext {
  const { store, logger } = deps;
  return {
    ...deps,
    threads: createThreadStates(store),
    whisperer: createWhisperer(deps.platform, store, deps.clock, logger),
    repeats: new KeyedMutex(),
    background(work, what) {
      work().catch((error: unknown) => logger.warn({ err: error }, what));
    },
  };
}

/** The properties of a skill that a form needs. */
export type FormSkill = Pick<SkillDetail, "id" | "name" | "summary" | "parameters">;

/** Maximum characters of a label, Discord's limit. */
const maxLabelLength = 45;

/** Parameters whose name or description says so get a field of several lines. */
const longName = /^(text|content|body|document|markdown|code|diff|notes?|message|task|prompt|request)$/i;
const longText = /\b(long|multi-?line|lines|paragraphs?|document|article|markdown|source code)\b/i;

const yes = /^(true|yes|y|on|1)$/i;
const no = /^(false|no|n|off|0)$/i;

/** The form for a skill's parameters; undefined for a skill without any. */
export function createSkillForm({ id, name, summary, parameters }: FormSkill): SkillForm | undefined {
  if (parameters.length === 0) return undefined;
  return {
    skill_id: id,
    title: name,
    summary,
    fields: parameters.map(fieldOf),
    command(values) {
      const answers = parameters.map((parameter) => {
        const text = Object.hasOwn(values, parameter.name) ? (values[parameter.name] ?? "") : "";
        return { name: parameter.name, read: readField(parameter, text) };
      });
      const problems = answers.flatMap(({ name, read: { problem } }) =>
        problem === undefined ? [] : [[name, problem] as const],
      );
      if (problems.length > 0) return { ok: false, problems: Object.fromEntries(problems) };
      const params = answers.flatMap(({ name, read: { value } }) =>
        value === undefined ? [] : [[name, value] as const],
      );
      return { ok: true, ...skillRunCommand(id, Object.fromEntries(params)) };
    },
  };
}

function fieldOf(parameter: Parameter): FormField {
  const { name, description, default: preset, enum: allowed } = parameter;
  return {
    name,
    label: labelOf(name),
    description,
    kind: kindOf(parameter),
    required: isRequired(parameter),
    ...(preset === undefined ? {} : { default: preset }),
    ...(allowed === undefined || allowed.length === 0 ? {} : { choices: allowed.map(asText) }),
  };
}

function isRequired({ required, default: preset }: Parameter): boolean {
  return required && preset === undefined;
}

/** `max_results` → `Max results`. */
function labelOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  const label = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
  return cutText(label, maxLabelLength) || name;
}

function kindOf({ name, type, description, enum: allowed }: Parameter): FormField["kind"] {
  if (allowed !== undefined && allowed.length > 0) return "choice";
  switch (type) {
    case "string":
      return longName.test(name) || longText.test(description) ? "long_text" : "text";
    case "number":
    case "boolean":
      return type;
    case "object":
    case "array":
      return "json";
    default:
      return type satisfies never;
  }
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `value` is undefined for a field that was left empty, and for one with a `problem`. */
interface ReadValue {
  value?: Json | undefined;
  problem?: string;
}

function readField(parameter: Parameter, text: string): ReadValue {
  if (text.trim() !== "") return readValue(parameter, text);
  return isRequired(parameter) ? { problem: "This field is required." } : {};
}

function readValue({ type, enum: allowed = [] }: Parameter, text: string): ReadValue {
  const word = text.trim();
  if (allowed.length > 0) {
    const value = allowed.find((each) => asText(each) === word);
    return value === undefined ? { problem: `Choose one of: ${allowed.map(asText).join(", ")}.` } : { value };
  }
  switch (type) {
    case "string":
      return { value: text };
    case "number":
      return Number.isFinite(Number(word))
        ? { value: Number(word) }
        : { problem: "Write a number, such as 12 or 0.5." };
    case "boolean":
      if (yes.test(word)) return { value: true };
      return no.test(word) ? { value: false } : { problem: "Write yes or no." };
    case "object":
    case "array":
      return readJson(type, text);
    default:
      return type satisfies never;
  }
}

function readJson(type: "object" | "array", text: string): ReadValue {
  const problem = `Write JSON, such as ${type === "array" ? '["a", "b"]' : '{"name": "value"}'}.`;
  try {
    const value = parseExactly(text) as Json;
    const isArray = Array.isArray(value);
    const fits = type === "array" ? isArray : typeof value === "object" && value !== null && !isArray;
    return fits ? { value } : { problem };
  } catch (error) {
    return { problem: `${problem} (${errorText(error)})` };
  }
}
