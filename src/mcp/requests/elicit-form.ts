import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../core/skill/tool.ts";
import { oneLine, quoted, withoutLinks } from "../said-text.ts";
import { asksForSecret, type FieldValue, type FormField, formFields, readFieldAnswer } from "./form-field.ts";

/** Maximum fields that are asked one by one; longer forms are one question. */
const maxSingleQuestions = 4;

/** Maximum fields of a form; longer ones are not for a chat. */
const maxFields = 30;

/** Asks the person for the fields that a server wants, and checks the answers. */
export async function elicitForm(
  server: string,
  params: ElicitRequestFormParams,
  context: ToolContext,
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
  if (fields.length === 0) return await confirm(form, context);
  return fields.length <= maxSingleQuestions
    ? await askFields(form, fields, context)
    : await askTogether(form, fields, context);
}

/** A form, and the server that wants it filled in. */
interface Form {
  server: string;
  message: string;
  /** Prefix of its questions' keys within the call. */
  key: string;
}

type Asking = Pick<ToolContext, "ask" | "progress">;
type Values = Record<string, FieldValue>;

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
  const ended = endedBy(said);
  if (ended !== undefined) return ended;
  return /^(yes|y|ok|okay|sure|accept)\b/i.test(said.trim()) ? accepted({}) : { action: "decline" };
}

/** One question for each field. */
async function askFields(form: Form, fields: readonly FormField[], context: Asking): Promise<ElicitResult> {
  const values: Values = {};
  for (const [index, field] of fields.entries()) {
    const key = `${form.key}.${index + 1}`;
    const intro = index === 0 ? `${opening(form)}\n\n` : `For the tool server *${form.server}*: `;
    const how = index === 0 ? `\n_Answer “decline” to refuse, or “cancel” to leave it._` : "";
    const ask = (before: string, again: string) =>
      context.ask({
        text: `${before}${describe(field)}${how}`,
        choices: choicesFor(field),
        key: `${key}${again}`,
      });
    const read = (said: string) => readOrSkip(field, said);
    const answer = await askTwice(ask, intro, read);
    if ("action" in answer) return toldGivenUp(form, answer, context);
    if (answer.value !== undefined) values[field.name] = answer.value;
  }
  return accepted(values);
}

/** One question for all fields: a line `name: value` for each. */
async function askTogether(form: Form, fields: readonly FormField[], context: Asking): Promise<ElicitResult> {
  const list = fields.map((field) => `- \`${field.name}\` ${describe(field)}`).join("\n");
  const how = "Answer with one line for each, `name: value`; or “decline”, or “cancel”.";
  const ask = (before: string, again: string) =>
    context.ask({
      text: `${before}${how}\n${list}`,
      choices: [decline, cancel],
      key: `${form.key}.1${again}`,
    });
  const answer = await askTwice(ask, `${opening(form)}\n\n`, (said) => readLines(fields, said));
  return "action" in answer ? toldGivenUp(form, answer, context) : accepted(answer.value);
}

type Read<T> = { ok: true; value: T } | { ok: false; problem: string };
type GivenUp = ElicitResult & { action: "decline" | "cancel"; problem?: string };

/** Asks, and asks once more if the answer does not fit. */
async function askTwice<T>(
  ask: (before: string, again: string) => Promise<string>,
  intro: string,
  read: (said: string) => Read<T>,
): Promise<{ value: T } | GivenUp> {
  const first = await ask(intro, "");
  const ended = endedBy(first);
  const answer = ended ?? read(first);
  if ("action" in answer) return answer;
  if (answer.ok) return { value: answer.value };
  const second = await ask(`${answer.problem}\n\n`, "b");
  const last = endedBy(second) ?? read(second);
  if ("action" in last) return last;
  return last.ok ? { value: last.value } : { action: "cancel", problem: last.problem };
}

function toldGivenUp(form: Form, { action, problem }: GivenUp, context: Asking): ElicitResult {
  if (problem !== undefined) {
    context.progress(`The answer for ${form.server} did not fit twice, so it got none. ${problem}`);
  }
  return { action };
}

/** Undefined if the field is left out. */
function readOrSkip(field: FormField, said: string): Read<FieldValue | undefined> {
  if (!/^(skip|default|-)$/i.test(said.trim())) return readFieldAnswer(field, said);
  return leftOut(field);
}

function leftOut(field: FormField): Read<FieldValue | undefined> {
  if (field.default !== undefined) return { ok: true, value: field.default };
  if (!field.required) return { ok: true, value: undefined };
  return { ok: false, problem: `${field.label} is needed.` };
}

function readLines(fields: readonly FormField[], said: string): Read<Values> {
  const lines = new Map<string, string>();
  for (const line of said.split("\n")) {
    const [before, ...after] = line.split(":");
    const name =
      before
        ?.replace(/^[\s*-]+/, "")
        .replaceAll("`", "")
        .trim() ?? "";
    const value = after.join(":").trim();
    if (name !== "" && value !== "") lines.set(name.toLowerCase(), value);
  }
  const values: Values = {};
  const problems: string[] = [];
  for (const field of fields) {
    const given = lines.get(field.name.toLowerCase()) ?? lines.get(field.label.toLowerCase());
    const read = given === undefined ? leftOut(field) : readOrSkip(field, given);
    if (!read.ok) problems.push(`\`${field.name}\`: ${read.problem}`);
    else if (read.value !== undefined) values[field.name] = read.value;
  }
  return problems.length === 0 ? { ok: true, value: values } : { ok: false, problem: problems.join("\n") };
}

function endedBy(said: string): (ElicitResult & { action: "decline" | "cancel" }) | undefined {
  const word = said.trim().toLowerCase();
  if (word === "decline" || word === "refuse") return { action: "decline" };
  if (word === "cancel" || word === "abort") return { action: "cancel" };
  return undefined;
}

function accepted(content: Values): ElicitResult {
  return { action: "accept", content };
}

function opening({ server, message }: Form): string {
  return `The tool server *${server}* asks:\n${quoted(message, 1_500)}`;
}

function describe(field: FormField): string {
  const { label, description, options, kind, required } = field;
  const facts = [
    ...(kind === "many" ? ["one or more, separated by commas"] : []),
    ...(options.length > 0 && kind !== "boolean" ? [`of ${optionsText(field)}`] : []),
    ...(field.default === undefined ? [] : [`“skip” takes ${oneLine(labelOf(field, field.default), 200)}`]),
    ...(required || field.default !== undefined ? [] : ["may be skipped"]),
  ];
  const what = `**${label}**${description === "" ? "" : ` – ${description}`}`;
  return withoutLinks(facts.length === 0 ? what : `${what} (${facts.join("; ")})`);
}

function optionsText({ options }: FormField): string {
  const shown = options.slice(0, 50).map(({ label }) => label);
  return `${shown.join(", ")}${options.length > shown.length ? ", …" : ""}`;
}

function choicesFor(field: FormField): string[] {
  const options = field.kind === "many" ? [] : field.options.map(({ label }) => label);
  const preset = field.default === undefined ? "" : labelOf(field, field.default);
  const isNew = options.length === 0 && preset !== "" && preset.length <= maxButton && !preset.includes("\n");
  const canSkip = !field.required || field.default !== undefined;
  return [
    ...(options.length > maxChoices ? [] : options),
    ...(isNew ? [preset] : []),
    ...(canSkip && !isNew ? [skip] : []),
    decline,
  ];
}

function labelOf({ options }: FormField, value: FieldValue): string {
  const label = (each: string) => options.find((option) => option.value === each)?.label ?? each;
  return Array.isArray(value) ? value.map(label).join(", ") : label(String(value));
}
