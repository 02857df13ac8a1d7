import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { oneLine } from "../../base/markdown-text.ts";
import type { ToolContext } from "../../core/skill/tool.ts";
import { quoted, withoutLinks } from "../said-text.ts";
import { asksForSecret, type FieldValue, type FormField, formFields, readFieldAnswer } from "./form-field.ts";

/** Maximum fields of a form, which are asked one by one; longer forms are not for a chat. */
const maxFields = 15;

/** Asks the person for the fields that a server wants, and checks the answers. */
export async function elicitForm(
  server: string,
  params: ElicitRequestFormParams,
  context: Asking,
  key: string,
): Promise<ElicitResult> {
  const fields = formFields(params);
  const secret = fields.find(asksForSecret);
  if (secret !== undefined) {
    const what = `${server} asked for “${secret.label}”`;
    context.progress(`${what}. Passwords and keys do not belong in a chat, so it was declined.`);
    return { action: "decline" };
  }
  if (fields.length > maxFields) {
    context.progress(`${server} asked for ${fields.length} things at once, which is too much for a chat.`);
    return { action: "decline" };
  }
  const form = { server, message: params.message, key };
  return fields.length === 0 ? await confirm(form, context) : await askFields(form, fields, context);
}

/** A form, and the server that wants it filled in. */
interface Form {
  server: string;
  message: string;
  /** Prefix of its questions' keys within the call. */
  key: string;
}

type Asking = Pick<ToolContext, "ask" | "progress">;

const decline = "Decline";
const cancel = "Cancel";
const skip = "Skip";
/** Maximum length of a default that is offered as a button, characters. */
const maxButton = 75;
/** Maximum choices offered as buttons; more are listed in the text. */
const maxChoices = 20;

/** A form without fields asks for confirmation. */
async function confirm(form: Form, context: Asking): Promise<ElicitResult> {
  const text = `${opening(form)}\n\nIs that all right?`;
  const said = await context.ask({ text, choices: ["Yes", decline, cancel], key: `${form.key}.1` });
  if (isWord(said, "Yes")) return { action: "accept", content: {} };
  return { action: isWord(said, cancel) ? "cancel" : "decline" };
}

/** One question for each field. */
async function askFields(form: Form, fields: readonly FormField[], context: Asking): Promise<ElicitResult> {
  const content: Record<string, FieldValue> = {};
  const how = "_Answer “decline” to refuse, or “cancel” to leave it._";
  let intro = `${opening(form)}\n\n${how}\n\n`;
  for (const [index, field] of fields.entries()) {
    const answer = await askTwice(form, field, { intro, key: `${form.key}.${index + 1}` }, context);
    if ("action" in answer) return answer;
    if (answer.value !== undefined) content[field.name] = answer.value;
    intro = `For the tool server *${form.server}*: `;
  }
  return { action: "accept", content };
}

/** Asks, and asks once more if the answer does not fit. */
async function askTwice(
  { server }: Form,
  field: FormField,
  { intro, key }: { intro: string; key: string },
  context: Asking,
): Promise<{ value: FieldValue | undefined } | { action: "decline" | "cancel" }> {
  let before = intro;
  for (const again of ["", "b"]) {
    const text = `${before}${describe(field)}`;
    const said = await context.ask({ text, choices: choicesFor(field), key: `${key}${again}` });
    if (isWord(said, decline)) return { action: "decline" };
    if (isWord(said, cancel)) return { action: "cancel" };
    const read = isWord(said, skip) ? leftOut(field) : readFieldAnswer(field, said);
    if (read.ok) return read;
    before = `${read.problem}\n\n`;
  }
  context.progress(`The answer for ${server} did not fit twice, so it got none. ${before.trim()}`);
  return { action: "cancel" };
}

function isWord(said: string, word: string): boolean {
  return said.trim().toLowerCase() === word.toLowerCase();
}

/** The value of a skipped field; undefined if it is left out. */
function leftOut({ label, property, required }: FormField) {
  if (property.default === undefined && required)
    return { ok: false as const, problem: `${label} is needed.` };
  return { ok: true as const, value: property.default };
}

function opening({ server, message }: Form): string {
  return `The tool server *${server}* asks:\n${quoted(message, 1_500)}`;
}

function describe(field: FormField): string {
  const { label, description, options, property, required } = field;
  const shown = options.slice(0, 50).map((each) => each.label);
  const facts = [
    ...(property.type === "array" ? ["one or more, separated by commas"] : []),
    ...(options.length > 0 && property.type !== "boolean"
      ? [`of ${shown.join(", ")}${options.length > shown.length ? ", …" : ""}`]
      : []),
    ...(property.default === undefined ? [] : [`“skip” takes ${oneLine(presetOf(field), 200)}`]),
    ...(required || property.default !== undefined ? [] : ["may be skipped"]),
  ];
  const what = `**${label}**${description === "" ? "" : ` – ${description}`}`;
  return withoutLinks(facts.length === 0 ? what : `${what} (${facts.join("; ")})`);
}

function choicesFor(field: FormField): string[] {
  const options = field.property.type === "array" ? [] : field.options.map(({ label }) => label);
  const preset = presetOf(field);
  const isNew = options.length === 0 && preset !== "" && preset.length <= maxButton && !preset.includes("\n");
  const canSkip = !field.required || field.property.default !== undefined;
  return [
    ...(options.length > maxChoices ? [] : options),
    ...(isNew ? [preset] : []),
    ...(canSkip && !isNew ? [skip] : []),
    decline,
  ];
}

/** The default as people read it; empty if there is none. */
function presetOf({ options, property }: FormField): string {
  const values = property.default === undefined ? [] : [property.default].flat().map(String);
  return values.map((each) => options.find(({ value }) => value === each)?.label ?? each).join(", ");
}
