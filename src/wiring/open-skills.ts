import path from "node:path";
/** Opens the sources and runtimes of skills: folders, installed packages, tool servers, the sandbox. */
import { networkOf, processEnvironment } from "../config/environment.ts";
import type { Config } from "../config/schema.ts";
import { type Clock, type KeyValue, type Mutex, scopeKeyValue } from "../core/ports/storage.ts";
import type { Web } from "../core/ports/web.ts";
import type { WorkingFolders } from "../core/ports/working-folder.ts";
import { createCatalogueLoader } from "../core/skill/catalogue.ts";
import { type Packages, type PreparedPackages, wasEnabled } from "../core/skill/packages.ts";
import type { FolderFormat, LoadedSkills, SkillSource } from "../core/skill/skill.ts";
import { TaughtSkills } from "../core/skill/taught-skills.ts";
import { createAdHocFlows, readTaughtFlow } from "../flows/ad-hoc-flows.ts";
import { createFlowSource } from "../flows/flow-source.ts";
import type { FlowPorts } from "../flows/run-flow.ts";
import { createImportedSkills } from "../imported/create-imported-skills.ts";
import { createMcpLogin, type McpLoginWithReturn } from "../mcp/login/create-mcp-login.ts";
import { createMcpServers } from "../mcp/mcp-servers.ts";
import { createServerRequests } from "../mcp/requests/create-server-requests.ts";
import type { OwnPorts } from "../net/address-policy.ts";
import { createDownload } from "../net/create-download.ts";
import { createGuardedProxy } from "../net/guarded-proxy.ts";
import { createPackages, type ManagedPackages } from "../packages/create-packages.ts";
import type { PackagesOptions } from "../packages/packages-options.ts";
import { createMiniSearchIndex } from "../search/minisearch-index.ts";
import { loginPaths } from "../server/routes/login-routes.ts";
import { readTaughtDocument } from "../skills/document-skill.ts";
import { createFolderSource } from "../skills/folder-source.ts";
import { createPreparedSource, createSandboxedSource } from "../skills/judged-sources.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";
import { lazyCodeRunners } from "./code-runners.ts";
import { managedFolders, settingsOf, shippedSources, skillSources } from "./skill-sources.ts";

/**
 * Delay after the start before tool servers are started unrequested, ms: turns interrupted by the restart and waiting messages come
 * first.
 */
const quietMs = 1_000;

export interface SkillDeps {
  /** The files of threads. */
  folders: WorkingFolders;
  store: KeyValue;
  /** Of all processes that use the data folder at the same time; without it, there is one. */
  mutex?: Mutex | undefined;
  clock: Clock;
  web: Web;
  /** The ports of the bot itself, which skills must not reach. */
  own: OwnPorts;
  /** Knack's own version. */
  version: string;
  report(error: unknown, where: string): void;
  /** Receives output of skill code that is not part of a result. */
  onLog(skillId: string, text: string): void;
}

/** The skills of a bot, and their means. */
export type OpenedSkills = Awaited<ReturnType<typeof openSkills>>;

/** Removes prepared packages of removed skills before people see or change any. */
function withoutGoneSkills(
  prepared: PreparedPackages,
  isThere: (skillId: string) => Promise<boolean>,
): PreparedPackages {
  const list = async () => {
    const { sets } = await prepared.list();
    const owners = new Set(sets.flatMap(({ skill }) => skill ?? []));
    for (const id of owners) if (!(await isThere(id))) await prepared.drop(id);
    return await prepared.list();
  };
  return { ...prepared, list };
}

