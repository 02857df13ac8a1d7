import { constants } from "node:fs";
import { access, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, sep } from "node:path";
import type { Skill } from "../core/skill.ts";
import type { Isolation } from "./isolation.ts";
import { findProgram, findProgramIn } from "./programs.ts";

/** A script that exists within its skill's folder, and what runs it. */
interface ResolvedScript {
  /** Real path of the skill's folder. */
  folder: string;
  /** Path within it, forward slashes, no links left. */
  script: string;
  /** `node` stands for the Node this bot runs on; everything else is an absolute path or an argument. */
  interpreter: readonly string[];
}

export type Resolution = { ok: true; value: ResolvedScript } | { ok: false; reason: string };

const interpreters: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".sh": "bash",
};

/** Finds a script and its interpreter. Scripts outside the folder, through links too, are not run. */
export async function resolveScript(skill: Skill, script: string, isolation: Isolation): Promise<Resolution> {
  const shown = JSON.stringify(script.slice(0, 200));
  if (script === "" || script.includes("\0") || isAbsolute(script) || script.split(/[/\\]/).includes("..")) {
    return refuse(
      `${shown} is not a path within the skill ${skill.id}. Name a script of the skill, e.g. scripts/run.py.`,
    );
  }
  const folder = await skillFolder(skill.origin.path);
  if (folder === undefined) return refuse(`The skill ${skill.id} has no folder with scripts.`);
  const file = await realFile(join(folder, script));
  if (file === undefined) {
    return refuse(`The skill ${skill.id} has no script ${shown}. List its files to see what there is.`);
  }
  const inside = relative(folder, file);
  if (inside.startsWith("..") || isAbsolute(inside)) {
    return refuse(
      `${shown} leads out of the folder of the skill ${skill.id}. Scripts must lie in the skill's folder.`,
    );
  }
  const interpreter = await interpreterOf(file, shown, isolation);
  if (!interpreter.ok) return interpreter;
  return { ok: true, value: { folder, script: inside.split(sep).join("/"), interpreter: interpreter.value } };
}

/** What runs a command line; the skill's folder is there beside it. */
export async function resolveCommand(
  skill: Skill,
  command: string,
  isolation: Isolation,
): Promise<Resolution> {
  if (command.includes("\0")) return refuse("The command contains a NUL character. Remove it.");
  const folder = await skillFolder(skill.origin.path);
  if (folder === undefined) return refuse(`The skill ${skill.id} has no folder.`);
  const bash = await programFor("bash", ["-c", command], "A command line", isolation);
  // bash calls itself by what stands in the place of the script.
  return bash.ok ? { ok: true, value: { folder, script: "bash", interpreter: bash.value } } : bash;
}

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

/** Real path of the folder of a skill whose origin is a folder or a SKILL.md. */
export async function skillFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
    return basename(real).toLowerCase() === "skill.md" ? dirname(real) : undefined;
  } catch {
    // Removed since it was loaded: as good as no folder.
    return undefined;
  }
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    // Missing, a dangling link or a link circle: there is no such script.
    return undefined;
  }
}

type Interpreter = { ok: true; value: readonly string[] } | { ok: false; reason: string };

async function interpreterOf(file: string, shown: string, isolation: Isolation): Promise<Interpreter> {
  const known = interpreters[extname(file).toLowerCase()];
  if (known !== undefined) return await programFor(known, [], shown, isolation);
  const line = await shebang(file);
  if (line === undefined) {
    return refuse(
      `${shown} cannot be run: end it in .py, .js, .mjs, .cjs or .sh, or begin it with "#!" and make it executable.`,
    );
  }
  const words = line.split(/\s+/).filter((word) => word !== "");
  const [first = "", ...rest] =
    basename(words[0] ?? "") === "env" ? words.slice(1).filter((word) => word !== "-S") : words;
  return await programFor(basename(first) === "node" ? "node" : first, rest, shown, isolation);
}

async function programFor(
  name: string,
  flags: readonly string[],
  shown: string,
  isolation: Isolation,
): Promise<Interpreter> {
  if (name === "node") return { ok: true, value: ["node", ...flags] };
  const isWeak = isolation.kind === "process";
  const program = await (isWeak ? findProgramIn(isolation.programFolders, name) : findProgram(name));
  if (program !== undefined) return { ok: true, value: [program, ...flags] };
  const where = isWeak
    ? "in a folder of the bot's PATH. Install it."
    : "in /usr/local/bin, /usr/bin or /bin of this machine. Install it system-wide.";
  return refuse(`${shown} needs ${name || "an interpreter"}, which is not ${where}`);
}

/** The text after `#!` of an executable file's first line. */
async function shebang(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
  } catch {
    return undefined;
  }
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(256) });
  const head = buffer.toString("utf8", 0, bytesRead);
  return head.startsWith("#!") ? head.slice(2).split("\n", 1)[0]?.trim() : undefined;
}
