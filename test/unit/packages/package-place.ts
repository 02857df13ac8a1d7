import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PackageOutcome } from "../../../src/core/skill/packages.ts";
import type { LoadedSkills, Skill } from "../../../src/core/skill/skill.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { createImportedSkills } from "../../../src/imported/create-imported-skills.ts";
import { createPackages } from "../../../src/packages/create-packages.ts";
import type { PackagesOptions } from "../../../src/packages/packages-options.ts";
import { createFolderSource } from "../../../src/skills/folder-source.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { temporaryFolders } from "../../support/temporary-folders.ts";

/** A data folder of its own with real loaders. `open` starts the installed skills as a bot does; again for a restart, or another process. */
export async function packagePlace(more: Partial<PackagesOptions> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "packages-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folders = {
    skills: join(root, "data/skills"),
    flows: join(root, "data/flows"),
    staging: join(root, "data/staging"),
  };
  const store = createMemoryKeyValue();
  const open = (process: Partial<PackagesOptions> = {}) =>
    createPackages({
      folders,
      store,
      clock: { now: () => Date.UTC(2026, 2, 1) },
      inspect: loadManaged,
      shipped: async () => [],
      find: async (id) => (await loadManaged(folders.skills)).skills.find((skill) => skill.id === id),
      isolation: () => "bubblewrap",
      skillsOf: async () => "There is no tool server here.",
      download: async () => ({ ok: false, reason: "There is no network here." }),
      access: { path: "/usr/local/bin:/usr/bin:/bin", plainHttpHosts: [] },
      ...more,
      ...process,
    });
  return {
    root,
    folders,
    store,
    open,
    /** What the catalogue would load. */
    load: () => managed(folders.skills, folders.flows)(),
    /** What the catalogue of a process loads each time. */
    loader: () => managed(folders.skills, folders.flows),
    staged: async () => await readdir(folders.staging),
  };
}

const { format } = createImportedSkills({
  folders: temporaryFolders(),
  programs: {
    allows: async () => ({ ok: true }),
    start: async () => {
      throw new Error("nothing of a package may run");
    },
  },
  clock: { after: () => () => undefined },
  settingsOf: () => ({}),
  question_ms: 1,
});

const loadManaged = (root: string): Promise<LoadedSkills> => managed(root)();

function managed(...roots: string[]): () => Promise<LoadedSkills> {
  const places = roots.map((root) => ({ source: "managed", precedence: 3, root }));
  const sources = places.flatMap((place) => [
    createFolderSource({ ...place, importModules: false, formats: [format] }),
    createFlowSource(place),
  ]);
  return async () => {
    const loaded = await Promise.all(sources.map((source) => source.load()));
    return {
      skills: loaded.flatMap(({ skills }) => skills),
      diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
    };
  };
}

export const signal = new AbortController().signal;
export const byAnna = { by: "Anna", signal };

/** The value, or a failure that shows why there is none. */
export function succeeded<T>(outcome: PackageOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.code}: ${outcome.reason}`);
}

export function upload(data: Buffer, name = "greeting.zip") {
  return { kind: "upload" as const, name, data };
}

export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`expected one, got ${items.length}`);
  return item;
}

export function skillNamed(skills: readonly Skill[], id: string): Skill {
  return only(skills.filter((skill) => skill.id === id));
}
