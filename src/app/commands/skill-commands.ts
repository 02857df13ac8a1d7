import { mayOperate } from "../../core/permissions.ts";
import { nearest } from "../../core/skill-identifier.ts";
import { escapeMarkdown, oneLine } from "../chat/present/escape-markdown.ts";
import {
  type Command,
  type CommandCall,
  type CommandResult,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";
import type { SkillRun } from "../services/skill-run.ts";
import type { SkillService } from "../services/skill-service.ts";
import { placeWords } from "./place-words.ts";
import { runSkillCommand } from "./run-skill-command.ts";
import { brokenLines, skillLines } from "./skill-list-text.ts";
import { skillDetailText, skillLegend } from "./skill-text.ts";

export interface SkillCommandDeps {
  skills: SkillService;
  changeSettings: ChangeSettings;
  runs(namespace: string): Promise<SkillRun[]>;
}

/** `/skill list|info|enable|disable|reset|run|runs|reload`. */
export function skillCommands({ skills, runs, changeSettings }: SkillCommandDeps): Command[] {
  const complete = async (namespace: string) => {
    const { skills: all } = await skills.list(namespace);
    return all.map((skill) => ({ text: skill.id, description: skill.description }));
  };
  const set =
    (state: "pinned" | "blocked" | "available", done: (id: string, where: string) => string) =>
    async (call: CommandCall) => {
      if (call.rest === "") return refused("Which skill? `/skill list` shows what there is.");
      const outcome = await skills.set(call.place.namespace, call.rest, state, call.author);
      const where = placeWords(call.place.namespace);
      if (!outcome.ok) return refused(outcome.message);
      const { id } = outcome.value;
      const warning = state === "pinned" ? await dangerOf(skills, call, id) : "";
      return said(`${done(id, where)}${warning}`);
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
      run: set("pinned", (id, where) => `**${id}** is enabled ${where}.`),
    },
    {
      name: "skill disable",
      usage: "<skill>",
      description: "Blocks a skill here: the agent cannot use it",
      complete,
      run: set("blocked", (id, where) => `**${id}** is disabled ${where}.`),
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
      run: (call) => runSkillCommand(skills, call),
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
  const filter = rest === "" ? {} : { query: rest };
  const { skills: found, diagnostics } = await skills.list(place.namespace, filter);
  if (found.length === 0)
    return shown(
      rest === "" ? "There are no skills." : `No skill fits “${rest}”. \`/skill list\` shows all.`,
    );
  const broken = rest === "" ? brokenLines(diagnostics) : [];
  return shown([...skillLines(found), "", skillLegend, ...broken].join("\n"));
}

/** What a review found in an installed skill is said once more when somebody lets the agent use it. */
async function dangerOf(skills: SkillService, { place }: CommandCall, id: string): Promise<string> {
  const detail = await skills.detail(id, place.namespace);
  const danger = detail?.package?.danger ?? 0;
  if (danger === 0) return "";
  const places = danger === 1 ? "a dangerous place" : `${danger} dangerous places`;
  return ` Its review found ${places}: read \`/skill review ${id}\`, or take it back with \`/skill reset ${id}\`.`;
}

async function info(skills: SkillService, { rest, place }: CommandCall): Promise<CommandResult> {
  const skill = await skills.detail(rest, place.namespace);
  if (skill !== undefined) return shown(skillDetailText(skill));
  const near = nearest(rest, await skills.ids(place.namespace));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`/skill list` shows what there is.";
  return refused(`There is no skill called ${rest || "that"}. ${hint}`);
}

async function showRuns(runs: SkillCommandDeps["runs"], { place }: CommandCall): Promise<CommandResult> {
  const latest = await runs(place.namespace);
  if (latest.length === 0) return shown("No skill has run here yet.");
  const lines = latest.slice(0, 15).map((run) => {
    const duration = run.duration_ms === undefined ? "" : `, ${(run.duration_ms / 1000).toFixed(1)} s`;
    const why = run.error === undefined ? "" : `: ${escapeMarkdown(oneLine(run.error, 200))}`;
    return `- ${new Date(run.started_at).toISOString()} **${run.skill_id}** ${run.status}${duration} (${run.user})${why}`;
  });
  return shown(lines.join("\n"));
}

async function reload(skills: SkillService, { place, author }: CommandCall): Promise<CommandResult> {
  if (!mayOperate(author))
    return refused(
      "Only operators of the bot may reload skills. Changed files are seen by the next message without a reload.",
    );
  const { skills: all, diagnostics } = await skills.list(place.namespace);
  const lines = diagnostics.map(
    (diagnostic) => `- ${diagnostic.severity}: ${diagnostic.message} (${diagnostic.path})`,
  );
  return shown(
    [`${all.length} skills. Changed files are seen by the next message without a reload.`, ...lines].join(
      "\n",
    ),
  );
}
