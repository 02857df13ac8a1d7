import { z } from "zod";
import { errorText } from "../base/error-text.ts";
import { once } from "../base/made-once.ts";
import { cutText } from "../base/markdown-text.ts";
import type { Clock } from "../core/ports/storage.ts";
import {
  type Diagnostic,
  isInstalled,
  type LoadedToolPackage,
  parametersOf,
  type Skill,
  type ToolPackages,
} from "../core/skill/skill.ts";
import { sizeProblem } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";
import { createRedactor } from "../core/values/redact.ts";
import { type ImportedCode, type ImportedMeans, importedTool } from "./call-imported.ts";
import { hostsInCode } from "./code-hosts.ts";
import { maxDescription } from "./imported-skill.ts";

/** Entry modules to look for unless SKILL.md names an entry point `tool` or `main`. */
const usualEntries = ["tool.js", "tool.mjs", "tool.cjs", "index.js", "index.mjs", "index.cjs"];

/** Maximum time for a module to list its tools, ms. */
const maxListing = 30_000;

/** Maximum characters of a tool's parameters as JSON. A tool with a larger schema accepts any object. */
const maxSchema = 20_000;

const listingSchema = z
  .array(
    z.object({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
      description: z.string().transform((text) => cutText(text, maxDescription)),
      parameters: z
        .record(z.string(), jsonSchema)
        .refine((schema) => {
          const text = JSON.stringify(schema);
          return text.length <= maxSchema && sizeProblem(text) === undefined;
        })
        .catch({}),
    }),
  )
  .min(1)
  .max(100);
type Listing = { ok: true; tools: z.infer<typeof listingSchema> } | { ok: false; reason: string };

/**
 * Reads and runs tool packages with the means of imported skills.
 * @param mayRun whether code of the skill may be run to list its tools
 */
export function createToolPackages(
  means: ImportedMeans,
  clock: Pick<Clock, "after">,
  settingsOf: (skillId: string) => Readonly<Record<string, string>>,
  mayRun: (skill: Skill) => Promise<boolean>,
): ToolPackages {
  const listings = new Map<string, Listing>();
  const reading = new Map<string, Promise<void>>();
  /** The tools of each package, by path, in the version that was read last. */
  const latest = new Map<string, readonly Skill[]>();

  const readOnce = async (key: string, code: ImportedCode): Promise<void> => {
    try {
      listings.set(key, await readListing(means, code, clock));
    } catch (error) {
      listings.set(key, { ok: false, reason: errorText(error) });
    } finally {
      reading.delete(key);
    }
  };
  const read = (key: string, code: ImportedCode): Promise<void> => {
    const known = reading.get(key) ?? readOnce(key, code);
    if (!listings.has(key)) reading.set(key, known);
    return known;
  };

  /** An unknown answer counts as yes: reading the tools then reports the reason. */
  const canRun = (skill: Skill) =>
    means.programs.allows(skill).then(
      ({ ok }) => ok,
      () => true,
    );

  return {
    async load(skill): Promise<LoadedToolPackage | undefined> {
      const entry = await entryOf(skill);
      if (entry === undefined) return undefined;
      const { guide_note: _, ...own } = skill;
      const base: Skill = { ...own, kind: "imported", code: { ...own.code, runs: "tools" } };
      // A package that is switched off, or cannot run here, is not run to list its tools. Its source says why it cannot.
      if (!skill.enabled || !(await canRun(base))) return { skills: [base], diagnostics: [], complete: true };
      if (!(await mayRun(skill))) return { skills: [base], diagnostics: [], complete: false };
      const code = codeOf(base, entry, settingsOf(skill.id));
      const key = `${skill.origin.path}\0${skill.hash}`;
      const listing = listings.get(key);
      const { path } = skill.origin;
      if (listing?.ok) {
        const skills = skillsOf(base, listing.tools, code, means);
        latest.set(path, skills);
        return { skills, diagnostics: [], complete: true };
      }
      if (listing !== undefined) {
        const reason = `Its tools cannot be read: ${listing.reason}`;
        return unread({ ...base, problems: [reason] }, "error", reason);
      }
      const reason = "Its tools are being read. Try again in a moment.";
      const ready = () => read(key, code);
      void ready();
      // An edited package keeps its earlier tools until the new ones have been read.
      const before = isInstalled(skill) ? undefined : latest.get(path);
      if (before !== undefined) return { skills: before, diagnostics: [], complete: false };
      return unread({ ...base, problems: [reason], ready }, "info", reason);
    },
  };
}

