import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { plainText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import type { Diagnostic, LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";
import { readFlow } from "./flow-file.ts";
import { createFlowSkill } from "./flow-skill.ts";
import type { FlowPorts } from "./run-flow.ts";

export interface FlowSourceOptions {
  /** `bundled`, `workspace`. */
  source: string;
  precedence: number;
  /** The folder of `*.json` files; it may be missing. */
  root: string;
  /** Services of the flows; see there what is missing without them. */
  ports?: FlowPorts;
}

/** Maximum files; further ones are reported and skipped. */
const maxFiles = 1_000;
const maxBytes = 1_000_000;

/** Maximum age of a read before a file is read again although it seems unchanged, ms. */
const maxAge = 5 * 60_000;
/** File systems have coarse times: within this time after a change, another change may have the same time, ms. */
const timeResolution = 100;

/** A file that was read. */
interface KnownFile {
  text: string;
  stamp: Stamp | undefined;
  skills: Skill[];
  problems: Diagnostic[];
}

/** The state of a file for detecting changes, and the time of the check. */
interface Stamp {
  state: string;
  changedAt: number;
  readAt: number;
}

/**
 * The flows in a folder, without subfolders. Every `load` sees all files that were changed, added or removed before. If there are no
 * changes, it returns the same object.
 */
export function createFlowSource(options: FlowSourceOptions): SkillSource {
  let known = new Map<string, KnownFile>();
  let latest: LoadedSkills = { skills: [], diagnostics: [] };
  return {
    id: `${options.source}:${options.root}`,
    async load() {
      const listed = await listFiles(options.root);
      const files = new Map<string, KnownFile>();
      for (const file of listed.files) files.set(file, await readFlowFile(file, known.get(file), options));
      known = files;
      const next = assemble([...files.values()], listed.problems);
      if (!isSame(latest, next)) latest = next;
      return latest;
    },
  };
}

async function listFiles(root: string): Promise<{ files: string[]; problems: Diagnostic[] }> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    const names = entries
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && /^[^.].*\.json$/i.test(entry.name))
      .map(({ name }) => path.join(root, name))
      .sort();
    const problems = entries
      .filter((entry) => entry.isFile() && /^[^.].*\.ya?ml$/i.test(entry.name))
      .map(({ name }) =>
        defect(path.join(root, name), "not_json", "Flows are JSON files: this one is not read."),
      );
    if (names.length > maxFiles)
      problems.push(
        defect(root, "too_many_files", `Of ${names.length} flows the first ${maxFiles} are read.`),
      );
    return { files: names.slice(0, maxFiles), problems };
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    if (code === "ENOENT") return { files: [], problems: [] };
    const message = `The folder of flows cannot be read (${code}). Check that it is a folder, and its permissions.`;
    return { files: [], problems: [defect(root, "unreadable", message)] };
  }
}

async function readFlowFile(
  file: string,
  before: KnownFile | undefined,
  { root, source, precedence, ports = {} }: FlowSourceOptions,
): Promise<KnownFile> {
  const found = await findFile(file, root);
  if (!found.ok) return { text: "", stamp: undefined, skills: [], problems: [found.problem] };
  const { stamp } = found;
  if (before !== undefined && isUnchanged(before.stamp, stamp)) return before;
  const read = await readText(found.real, file);
  if (!read.ok) return { text: "", stamp, skills: [], problems: [read.problem] };
  const { text } = read;
  if (before?.text === text && before.skills.length > 0) return { ...before, stamp };
  const parsed = readFlow(text);
  if (!parsed.ok) return { text, stamp, skills: [], problems: [defect(file, parsed.code, parsed.message)] };
  const origin = { source, precedence, path: file };
  const skill = createFlowSkill(parsed.flow, { origin, fileName: path.basename(file), text }, ports);
  const problems = parsed.flow.warnings.map(
    (message): Diagnostic => ({ path: file, severity: "warning", code: "stray_placeholder", message }),
  );
  return { text, stamp, skills: [skill], problems };
}

function isUnchanged(before: Stamp | undefined, now: Stamp): boolean {
  if (before?.state !== now.state) return false;
  return before.changedAt < before.readAt - timeResolution && now.readAt - before.readAt < maxAge;
}

interface Refused {
  ok: false;
  problem: Diagnostic;
}

async function findFile(
  file: string,
  root: string,
): Promise<{ ok: true; real: string; stamp: Stamp } | Refused> {
  try {
    const real = await realpath(file);
    if (!real.startsWith(`${await realpath(root)}${path.sep}`)) {
      return refuse(
        file,
        "link_outside",
        "The link leads out of the folder of flows. Copy the file instead.",
      );
    }
    const readAt = Date.now();
    const stats = await stat(real);
    if (!stats.isFile()) return refuse(file, "not_a_file", "It is not a file.");
    if (stats.size > maxBytes) return refuse(file, "too_large", `It is larger than ${maxBytes} bytes.`);
    const { mtimeMs, ctimeMs, size, ino } = stats;
    const state = `${real}:${mtimeMs}:${ctimeMs}:${size}:${ino}`;
    return { ok: true, real, stamp: { state, changedAt: Math.max(mtimeMs, ctimeMs), readAt } };
  } catch (error) {
    return refuse(
      file,
      "unreadable",
      `It cannot be read (${errorCode(error) ?? "unknown error"}). Check its permissions.`,
    );
  }
}

async function readText(real: string, file: string): Promise<{ ok: true; text: string } | Refused> {
  try {
    const text = plainText(await readFile(real));
    if (text === undefined) return refuse(file, "not_text", "It is not UTF-8 text. Export the flow again.");
    return { ok: true, text: text.replace(/^\ufeff/, "") };
  } catch (error) {
    return refuse(
      file,
      "unreadable",
      `It cannot be read (${errorCode(error) ?? "unknown error"}). Check its permissions.`,
    );
  }
}

function refuse(file: string, code: string, message: string): Refused {
  return { ok: false, problem: defect(file, code, message) };
}

/** Of several files with one id, the first by name keeps it; the others are reported. */
function assemble(files: readonly KnownFile[], problems: readonly Diagnostic[]): LoadedSkills {
  const owners = new Map<string, Skill>();
  const diagnostics = [...problems];
  for (const { skills, problems: own } of files) {
    diagnostics.push(...own);
    for (const skill of skills) {
      const owner = owners.get(skill.id);
      if (owner === undefined) owners.set(skill.id, skill);
      else {
        const message = `Its id ${skill.id} is already used by ${path.basename(owner.origin.path)}, so it is skipped. Give it another name.`;
        diagnostics.push(defect(skill.origin.path, "duplicate_id", message));
      }
    }
  }
  return { skills: [...owners.values()], diagnostics };
}

function isSame(a: LoadedSkills, b: LoadedSkills): boolean {
  return (
    a.skills.length === b.skills.length &&
    a.diagnostics.length === b.diagnostics.length &&
    a.skills.every((skill, at) => skill === b.skills[at]) &&
    a.diagnostics.every(
      (each, at) => each.path === b.diagnostics[at]?.path && each.message === b.diagnostics[at]?.message,
    )
  );
}

function defect(file: string, code: string, message: string): Diagnostic {
  return { path: file, severity: "error", code, message };
}
