import type { types, ViewOutput } from "@slack/bolt";
import { z } from "zod";
import type { ButtonPress, ChatIntake, TextForm } from "../../../app/chat/chat-intake.ts";
import type { FormField, SkillForm } from "../../../app/chat/skill-form.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { GivenCommand } from "../../../core/values/inbound.ts";
import { isWithin, type Place } from "../../../core/values/place.ts";

/** `callback_id` of the form for a skill's parameters. */
export const formModalId = "knack_form";

/** `callback_id` of the form with one text that a button opens. */
export const textModalId = "knack_text";

/** Data that a form carries until it is submitted. */
const rememberedSchema = z.object({ skill: z.string(), namespace: z.string(), thread: z.string() });

/** Slack's limits: 24 characters of a title, 2,000 of a hint, 3,000 of a text field, 100 options of 150 characters. */
const titleLength = 24;
const maxHint = 2_000;
const maxOptions = 100;
const maxOption = 150;
const maxValue = 3_000;

/** A form for a skill's parameters; its command runs in `place`. */
export function formModal(form: SkillForm, place: Place): types.ModalView {
  const remembered: z.infer<typeof rememberedSchema> = { skill: form.skill_id, ...place };
  return {
    type: "modal",
    callback_id: formModalId,
    private_metadata: JSON.stringify(remembered),
    title: plain(form.title, titleLength),
    submit: plain(form.submit ?? "Run", titleLength),
    close: plain("Cancel", titleLength),
    blocks: [about(form), ...form.fields.map(inputBlock)],
  };
}

function about({ title, summary }: SkillForm): types.ContextBlock {
  return { type: "context", elements: [plain(summary || title, maxHint)] };
}

const pressSchema = z.object({
  namespace: z.string(),
  thread: z.string(),
  id: z.string(),
  button: z.string(),
  reference: z.string(),
});

/** The form that a button opens. */
export function textModal(
  { title, label, text, submit }: TextForm,
  { place, id, button, reference }: ButtonPress,
): types.ModalView {
  const remembered: z.infer<typeof pressSchema> = { ...place, id, button, reference };
  return {
    type: "modal",
    callback_id: textModalId,
    private_metadata: JSON.stringify(remembered),
    title: plain(title, titleLength),
    submit: plain(submit, titleLength),
    close: plain("Cancel", titleLength),
    blocks: [
      {
        type: "input",
        block_id: "text",
        label: plain(label, 150),
        element: { type: "plain_text_input", action_id: "value", multiline: true, initial_value: text },
      },
    ],
  };
}

/** The press that a submitted form stands for; undefined for a form of another workspace. */
export function readTextModal(view: ViewOutput, team: string, person: string): ButtonPress | undefined {
  const { namespace, thread, ...press } = pressSchema.parse(JSON.parse(view.private_metadata));
  if (!isWithin(namespace, "slack", team)) return undefined;
  const text = view.state.values.text?.value?.value ?? "";
  return { ...press, person, place: { namespace, thread }, text };
}

function inputBlock(field: FormField): types.InputBlock {
  const { name, label, description, required } = field;
  return {
    type: "input",
    block_id: name,
    optional: !required,
    label: plain(label || name, 150),
    element: element(field),
    ...(description && { hint: plain(description, maxHint) }),
  };
}

function element({ kind, choices = [], default: given }: FormField): types.InputBlock["element"] {
  const value = given === undefined ? undefined : typeof given === "string" ? given : JSON.stringify(given);
  const offered = kind === "boolean" ? ["true", "false"] : choices;
  const options = offered.map(option);
  // Options that do not fit into a list become a text field.
  const fits = offered.length <= maxOptions && offered.every((choice) => choice.length <= maxOption);
  if (fits && options.length > 0) {
    const initial_option = options.find((each) => each.value === value);
    return { type: "static_select", action_id: "value", options, ...(initial_option && { initial_option }) };
  }
  if (kind === "date" || kind === "time") return picker(kind, value);
  const initial = value !== undefined && value.length <= maxValue && { initial_value: value };
  if (kind === "number") {
    return { type: "number_input", action_id: "value", is_decimal_allowed: true, ...initial };
  }
  const multiline = kind === "long_text" || kind === "json";
  return { type: "plain_text_input", action_id: "value", multiline, ...initial };
}

/** Slack's own picker of a date or a time. */
function picker(kind: "date" | "time", value: string | undefined): types.Datepicker | types.Timepicker {
  const action_id = "value";
  if (kind === "date") return { type: "datepicker", action_id, ...(value && { initial_date: value }) };
  return { type: "timepicker", action_id, ...(value && { initial_time: value }) };
}

function option(choice: string): types.PlainTextOption {
  const labels: Record<string, string> = { true: "Yes", false: "No" };
  return { text: plain(labels[choice] ?? choice, 75), value: choice };
}

function plain(text: string, length: number): types.PlainTextElement {
  return { type: "plain_text", text: beginningOf(text, length) || "…" };
}

export type ReadForm =
  | { ok: true; place: Place; text: string; command: GivenCommand }
  /** By field: Slack shows each error under its field. */
  | { ok: false; errors: Record<string, string> };

/** The command of a submitted form, or its errors. */
export async function readForm(
  view: ViewOutput,
  intake: ChatIntake,
  { team, person }: { team: string; person: string },
): Promise<ReadForm> {
  const { skill, ...place } = rememberedSchema.parse(JSON.parse(view.private_metadata));
  const first = Object.keys(view.state.values)[0] ?? "";
  const mine = isWithin(place.namespace, "slack", team);
  const form = mine ? await intake.form(skill, place, person) : undefined;
  if (form === undefined) return { ok: false, errors: { [first]: `${skill} no longer exists here.` } };
  const values: Record<string, string> = {};
  for (const [name, { value: input = null }] of Object.entries(view.state.values)) {
    const value =
      input?.selected_option?.value ?? input?.selected_date ?? input?.selected_time ?? input?.value;
    if (typeof value === "string" && value !== "") values[name] = value;
  }
  const command = form.command(values);
  if (command.ok) return { ...command, place };
  const shown = Object.entries(command.problems).map(([name, problem]) => [
    name in view.state.values ? name : first,
    problem,
  ]);
  return { ok: false, errors: Object.fromEntries(shown) };
}