function unread(skill: Skill, severity: Diagnostic["severity"], message: string): LoadedToolPackage {
  const diagnostic: Diagnostic = { path: skill.origin.path, severity, code: "tools_unread", message };
  return { skills: [skill], diagnostics: [diagnostic], complete: severity === "error" };
}

async function entryOf({ files, code }: Skill): Promise<string | undefined> {
  const present = new Set((await files?.list())?.map(({ path }) => path));
  const named = [code?.entry_points?.tool, code?.entry_points?.main].filter((each) => each !== undefined);
  return [...named, ...usualEntries].find((path) => /\.[cm]?js$/.test(path) && present.has(path));
}

function codeOf(skill: Skill, entry: string, settings: Readonly<Record<string, string>>): ImportedCode {
  const { id, description, files } = skill;
  const none = { config: {}, examples: [], parameters: {} };
  const hosted = { name: id, description, ...none, runtimeArgs: { ...settings } };
  return {
    skill,
    env: settings,
    setup: { type: "setup", skill: { ...hosted, entry } },
    redact: createRedactor([]),
    hosts: once(async () => (files === undefined ? [] : hostsInCode(files))),
  };
}

async function readListing(
  { programs, warm }: ImportedMeans,
  { skill, setup, env }: ImportedCode,
  clock: Pick<Clock, "after">,
): Promise<Listing> {
  const verdict = await programs.allows(skill);
  if (!verdict.ok) return verdict;
  const controller = new AbortController();
  const cancel = clock.after(maxListing, () => controller.abort(new Error("too long")));
  const outcome = await warm.call({
    skill,
    setup,
    env,
    args: { list: true },
    signal: controller.signal,
    access: { permits: () => false },
    onProgress: () => {},
    onRequest: async () => ({ approved: false, message: "Nobody is there to ask." }),
  });
  cancel();
  if (outcome.status === "ended") return { ok: false, reason: outcome.reason };
  if (outcome.status === "error")
    return { ok: false, reason: `${outcome.error.name}: ${outcome.error.message}` };
  const parsed = listingSchema.safeParse(JSON.parse(outcome.text));
  if (parsed.success) return { ok: true, tools: parsed.data };
  return { ok: false, reason: "It names tools without a name that can be used (letters, digits, . _ -)." };
}

function skillsOf(
  base: Skill,
  exported: z.infer<typeof listingSchema>,
  code: ImportedCode,
  means: ImportedMeans,
): Skill[] {
  const single = exported.length === 1;
  const parts = exported.map(({ name, description, parameters }): Skill => {
    const id = single ? base.id : `${base.id}#${name}`;
    const part: Skill = {
      ...base,
      id,
      name: single ? base.name : `${base.name}: ${name}`,
      description: description || base.description,
      parameters: parametersOf(parameters),
      ...(single ? {} : { parent: base.id, examples: [] }),
    };
    const schema = { ...parameters, type: "object", properties: parameters.properties ?? {} };
    const taken = { schema, parameters: parameters.properties === undefined ? undefined : part.parameters };
    const tool = importedTool(means, code, part, taken, (input) => ({ tool: name, input }));
    return { ...part, tools: [tool] };
  });
  return single ? parts : [{ ...base, tools: parts.flatMap(({ tools }) => tools) }, ...parts];
}
