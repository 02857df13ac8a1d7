import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { plainText } from "../base/decode-text.ts";
import { errorCode } from "../base/error-text.ts";
import {
  caution,
  type Diagnostic,
  defect,
  type LoadedSkills,
  type Skill,
  type SkillSource,
} from "../core/skill/skill.ts";
import { readFlow } from "./flow-file.ts";
import { createFlowSkill } from "./flow-skill.ts";
import type { FlowPorts } from "./run-flow.ts";

/** A folder of `*.json` files; it may be missing. */
interface FlowFolder {
  /** `bundled`, `workspace`. */
  source: string;
  precedence: number;
  root: string;
  /** Services of the flows; see there what is missing without them. */
  ports?: FlowPorts;
}

/** Maximum files; further ones are reported and skipped. */
const maxFiles = 1_000;
const maxBytes = 1_000_000;

/** A file as it was last read. */
interface KnownFile {
  /** Undefined if it cannot be read. */
  text?: string;
  skill?: Skill;
  problems: Diagnostic[];
}

/**
 * The flows in a folder, without subfolders. Every `load` sees all files that were changed, added or removed before. If there are no
 * changes, it returns the same object.
 */
export function createFlowSource(folder: FlowFolder): SkillSource {
  let known = new Map<string, KnownFile>();
  let latest: LoadedSkills = { skills: [], diagnostics: [] };
  return {
    id: `${folder.source}:${folder.root}`,
    async load() {
      const listed = await listFiles(folder.root);
      const files = new Map<string, KnownFile>();
      for (const file of listed.files) files.set(file, await readFlowFile(file, known.get(file), folder));
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
  { root, source, precedence, ports = {} }: FlowFolder,
): Promise<KnownFile> {
  const text = await readText(file, root);
  if (typeof text !== "string") return { problems: [text] };
  if (before?.text === text) return before;
  const parsed = readFlow(text);
  if (!parsed.ok) return { text, problems: [defect(file, parsed.code, parsed.message)] };
  const origin = { source, precedence, path: file };
  const skill = createFlowSkill(parsed.flow, { origin, fileName: path.basename(file), text }, ports);
  const problems = parsed.flow.warnings.map((message) => caution(file, "stray_placeholder", message));
  return { text, skill, problems };
}

/** The text of a file, or why it cannot be read. */
async function readText(file: string, root: string): Promise<string | Diagnostic> {
  const refuse = (code: string, message: string) => defect(file, code, message);
  try {
    const real = await realpath(file);
    if (!real.startsWith(`${await realpath(root)}${path.sep}`)) {
      return refuse("link_outside", "The link leads out of the folder of flows. Copy the file instead.");
    }
    const stats = await stat(real);
    if (!stats.isFile()) return refuse("not_a_file", "It is not a file.");
    if (stats.size > maxBytes) return refuse("too_large", `It is larger than ${maxBytes} bytes.`);
    const text = plainText(await readFile(real));
    return text?.replace(/^\ufeff/, "") ?? refuse("not_text", "It is not UTF-8 text. Export the flow again.");
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    return refuse("unreadable", `It cannot be read (${code}). Check its permissions.`);
  }
}

/** Of several files with one id, the first by name keeps it; the others are reported. */
function assemble(files: readonly KnownFile[], problems: readonly Diagnostic[]): LoadedSkills {
  const owners = new Map<string, Skill>();
  const diagnostics = [...problems];
  for (const { skill, problems: own } of files) {
    diagnostics.push(...own);
    const owner = skill && owners.get(skill.id);
    if (skill === undefined) continue;
    if (owner === undefined) owners.set(skill.id, skill);
    else {
      const message = `Its id ${skill.id} is already used by ${path.basename(owner.origin.path)}, so it is skipped. Give it another name.`;
      diagnostics.push(defect(skill.origin.path, "duplicate_id", message));
    }
  }
  return { skills: [...owners.values()], diagnostics };
}

function isSame(a: LoadedSkills, b: LoadedSkills): boolean {
  return (
    a.skills.length === b.skills.length &&
    a.skills.every((skill, at) => skill === b.skills[at]) &&
    JSON.stringify(a.diagnostics) === JSON.stringify(b.diagnostics)
  );
}
