import { ComponentType, TextInputStyle } from "discord-api-types/v10";
import type { TextForm } from "../../../app/chat/chat-intake.ts";
import type { FormField, SkillForm } from "../../../app/chat/skill-form.ts";
import { parseExactly } from "../../../base/exact-number.ts";
import { cutAtWord } from "../../../base/line-for-people.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { isRecord } from "../../../base/record.ts";
import { readButtonId } from "../../../core/ports/chat-platform.ts";
import type { RawModalComponent } from "./raw-interaction.ts";

/** Fields of a modal. Source: Discord reference, "Modal". */
const maxFields = 5;
/** The field for all other parameters, as JSON. */
const moreField = "knack-more";
const prefix = "form:";

/** The form of a skill's parameters as a modal; more than five parameters share the last field as JSON. */
export function skillModal(form: SkillForm) {
  const { shown, left } = divided(form);
  const labels = shown.map((field) => label(field.name, field.label, field.description, inputOf(field)));
  if (left.length > 0) {
    const names = left.map(({ name }) => name).join(", ");
    const required = left.some((field) => field.required);
    const input = textInput(moreField, required, "", true);
    labels.push(label(moreField, "More, as JSON", `Any of: ${names}`, input));
  }
  return { custom_id: prefix + form.skill_id, title: beginningOf(form.title, 45), components: labels };
}

/** Whether the form fits into a modal, whose id has at most 100 characters. */
export function fitsModal({ skill_id, fields }: SkillForm): boolean {
  return fields.length > 0 && prefix.length + skill_id.length <= 100;
}

/** The skill a modal is for. */
export function skillOfModal(customId: string): string | undefined {
  return customId.startsWith(prefix) ? customId.slice(prefix.length) : undefined;
}

/** The values by parameter, or the problem with the JSON of the last field. */
export function modalValues(
  components: readonly RawModalComponent[],
): { ok: true; values: Record<string, string> } | { ok: false; problem: string } {
  const { [moreField]: more = "", ...values } = Object.fromEntries(filled(components));
  if (more.trim() === "") return { ok: true, values };
  const rest = parseObject(more);
  if (rest === undefined) {
    const problem = 'The last field is not valid JSON. Nothing was run. Write it like {"name": "value"}.';
    return { ok: false, problem };
  }
  const texts = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return { ok: true, values: { ...Object.fromEntries(texts), ...values } };
}

/** The field of a form with one text. */
const textField = "text";

/** The form that a button opens. It has the id of the button. */
export function textModal({ title, label: name, text }: TextForm, button: string) {
  const input = textInput(textField, true, text, true);
  return {
    custom_id: button,
    title: beginningOf(title, 45),
    components: [label(textField, name, "", input)],
  };
}

/** Whether a button may open a form, which has to be the first answer to its press. */
export function opensForm(button: string): boolean {
  return readButtonId(button)?.role === "edit";
}

/** The text of a submitted form that a button opened; undefined for all other forms. */
export function textOfModal(id: string, components: readonly RawModalComponent[]): string | undefined {
  return opensForm(id) ? (Object.fromEntries(filled(components))[textField] ?? "") : undefined;
}

function filled(components: readonly RawModalComponent[]): [string, string][] {
  return components.flatMap(
    ({ custom_id, value, values, component, components: inner }): [string, string][] => {
      const nested = filled([...(component === undefined ? [] : [component]), ...(inner ?? [])]);
      const text = value ?? values?.[0] ?? "";
      return custom_id === undefined || text === "" ? nested : [[custom_id, text], ...nested];
    },
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseExactly(text);
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The fields with an input of their own, and those left to the JSON field. Required fields come first. */
function divided({ fields }: SkillForm): { shown: FormField[]; left: FormField[] } {
  const sorted = fields.toSorted((a, b) => Number(b.required) - Number(a.required));
  if (sorted.length <= maxFields) return { shown: [...fields], left: [] };
  return { shown: sorted.slice(0, maxFields - 1), left: sorted.slice(maxFields - 1) };
}

function label(name: string, text: string, description: string, component: object) {
  const about = cutAtWord(description, 100);
  return {
    type: ComponentType.Label,
    label: beginningOf(text.trim() || name, 45),
    ...(about === "" ? {} : { description: about }),
    component,
  };
}

function inputOf({ name, kind, required, default: preset, choices = [] }: FormField): object {
  const value = preset === undefined ? "" : typeof preset === "string" ? preset : JSON.stringify(preset);
  const options = kind === "boolean" ? ["true", "false"] : choices;
  const fits =
    options.length > 0 && options.length <= 25 && options.every((each) => each !== "" && each.length <= 100);
  if (!fits) return textInput(name, required, value, kind === "long_text" || kind === "json");
  return {
    type: ComponentType.StringSelect,
    custom_id: name.slice(0, 100),
    required,
    options: options.map((each) => ({
      label: each,
      value: each,
      ...(each === value ? { default: true } : {}),
    })),
  };
}

function textInput(name: string, required: boolean, value: string, long: boolean): object {
  return {
    type: ComponentType.TextInput,
    custom_id: name.slice(0, 100),
    style: long ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required,
    ...(value === "" ? {} : { value: beginningOf(value, 4_000) }),
  };
}
