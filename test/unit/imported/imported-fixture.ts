import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { ProgramRunner } from "../../../src/core/skill/programs.ts";
import type { Diagnostic, Skill, SkillSource } from "../../../src/core/skill/skill.ts";
import type { ToolContext, ToolResult } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import {
  createImportedSkills,
  type ImportedSkillsOptions,
} from "../../../src/imported/create-imported-skills.ts";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { createFolderSource } from "../../../src/skills/folder-source.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { temporaryFolders } from "../../support/temporary-folders.ts";

export const fixtures = path.resolve(import.meta.dirname, "../../fixtures/imported");

/** One handler, as the text of a function of its arguments, in a skill folder of its own. */
export interface WrittenSkill {
  plugin?: Record<string, unknown>;
  handler?: string;
  files?: Record<string, string>;
}

/** A `runtime` whose handler has this body; `this` and `args` are there. */
export function handlerOf(body: string): string {
  return `module.exports.runtime = { handler: async function (args) { ${body} } };\n`;
}

export function pluginOf(hubId: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    active: true,
    hubId,
    name: `The ${hubId}`,
    schema: "skill-1.0.0",
    version: "1.2.0",
    description: `Does ${hubId}`,
    imported: true,
    entrypoint: { file: "handler.js", params: {} },
    ...more,
  };
}

/** `onTestFinished`, or `afterAll` for what the tests of a file share. */
type CleanUp = (work: () => void) => void;

export function temporaryFolder(cleanUp: CleanUp = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "knack-imported-")));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Writes a skill that is called as its folder. */
export function writeSkill(root: string, name: string, { plugin, handler, files }: WrittenSkill): void {
  writeFiles(path.join(root, name), {
    "plugin.json": JSON.stringify(pluginOf(name, plugin)),
    "handler.js": handler ?? handlerOf('return "ran";'),
    ...files,
  });
}

export interface ImportedFixture {
  root: string;
  source: SkillSource;
  skills(): Promise<readonly Skill[]>;
  diagnostics(): Promise<readonly Diagnostic[]>;
  /** Runs the tool of a skill; arguments are validated as the loop does. */
  call(id: string, args?: Json, context?: Partial<ToolContext>): Promise<ToolResult>;
  /** What skills printed and logged. */
  log: string[];
  close(): void;
}

let opened: { sandbox: Promise<Sandbox>; dataDir: string } | undefined;

/** The real sandbox, opened once for the tests of a file; `useSandbox` of the file closes it. */
function openSandbox(): Promise<Sandbox> {
  if (opened === undefined) {
    const dataDir = mkdtempSync(path.join(tmpdir(), "knack-imported-data-"));
    // Every name leads to this machine, which the proxy would refuse otherwise.
    const proxy = createGuardedProxy({
      allow: ["127.0.0.1"],
      lookup: (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    opened = { dataDir, sandbox: createSandbox({ dataDir, openProxy: proxy.open }) };
  }
  return opened.sandbox;
}

/** Every test file with imported skills says this at its top. */
export function useSandbox(): void {
  afterAll(() => {
    const { dataDir } = opened ?? {};
    opened = undefined;
    if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
}

const programs: ProgramRunner = {
  allows: async (skill) => (await openSandbox()).programs.allows(skill),
  start: async (request) => (await openSandbox()).programs.start(request),
};

/** Imported skills in the real sandbox, read from a folder. */
export function importedFixture(
  options: Partial<ImportedSkillsOptions> & { root?: string; cleanUp?: CleanUp } = {},
): ImportedFixture {
  const { cleanUp = onTestFinished, root = temporaryFolder(cleanUp), ...more } = options;
  const log: string[] = [];
  const imported = createImportedSkills({
    folders: temporaryFolders(),
    programs,
    clock: systemClock,
    settingsOf: () => ({}),
    question_ms: 60_000,
    onLog: (_id, text) => void log.push(text),
    ...more,
  });
  cleanUp(imported.close);
  const source = createFolderSource({
    ...{
      source: "workspace",
      precedence: 4,
      root,
      importModules: false,
      formats: [imported.format],
      toolPackages: imported.toolPackages,
    },
  });
  const skills = async () => (await source.load()).skills;
  let calls = 0;
  return {
    ...{ root, source, log, skills, close: imported.close },
    diagnostics: async () => (await source.load()).diagnostics,
    async call(id, args = {}, context = {}) {
      const tool = (await skills()).find((skill) => skill.id === id)?.tools[0];
      if (tool === undefined) throw new Error(`no skill ${id}`);
      const valid = await tool.validate(args);
      if (!valid.ok) throw new Error(valid.message);
      calls += 1;
      return tool.run(valid.value, contextOf({ call_id: `c${calls}`, ...context }));
    },
  };
}

/** A context of which a test gives what it is about. Nothing is granted and nobody is there to ask. */
export function contextOf(parts: Partial<ToolContext>): ToolContext {
  return {
    place: { namespace: "test:w:here", thread: "t" },
    turn_id: "t",
    call_id: "c",
    signal: new AbortController().signal,
    progress: () => {},
    network: {
      hosts: async () => [],
      couldReach: () => true,
      request: async () => false,
      reached: () => undefined,
    },
    reach: async () => true,
    approve: async () => ({ approved: false, by: "" }),
    ...parts,
  } as ToolContext;
}
