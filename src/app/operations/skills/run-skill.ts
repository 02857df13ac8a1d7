import { z } from "zod";
import { formatBytes } from "../../../base/amounts.ts";
import { errorText } from "../../../base/error-text.ts";
import { isContainer } from "../../../base/record.ts";
import { nearestNames } from "../../../base/text/nearest-name.ts";
import type { Parameter } from "../../../core/skill/skill.ts";
import { outputOf, type ToolResult } from "../../../core/skill/tool.ts";
import type { Guide } from "../../../core/values/inbound.ts";
import { type Json, objectIn, objectOf, parseJson } from "../../../core/values/json.ts";
import { renderOutput } from "../../../core/values/shown.ts";
import { runSkillNow } from "../../services/run-skill-now.ts";
import { json, ownNamespace, skillId } from "../../services/shapes.ts";
import type { SkillDetail } from "../../services/skill-listing.ts";
import { noSuchSkill, type SkillService } from "../../services/skill-service.ts";
import { isGuide } from "../../turns/asked-skills.ts";
import { type CommandCall, type CommandResult, operation, refused, said } from "../operation.ts";
import type { CommandOption } from "../services.ts";
import { skillOption } from "./find-skill.ts";

/** The option with the input of a skill or flow that is run. */
export const runInput: CommandOption = {
  name: "input",
  description: "Values as name=value, JSON, or plain text",
  usage: "[name=value …, JSON, or text]",
};

export const runSkill = operation({
  name: "skill.run",
  input: z.object({
    id: skillId,
    params: z.record(z.string(), json).default({}),
    namespace: ownNamespace,
  }),
  output: json.describe("{skill_id, output, success: true}, or {error, …}"),
  who: "anyone",
  http: {
    route: "POST /skills/{id}/run",
    summary: "Run a skill outside of a conversation",
    answers: "{skill_id, output, success: true}, or {error, …} of a skill that ran and failed",
  },
  chat: {
    command: "skill run",
    public: true,
    description: "Runs a skill now",
    options: [skillOption, runInput],
    read: (words) => ({ ...readRun(words) }),
    guide: (input) => requestIn(askedIn(input)),
    form: (input) => bareId(askedIn(input)),
    answer: (call, { skills }) => runSkillCommand(skills, askedIn(call.input), call),
  },
  async run({ input: { id, params, namespace }, asker, services }) {
    const { output } = await runSkillNow(services, id, params, namespace, asker.by);
    const { error, code, ...details } = objectOf(output);
    const status = typeof code === "string" ? refusals[code] : undefined;
    if (status === undefined || typeof code !== "string") return { ok: true, value: output };
    return { ok: false, status, message: String(error), code, details: withoutUndefined(details) };
  },
});

/** Codes of skills that did not run. A skill that ran and failed is an answer. */
const refusals: { readonly [code: string]: 400 | 404 | 409 } = {
  invalid_parameters: 400,
  choose_part: 400,
  skill_not_found: 404,
  not_for_people: 409,
  not_usable: 409,
};

