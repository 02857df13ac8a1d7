/** Installed skills. */
import { processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import { type Clock, type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import type { FolderFormat, LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";
import { createFlowSource } from "../flows/flow-source.ts";
import type { FlowPorts } from "../flows/run-flow.ts";
import type { OwnPort } from "../net/address-policy.ts";
import { createDownload } from "../net/create-download.ts";
import { createGuardedProxy } from "../net/guarded-proxy.ts";
import { createPackages, type ManagedPackages } from "../packages/create-packages.ts";
import { createFolderSource } from "../skills/folder-source.ts";
import { managedFolders, shippedSources } from "./skill-sources.ts";

export interface PackageDeps {
  store: KeyValue;
  clock: Clock;
  own: OwnPort;
  formats: readonly FolderFormat[];
  flowPorts: FlowPorts;
  find(skillId: string): Promise<Skill | undefined>;
  /** What isolation code of a skill runs in, or why it would not run. */
  isolation(skill: Skill): Promise<string>;
}

/** Opens the installed skills: what a killed bot had begun to change is put right first. */
export async function openPackages(config: Config, deps: PackageDeps): Promise<ManagedPackages> {
  const { clock, own, formats, flowPorts } = deps;
  const shipped = shippedSources(deps);
  const proxy = createGuardedProxy({ allow: config.net.allow, own });
  return createPackages({
    folders: managedFolders(config),
    store: scopeKeyValue(deps.store, "packages:"),
    clock,
    download: createDownload({ allow: config.net.allow, own }),
    openProxy: () => proxy.openOnLoopback({ permits: () => true }),
    access: { path: processEnvironment().PATH ?? "", plainHttpHosts: config.net.allow },
    inspect: (root) => loadAll(inspected(root, formats, flowPorts)),
    shipped: async () => (await loadAll(shipped)).skills,
    find: deps.find,
    isolation: deps.isolation,
  });
}

/** Nothing in there is imported or run: it is only read. */
function inspected(root: string, formats: readonly FolderFormat[], ports: FlowPorts): SkillSource[] {
  const place = { source: "managed", precedence: 3, root };
  return [
    createFolderSource({ ...place, importModules: false, formats }),
    createFlowSource({ ...place, ports }),
  ];
}

async function loadAll(sources: readonly SkillSource[]): Promise<LoadedSkills> {
  const loaded = await Promise.all(sources.map((source) => source.load()));
  return {
    skills: loaded.flatMap(({ skills }) => skills),
    diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
  };
}
