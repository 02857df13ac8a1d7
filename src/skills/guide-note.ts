import { inputFolder, skillFolder } from "../core/ports/working-folder.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { SkillDocument } from "./document/skill-document.ts";

/** Files and scripts that are named; the tools answer with the others. */
const mostNamed = 40;

/** Where skills of other agents say `{baseDir}` (OpenClaw), ours say the variable their scripts have. */
export function withSkillFolder(guide: string): string {
  return guide.replace(/\$?\{baseDir\}/g, "$KNACK_SKILL_DIR");
}

/** What a model has to know beside a guide that was written for another agent. */
export function guideNote(
  { id }: Pick<Skill, "id">,
  { instructions, allowed_tools = [] }: SkillDocument,
  paths: readonly string[],
  entryPoints: Readonly<Record<string, string>> = {},
): string {
  const files = paths.filter((path) => path.toLowerCase() !== "skill.md");
  const scripts = files.filter(isScript);
  const named = Object.entries(entryPoints).map(([name, path]) => `${name} (${path})`);
  const runnable = [...named, ...scripts.filter((path) => !Object.values(entryPoints).includes(path))];
  const lines: string[] = [];
  if (files.length > 0) lines.push(`read_skill_file(skill_name "${id}") reads its files: ${listed(files)}.`);
  if (runnable.length > 0) {
    lines.push(
      `run_skill_script(skill_name "${id}", script, args) runs its scripts in a sandbox: ${listed(runnable)}. Where the guide says \`python3 scripts/x.py a b\`, give script "scripts/x.py", args ["a", "b"].`,
    );
  }
  if (instructions.includes("$KNACK_SKILL_DIR")) {
    lines.push(
      "$KNACK_SKILL_DIR is this skill's folder, read-only: leave it out of file_path and script, keep it in args and commands.",
    );
  }
  lines.push(
    `run_skill_script(skill_name "${id}", command) runs a command line of bash in the sandbox, without a terminal; a here-document writes a file. Scripts and commands begin in ${skillFolder(id)}, which is kept from call to call; the files of people are in ${inputFolder}, read-only; what is left in ${skillFolder(id)}/output ($KNACK_OUTPUT_DIR) the person gets.`,
  );
  lines.push(...expectedTools(allowed_tools));
  return ["How this guide works here:", ...lines].join("\n- ");
}

/** Whether a file is run when it is named, going by its ending. */
export function isScript(path: string): boolean {
  return /\.(py|js|mjs|cjs|sh)$/i.test(path);
}

/** Whether a guide works with command lines: it names the programs it needs, or expects a shell. */
export function hasCommands({
  allowed_tools = [],
  metadata: { requires },
}: Pick<SkillDocument, "allowed_tools" | "metadata">): boolean {
  const expectsShell = allowed_tools.some((tool) => /^(bash|shell|exec)\b/i.test(tool));
  return expectsShell || requires.bins.length + requires.anyBins.length > 0;
}

/** What other agents call their tools, and what does the same for a skill here. */
const counterparts: Readonly<Record<string, string>> = {
  read: "read_skill_file",
  bash: "run_skill_script",
  shell: "run_skill_script",
  exec: "run_skill_script",
  skill: "activate_skill",
  askuserquestion: "ask_user",
};

function expectedTools(allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [];
  const names = [...new Set(allowed.map((tool) => tool.replace(/\(.*$/s, "")))].slice(0, mostNamed);
  const told = names.map((name) => {
    const key = name.toLowerCase();
    return Object.hasOwn(counterparts, key) ? `${plain(name)} (here ${counterparts[key]})` : plain(name);
  });
  return [`It expects the tools ${told.join(", ")}; you have only those you are offered.`];
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).map(plain).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

/** A name cannot begin a line of its own. */
function plain(name: string): string {
  return name.replace(/\p{C}/gu, "?").slice(0, 200);
}