function withoutUndefined(object: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

/** The input of `/skill run`: a skill with the words after it, or with parameters of a form or a program. */
const askedRun = z.object({
  id: z.string(),
  words: z.string().default(""),
  params: z.record(z.string(), json).optional(),
});
export type AskedRun = z.output<typeof askedRun>;

export function readRun(text: string): { id: string; words: string } {
  const [id = ""] = text.split(/\s+/, 1);
  return { id, words: text.slice(id.length).trim() };
}

function askedIn(input: Json | undefined): AskedRun {
  return askedRun.safeParse(input).data ?? { id: "", words: "" };
}

/** The skill, when nothing else was given. */
export function bareId({ id, words, params }: AskedRun): string | undefined {
  return id === "" || words !== "" || params !== undefined ? undefined : id;
}

/** A guide has no parameters; programs send its request as `text`. */
function requestIn({ id, words, params }: AskedRun): Guide {
  const written = params === undefined ? objectIn(words) : params;
  const { text = "", ...others } = written ?? { text: words };
  const isText = typeof text === "string" && Object.keys(others).length === 0;
  const request = isText ? text : params === undefined ? words : JSON.stringify(params);
  return { skill: id, request };
}

/** Runs a skill and shows its output in the channel. @throws WaitingForPerson */
export async function runSkillCommand(
  skills: SkillService,
  { id, words, params }: AskedRun,
  call: CommandCall,
): Promise<CommandResult> {
  await skills.ready(id, call.place.namespace, call.signal);
  const skill = await skills.detail(id, call.place.namespace);
  if (skill === undefined) {
    const { message, hint } = noSuchSkill(id, nearestNames(id, await skills.ids(call.place.namespace)));
    return { ...refused(message), output: { error: "Skill not found", code: "skill_not_found", hint } };
  }
  if (skill.invocation?.by_people === false) {
    const text = `**${skill.id}** is not for people to run (user-invocable: false in its SKILL.md). The agent uses it where it fits.`;
    return { ...refused(text), output: { error: text, code: "not_for_people" } };
  }
  const unusable = whyUnusable(skill);
  if (unusable !== undefined) {
    const error = unusable.replaceAll(/\*\*|`/g, "");
    return { ...refused(unusable), output: { error, code: "not_usable" } };
  }
  const { command_tool } = skill.invocation ?? {};
  if (command_tool !== undefined) {
    const text = params === undefined ? words : JSON.stringify(params);
    return runAnswer(skill.id, await dispatch(call, skill, command_tool, text));
  }
  const parsed: ParsedParams =
    params === undefined ? parseParams(words, skill.parameters) : { status: "ok", params };
  if (parsed.status === "error") return refused(parsed.message);
  return runAnswer(skill.id, await call.runSkill(skill.id, parsed.params));
}

/** Why a skill cannot run; undefined when it can. */
function whyUnusable(skill: SkillDetail): string | undefined {
  if (!skill.eligible) return `**${skill.id}** cannot be used here. ${skill.reasons.join(" ")}`;
  // A usable guide is a turn of the agent and never gets here.
  const isInstalled = skill.source === "managed" && skill.state === "available";
  return isGuide(skill) || isInstalled
    ? `**${skill.id}** has to be enabled here first: \`/skill enable ${skill.id}\`.`
    : undefined;
}

/** OpenClaw's `command-dispatch: tool`: the words go to the tool as they are, past the model. */
function dispatch(call: CommandCall, skill: SkillDetail, tool: string, command: string): Promise<ToolResult> {
  return call.runSkill(tool, { command, commandName: commandName(skill.id), skillName: skill.name });
}

/** The slash command that OpenClaw derives from the name of a skill. */
function commandName(id: string): string {
  return id
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .slice(0, 32);
}

type ParsedParams = { status: "ok"; params: Json } | { status: "error"; message: string };

/** Straight quotes, and the curly ones that Slack and phones make of them. */
const pair = /(?:^|\s)([\w-]+)=("(?:[^"\\]|\\.)*"|[“”„][^“”]*[“”]|\S+)/g;

/** JSON, `name=value` pairs (values may be quoted), or plain text for the first required parameter. */
function parseParams(text: string, parameters: readonly Parameter[]): ParsedParams {
  if (text === "") return { status: "ok", params: {} };
  if (text.startsWith("{")) {
    try {
      return { status: "ok", params: parseJson(text) };
    } catch (error) {
      return {
        status: "error",
        message: `The parameters are not valid JSON: ${errorText(error)}. Write them as name=value, or as JSON such as {"text": "hello"}.`,
      };
    }
  }
  const pairs = [...text.matchAll(pair)];
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  if (pairs.length > 0 && pairs.every(([, name = ""]) => known.has(name))) {
    const entries = pairs.map(
      ([, name = "", value = ""]) => [name, readValue(value, known.get(name))] as const,
    );
    return { status: "ok", params: Object.fromEntries(entries) };
  }
  const first = parameters.find((parameter) => parameter.required) ?? parameters[0];
  return { status: "ok", params: first === undefined ? {} : { [first.name]: text } };
}

function readValue(text: string, parameter: Parameter | undefined): Json {
  const plain = unquoted(text);
  if (parameter === undefined || parameter.type === "string") return plain;
  try {
    return parseJson(plain);
  } catch {
    return plain;
  }
}

function unquoted(text: string): string {
  if (text.startsWith('"')) return text.slice(1, -1).replace(/\\(.)/g, "$1");
  return /^[“”„].*[“”]$/s.test(text) ? text.slice(1, -1) : text;
}

/** Maximum characters of JSON, and levels of nesting, of data that is shown; other data becomes a file. */
const maxDataLength = 4_000;
const maxDepth = 4;

/**
 * The answer to people who ran a skill: its finding, and small data as a list or table; larger data is a JSON file. A failure is shown
 * without the hint, which is for models. `output` is complete, for programs.
 */
function runAnswer(skill_id: string, result: ToolResult): CommandResult {
  const output = outputOf(result);
  if (result.status === "error") return { ...refused(failureText(result)), output };
  return { ...shownData(skill_id, answerIn(output)), output: { skill_id, output, success: true } };
}

function shownData(skillId: string, value: Json): CommandResult {
  if (typeof value === "string") return said(value.trim() === "" ? `**${skillId}** is done.` : value);
  const json = JSON.stringify(value, null, 2);
  if (json.length <= maxDataLength && depthOf(value) <= maxDepth) return said(renderOutput(value));
  const data = new TextEncoder().encode(json);
  const name = `${skillId.replaceAll(/[^\w.-]+/g, "-")}.json`;
  const text = `${findingIn(value) ?? `**${skillId}** is done.`}\n\nThe whole result is in ${name} (${formatBytes(data.byteLength)}).`;
  return { ...said(text), file: { name, media_type: "application/json", data } };
}

/** The result of the last step, from the record of a flow's steps; any other output as it is. */
function answerIn(output: Json): Json {
  const { results, variables, directOutput } = objectOf(output);
  if (!Array.isArray(results) || variables === undefined || directOutput === undefined) return output;
  const made = results.map((step) => objectOf(step).result ?? null).filter((result) => result !== null);
  return made.at(-1) ?? (results.length === 1 ? "1 step is done." : `${results.length} steps are done.`);
}

/** The summary that an output contains. */
function findingIn(value: Json): string | undefined {
  const object = objectOf(value);
  const words = ["summary", "message", "text", "answer"].map((name) => object[name]);
  return words.find((each): each is string => typeof each === "string" && each.trim() !== "");
}

function depthOf(value: Json): number {
  if (!isContainer(value)) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function failureText({ message, code, details }: ToolResult & { status: "error" }): string {
  const expected = details?.expected_parameters;
  if (code !== "invalid_parameters" || !Array.isArray(expected) || expected.length === 0) return message;
  return [message, "", "It takes:", ...expected.map((each) => parameterLine(objectOf(each)))].join("\n");
}

function parameterLine({ name, type, required, description, enum: choices }: Record<string, Json>): string {
  const kind = Array.isArray(choices) ? choices.map(String).join(", ") : String(type);
  const told = typeof description === "string" && description !== "" ? `: ${description}` : "";
  return `- **${String(name)}** (${kind}${required === true ? "" : ", optional"})${told}`;
}
