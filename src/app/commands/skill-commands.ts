import type { Json } from "../../core/json.ts";
import type { Parameter } from "../../core/parameter.ts";
import { outputOf } from "../../core/tool-output.ts";
import type { SkillDetail, SkillListing, SkillRun } from "../app.ts";
import type { ChangeSettings } from "../channel-settings.ts";
import type { SkillService } from "../skill-service.ts";
import { type Command, type CommandCall, type CommandResult, refused, said } from "./command.ts";

export interface SkillCommandDeps {
  skills: SkillService;
  changeSettings: ChangeSettings;
  runs(namespace: string): Promise<SkillRun[]>;
}

const icons: Record<SkillListing["state"], string> = {
  available: "○",
  active: "●",
  pinned: "◉",
  blocked: "⊘",
};

/** `/skill list|info|enable|disable|reset|run|runs|reload`. */
export function skillCommands({ skills, runs, changeSettings }: SkillCommandDeps): Command[] {
  const complete = async (namespace: string) => {
    const { skills: all } = await skills.list(namespace);
    return all.map((skill) => ({ text: skill.id, description: skill.description }));
  };
  const set =
    (state: "pinned" | "blocked" | "available", done: (id: string) => string) =>
    async (call: CommandCall) => {
      if (call.rest === "") return refused("Which skill? `/skill list` shows what there is.");
      const outcome = await skills.set(call.place.namespace, call.rest, state, call.author);
      return outcome.ok ? said(done(outcome.value.id)) : refused(outcome.message);
    };
  return [
    {
      name: "skill list",
      usage: "[words]",
      description: "Shows the skills of this channel",
      run: (call) => list(skills, call),
    },
    {
      name: "skill info",
      usage: "<skill>",
      description: "Shows one skill, its parameters, and why it can or cannot be used",
      complete,
      run: (call) => info(skills, call),
    },
    {
      name: "skill enable",
      usage: "<skill>",
      description: "Activates a skill here and pins it: the agent cannot put it away",
      complete,
      run: set("pinned", (id) => `**${id}** is enabled in this channel.`),
    },
    {
      name: "skill disable",
      usage: "<skill>",
      description: "Blocks a skill here: the agent cannot use it",
      complete,
      run: set("blocked", (id) => `**${id}** is disabled in this channel.`),
    },
    {
      name: "skill reset",
      usage: "<skill>",
      description: "Leaves a skill to the agent again",
      complete,
      run: set(
        "available",
        (id) => `**${id}** is left to the agent again: it activates it when it needs it.`,
      ),
    },
    {
      name: "skill only",
      usage: "<skill> [<skill> …] | all",
      description: "Limits this channel to some skills, or lifts the limit",
      complete,
      run: (call) => only(skills, changeSettings, call),
    },
    {
      name: "skill run",
      usage: "<skill> [name=value …, JSON, or text]",
      description: "Runs a skill now",
      complete,
      run: (call) => runOne(skills, call),
    },
    {
      name: "skill runs",
      usage: "",
      description: "Shows the latest runs of skills in this channel",
      run: (call) => showRuns(runs, call),
    },
    {
      name: "skill reload",
      usage: "",
      description: "Reads the skill folders again and shows what could not be loaded",
      run: (call) => reload(skills, call),
    },
  ];
}

async function only(
  skills: SkillService,
  changeSettings: ChangeSettings,
  { rest, place, author }: CommandCall,
): Promise<CommandResult> {
  const named = rest.split(/[\s,]+/).filter((word) => word !== "");
  if (named.length === 0) return refused("Which skills? Name them, or `all`.");
  const known = new Set(await skills.ids(place.namespace));
  const unknown = named.filter((id) => id !== "all" && !known.has(id));
  if (unknown.length > 0)
    return refused(`There is no skill called ${unknown.join(", ")}. \`/skill list\` shows what there is.`);
  const allowed = named.includes("all") ? null : named;
  const outcome = await changeSettings(place.namespace, { allowed_skills: allowed }, author);
  if (!outcome.ok) return refused(outcome.message);
  return said(
    allowed === null ? "All skills may be used here." : `Only ${allowed.join(", ")} may be used here.`,
  );
}

async function list(skills: SkillService, { rest, place }: CommandCall): Promise<CommandResult> {
  const { skills: found } = await skills.list(place.namespace, rest === "" ? {} : { query: rest });
  if (found.length === 0)
    return said(rest === "" ? "There are no skills." : `No skill fits “${rest}”. \`/skill list\` shows all.`);
  const lines = found.map((skill) => {
    const reason = skill.eligible || skill.state === "blocked" ? "" : ` — _${skill.reasons[0]}_`;
    return `- ${icons[skill.state]} **${skill.id}** ${firstSentence(skill.description)}${reason}`;
  });
  return said([...lines, "", "○ available · ● active · ◉ enabled by a person · ⊘ disabled"].join("\n"));
}