/** Opens the installed packages and combines the sources. Starts no server and no process. */
export async function openSkills(config: Config, deps: SkillDeps) {
  const { clock, store, mutex, own, folders, version, report, onLog } = deps;
  const { question_minutes, approval_minutes } = config.turns;
  const question_ms = Math.max(question_minutes, approval_minutes) * 60_000;
  const runners = lazyCodeRunners(config, own, mutex, (skill) => packages.verifyBeforeRun(skill));
  const { programs, scripts, code, isolation } = runners;
  const imported = createImportedSkills({
    programs,
    folders,
    clock,
    question_ms,
    onLog,
    settingsOf: (id) => settingsOf(config, id),
    mayRun: (skill) => wasEnabled(store, skill),
  });
  const flowPorts = { programs, clock };
  const adHoc = createAdHocFlows(flowPorts, mutex && store);
  const readFlow = readTaughtFlow(flowPorts);
  const taught = new TaughtSkills(store, (id, text, origin) =>
    (text.trimStart().startsWith("{") ? readFlow : readTaughtDocument)(id, text, origin),
  );
  let address: string | undefined;
  const login = openToolServerLogin(config, deps, () => address);
  const mcp = createMcpServers({
    file: config.mcp.file,
    folder: path.join(config.data.folder, "tool-servers"),
    environment: processEnvironment(),
    network: networkOf(processEnvironment()),
    store: scopeKeyValue(store, "mcp:"),
    connect_ms: config.mcp.connect_seconds * 1000,
    call_ms: config.mcp.call_seconds * 1000,
    maxAttempts: config.mcp.attempts,
    requests: createServerRequests(),
    clock,
    version,
    question_ms,
    login,
    report,
  });
  const formats = [imported.format];
  const known = {
    isolation: runners.describe,
    skillsOf: mcp.skillsOf,
    find: async (id: string) => (await catalogue.current()).skills.get(id),
  };
  const packages = await openPackages(config, deps, known, formats, flowPorts);
  const sources: SkillSource[] = [
    ...skillSources(config, formats, imported.toolPackages, flowPorts, packages.verify),
    mcp.source,
    adHoc.source,
    taught,
  ];
  // An installed skill is missing in the catalogue for a moment while it is replaced.
  const prepared = withoutGoneSkills(
    runners.prepared,
    async (id) => (await packages.get(id)) !== undefined || (await catalogue.current()).skills.has(id),
  );
  const judged = sources.map((source) =>
    createPreparedSource(createSandboxedSource(source, programs.allows), prepared),
  );
  const catalogue = createCatalogueLoader(judged, createMiniSearchIndex);
  let cancelStart = () => {};
  const remove: Packages["remove"] = async (id) => {
    const removed = await packages.remove(id);
    if (removed.ok) await prepared.drop(id);
    return removed;
  };
  return {
    catalogue,
    prepared,
    login,
    scripts,
    code,
    isolation,
    taught,
    packages: { ...packages, remove } satisfies Packages,
    servers: mcp.servers,
    addFlow: adHoc.add,
    /** Starts background work. `listening` is the address of this bot. */
    start(listening: string): void {
      address = listening;
      cancelStart = clock.after(quietMs, () => mcp.start());
    },
    /** Ends every process and session that skills have. */
    async close(): Promise<void> {
      cancelStart();
      imported.close();
      await runners.close();
      await mcp.close();
    },
  };
}

/** Opens the installed skills. First repairs changes that a killed bot left incomplete. */
async function openPackages(
  config: Config,
  { store, mutex, clock, own }: Pick<SkillDeps, "store" | "mutex" | "clock" | "own">,
  { find, skillsOf, isolation }: Pick<PackagesOptions, "skillsOf" | "find" | "isolation">,
  formats: readonly FolderFormat[],
  flowPorts: FlowPorts,
): Promise<ManagedPackages> {
  const shipped = shippedSources(flowPorts);
  const proxy = createGuardedProxy({ allow: config.net.allow, own });
  return createPackages({
    mutex,
    clock,
    find,
    skillsOf,
    isolation,
    folders: managedFolders(config),
    store: scopeKeyValue(store, "packages:"),
    download: createDownload({ allow: config.net.allow, own }),
    openProxy: () => proxy.openOnLoopback({ permits: () => true }),
    access: { path: processEnvironment().PATH ?? "", plainHttpHosts: config.net.allow },
    inspect: (root) => loadAll(inspected(root, formats, flowPorts)),
    shipped: async () => (await loadAll(shipped)).skills,
  });
}

/** The folder is only read: nothing in it is imported or run. */
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

/**
 * Logins at tool servers. Their tokens are encrypted with the bot's key.
 * @param listening the address of this bot, once it listens
 */
function openToolServerLogin(
  config: Config,
  { store, mutex, web, clock, report }: Pick<SkillDeps, "store" | "mutex" | "web" | "clock" | "report">,
  listening: () => string | undefined,
): McpLoginWithReturn {
  const { server, data, secret_key } = config;
  const home = () => server.public_url ?? listening() ?? `http://127.0.0.1:${server.port}`;
  const isPublic = server.public_url?.startsWith("https://") ?? false;
  return createMcpLogin({
    store: scopeKeyValue(sealKeyValue(store, createSecretKey(data.folder, secret_key)), "mcp-login:"),
    mutex,
    web,
    clock,
    report,
    redirectUrl: () => addressOf(home(), loginPaths.callback),
    clientMetadataUrl: isPublic ? addressOf(home(), loginPaths.client) : undefined,
  });
}

/** Appends a path to an address, which may end in a slash or have a path. */
function addressOf(home: string, path: string): string {
  return home.replace(/(?<!\/)\/+$/, "") + path;
}
