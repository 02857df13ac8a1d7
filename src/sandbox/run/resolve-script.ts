import { constants, type Dirent } from "node:fs";
import { access, open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, sep } from "node:path";
import { pathForm } from "../../base/file-kind.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Isolation } from "../isolation.ts";
import { findProgram, findProgramIn } from "./programs.ts";

/** A script that exists within its skill's folder, and the program that runs it. */
interface ResolvedScript {
  /** Real path of the skill's folder. */
  folder: string;
  /** Path within it, with forward slashes, links resolved. */
  script: string;
  /** `node` is the Node that the bot runs on; everything else is an absolute path or an argument. */
  interpreter: readonly string[];
  /** Folders in which Python finds modules, relative to the skill's: the script's own, the skill's, and those that contain modules. */
  moduleFolders: readonly string[];
}

export type Resolution = { ok: true; value: ResolvedScript } | { ok: false; reason: string };

const interpreters: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".sh": "bash",
};

/** Finds a script and its interpreter. Scripts outside the folder, also through links, are not run. */
export async function resolveScript(skill: Skill, script: string, isolation: Isolation): Promise<Resolution> {
  const shown = JSON.stringify(script.slice(0, 200));
  if (script === "" || script.includes("\0") || isAbsolute(script) || script.split(/[/\\]/).includes("..")) {
    return refuse(
      `${shown} is not a path within the skill ${skill.id}. Name a script of the skill, e.g. scripts/run.py.`,
    );
  }
  const folder = await skillFolder(skill.origin.path);
  if (folder === undefined) return refuse(`The skill ${skill.id} has no folder with scripts.`);
  const file = (await realFile(join(folder, script))) ?? (await fileOfForm(folder, pathForm(script)));
  if (file === undefined) {
    return refuse(`The skill ${skill.id} has no script ${shown}. List its files to see what there is.`);
  }
  const inside = relative(folder, file);
  if (inside.startsWith("..") || isAbsolute(inside)) {
    return refuse(
      `${shown} leads out of the folder of the skill ${skill.id}. Scripts must lie in the skill's folder.`,
    );
  }
  const found = await interpreterOf(file, shown, isolation);
  if (!found.ok) return found;
  const interpreter = { value: await forWindowsLines(found.value, file) };
  const path = inside.split(sep).join("/");
  const moduleFolders = await foldersWithModules(folder, path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return { ok: true, value: { folder, script: path, interpreter: interpreter.value, moduleFolders } };
}

/** What runs a command line, with access to the skill's folder. */
export async function resolveCommand(
  skill: Skill,
  command: string,
  isolation: Isolation,
): Promise<Resolution> {
  if (command.includes("\0")) return refuse("The command contains a NUL character. Remove it.");
  const folder = await skillFolder(skill.origin.path);
  if (folder === undefined) return refuse(`The skill ${skill.id} has no folder.`);
  const bash = await programFor("bash", ["-c", command], "A command line", isolation);
  // bash uses this argument as its own name.
  if (!bash.ok) return bash;
  const moduleFolders = await foldersWithModules(folder, "");
  return { ok: true, value: { folder, script: "bash", interpreter: bash.value, moduleFolders } };
}

function hasModules(entries: readonly Dirent[]): boolean {
  const isPackage = entries.some(({ name }) => name === "__init__.py");
  return !isPackage && entries.some(({ name }) => name.endsWith(".py"));
}

function mayHaveModules(entry: Dirent): boolean {
  return entry.isDirectory() && !/^(\.|node_modules$|__pycache__$)/.test(entry.name);
}

/** Maximum depth of folders that are searched for modules, and maximum number of such folders. */
const maxDepth = 3;
const maxFolders = 20;

/**
 * Python's search path: first the script's folder, as Python does by itself, then the skill's folder (`from scripts.x import …`), then
 * those of its folders that are no packages but contain modules, for scripts that a command line starts.
 */
async function foldersWithModules(folder: string, first: string): Promise<string[]> {
  const found = new Set([first, ""]);
  const look = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
    if (hasModules(entries)) found.add(path);
    const further = depth < maxDepth && found.size < maxFolders ? entries.filter(mayHaveModules) : [];
    for (const { name } of further) await look(path === "" ? name : `${path}/${name}`, depth + 1);
  };
  await look("", 0);
  return [...found].slice(0, maxFolders);
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
    // Removed since it was loaded: counts as no folder.
    return undefined;
  }
}

/** A file whose path is spelled differently: with backslashes, or with letters composed in another way. */
async function fileOfForm(folder: string, form: string): Promise<string | undefined> {
  let at = folder;
  for (const part of form.split("/").filter((each) => each !== "" && each !== ".")) {
    const names = await readdir(at).catch(() => []);
    const name = names.find((each) => each === part) ?? names.find((each) => pathForm(each) === part);
    if (name === undefined) return undefined;
    at = join(at, name);
  }
  return realFile(at);
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    // Missing, a dangling link or a circle of links: there is no such script.
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

const shells: ReadonlySet<string> = new Set(["bash", "sh", "dash"]);

/**
 * Shells treat the carriage return of Windows line ends as a part of each command: such a script is run without them, and its file stays as
 * it was reviewed. References to `BASH_SOURCE` are replaced by `$0`, the name the script
 * was called with.
 */
async function forWindowsLines(interpreter: readonly string[], file: string): Promise<readonly string[]> {
  const [program = "", ...flags] = interpreter;
  if (!shells.has(basename(program)) || !(await readFile(file)).includes("\r\n")) return interpreter;
  const unix = String.raw`s/\r$//; s/\$\{?BASH_SOURCE(\[0\])?\}?/\$0/g`;
  return [program, ...flags, "-c", `eval "$(sed -E '${unix}' "$0")"`];
}

export async function programFor(
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