function firstSentence(text: string): string {
  const [sentence = text] = text.split(/(?<=[.!?])\s/);
  return sentence.length > 140 ? `${sentence.slice(0, 140)}…` : sentence;
}

async function info(skills: SkillService, { rest, place }: CommandCall): Promise<CommandResult> {
  const skill = await skills.detail(rest, place.namespace);
  if (skill === undefined)
    return refused(`There is no skill called ${rest || "that"}. \`/skill list\` shows what there is.`);
  return said(detailText(skill));
}

function detailText(skill: SkillDetail): string {
  const lines = [
    `**${skill.emoji ? `${skill.emoji} ` : ""}${skill.name}** (\`${skill.id}\`, ${skill.version}, ${skill.kind} from ${skill.source})`,
    skill.description,
    `State: ${icons[skill.state]} ${skill.state}${skill.eligible ? "" : ` — ${skill.reasons.join(" ")}`}`,
    ...skill.parts.map((part) => `- \`${part.id}\` ${firstSentence(part.description)}`),
    ...skill.parameters.map(parameterLine),
    ...skill.examples.slice(0, 3).map((example) => `Example: ${example.prompt}`),
  ];
  return lines.join("\n\n").replaceAll("\n\n- ", "\n- ");
}

function parameterLine({
  name,
  type,
  description,
  required,
  default: preset,
  enum: allowed,
}: Parameter): string {
  const choice = allowed === undefined ? "" : `, one of ${allowed.join(", ")}`;
  const fallback = preset === undefined ? "" : `, ${JSON.stringify(preset)} unless given`;
  return `- \`${name}\` (${type}${required ? ", required" : ""}${choice}${fallback}) ${description}`;
}

async function runOne(skills: SkillService, call: CommandCall): Promise<CommandResult> {
  const [id = "", ...words] = call.rest.split(/\s+/);
  const skill = await skills.detail(id, call.place.namespace);
  if (skill === undefined) {
    const text = `There is no skill called ${id || "that"}. \`/skill list\` shows what there is.`;
    return { ...refused(text), output: { error: "Skill not found", code: "skill_not_found" } };
  }
  const parsed = parseParams(call.rest.slice(id.length).trim(), words.length > 0 ? skill.parameters : []);
  if (parsed.status === "error") return refused(parsed.message);
  const result = await call.runSkill(skill.id, parsed.params);
  const output = outputOf(result);
  const text = typeof output === "string" ? output : `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``;
  if (result.status === "error") {
    return { ...refused(`${result.message}${result.hint ? ` ${result.hint}` : ""}\n\n${text}`), output };
  }
  return { ...said(text), output: { skill_id: skill.id, output, success: true } };
}

type ParsedParams = { status: "ok"; params: Json } | { status: "error"; message: string };

/** JSON, `name=value` pairs (values may be quoted), or plain text for the first required parameter. */
function parseParams(text: string, parameters: readonly Parameter[]): ParsedParams {
  if (text === "") return { status: "ok", params: {} };
  if (text.startsWith("{")) {
    try {
      return { status: "ok", params: JSON.parse(text) as Json };
    } catch (error) {
      return {
        status: "error",
        message: `The parameters are not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }
  const pairs = [...text.matchAll(/(?:^|\s)([\w-]+)=("(?:[^"\\]|\\.)*"|\S+)/g)];
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
  const plain = text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
  if (parameter === undefined || parameter.type === "string") return plain;
  try {
    return JSON.parse(plain) as Json;
  } catch {
    return plain;
  }
}

async function showRuns(runs: SkillCommandDeps["runs"], { place }: CommandCall): Promise<CommandResult> {
  const latest = await runs(place.namespace);
  if (latest.length === 0) return said("No skill has run here yet.");
  const lines = latest.slice(0, 15).map((run) => {
    const duration = run.duration_ms === undefined ? "" : `, ${(run.duration_ms / 1000).toFixed(1)} s`;
    return `- ${new Date(run.started_at).toISOString()} **${run.skill_id}** ${run.status}${duration} (${run.user})`;
  });
  return said(lines.join("\n"));
}

async function reload(skills: SkillService, { place }: CommandCall): Promise<CommandResult> {
  const { skills: all, diagnostics } = await skills.list(place.namespace);
  const lines = diagnostics.map(
    (diagnostic) => `- ${diagnostic.severity}: ${diagnostic.message} (${diagnostic.path})`,
  );
  return said(
    [`${all.length} skills. Changed files are seen by the next message without a reload.`, ...lines].join(
      "\n",
    ),
  );
}
