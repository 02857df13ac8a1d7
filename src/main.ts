/** The composition root: reads nothing but the configuration it is given, and wires everything together. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { App } from "./app/app.ts";
import type { AppDeps } from "./app/app-deps.ts";
import { createApp } from "./app/create-app.ts";
import type { Readiness } from "./app/services/readiness.ts";
import { loadInstructions } from "./config/load-instructions.ts";
import { loadProfiles } from "./config/load-profiles.ts";
import type { Config } from "./config/schema.ts";
import { createMetaTools } from "./core/meta-tools/create-meta-tools.ts";
import type { ModelError } from "./core/ports/model.ts";
import type { Upgrade } from "./core/ports/storage.ts";
import { startingOf, whenReady } from "./core/scope/starting-skills.ts";
import { NetworkGrants } from "./core/skill/network-grants.ts";
import { createSaidLine } from "./core/values/said-line.ts";
import { createDocumentReader } from "./documents/create-document-reader.ts";
import { createTokenCounter } from "./models/count-tokens.ts";
import { createModels, loadSdks } from "./models/create-models.ts";
import { createTranscriber } from "./models/openai/transcriber.ts";
import { createCouldReach } from "./net/address-policy.ts";
import { createWeb } from "./net/create-web.ts";
import { siteOf } from "./net/site-of.ts";
import { createMiniSearchIndex } from "./search/minisearch-index.ts";
import { loadConsoleAssets } from "./server/console-assets.ts";
import { createServer } from "./server/server.ts";
import { type DataFolderLock, lockDataFolder } from "./storage/data-folder.ts";
import { createDiskWorkingFolders } from "./storage/folders/disk-working-folders.ts";
import { createSharedMutex } from "./storage/shared-mutex.ts";
import { createLogger } from "./telemetry/logger.ts";
import { appSettings, modelSettings, redactorOf, scheduleSetup, webOptions } from "./wiring/app-settings.ts";
import { areTurnsRun, type ProcessRole } from "./wiring/database-processes.ts";
import { noPlatforms, openPlatforms, type Platforms } from "./wiring/open-platforms.ts";
import { type OpenedSkills, openSkills } from "./wiring/open-skills.ts";
import { openStores } from "./wiring/open-stores.ts";
import { metricsReader, noTelemetry, openTelemetry } from "./wiring/open-telemetry.ts";
import { openWorkMeans } from "./wiring/open-work-means.ts";
import { environmentOf, grantedHosts, hostFacts } from "./wiring/skill-sources.ts";
import { systemClock } from "./wiring/system-clock.ts";
import { tellOfCrash, tellOfExposure, tellOfUpgrades, warnOfNames } from "./wiring/tell-at-start.ts";

/** Knack's own version, of the API and the console. */
export const version = "0.1.0";

/** A bot that is wired and answers requests in this process. */
export interface Knack {
  /** The HTTP API without a network: for the command line when no bot runs. */
  fetch(request: Request): Promise<Response>;
  /** Starts to listen. @throws ServerSetupError when the address cannot be had */
  listen(): Promise<{ url: string }>;
  /** The isolation of skill code on this machine. */
  isolation: OpenedSkills["isolation"];
  /** Waits until all skills have started, at most half a minute. */
  settled(): Promise<void>;
  /** Lets running turns finish, then closes everything. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /**
   * What the bot does. `gateway` connects to the chat platforms and runs no turns; `worker` runs turns and only sends to platforms; `all`
   * does both. By default it is a `command`, which has no platforms and runs turns if no bot does.
   */
  role?: ProcessRole;
  /** Starts on a turn log that has lost what it had, with what is there. */
  acceptEmptyLog?: boolean | undefined;
}

/** Another bot is using the data folder. */
export class DataFolderInUseError extends Error {
  readonly code = "data_folder_in_use";
  constructor(folder: string, url: string | undefined) {
    super(
      `A bot already runs on the data folder ${folder}${url === undefined ? "" : `, at ${url}`}. ` +
        "Use it, stop it, or set KNACK_DATA to another folder.",
    );
  }
}

/**
 * Opens the data folder and wires the bot. Queued and interrupted turns are resumed at once.
 * @throws DataFolderInUseError, StorageError, ServerSetupError, ModelError: each says what to do
 */
export async function openKnack(config: Config, options: OpenOptions = {}): Promise<Knack> {
  const { role = "command" } = options;
  const shared = config.data.database_url !== undefined;
  const lock = await lockDataFolder(config.data.folder, { shared });
  if ("holder" in lock) throw new DataFolderInUseError(config.data.folder, lock.holder?.url);
  const closers: Closer[] = [() => lock.release()];
  try {
    return await wire(config, await open(config, lock, closers, options), role);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

type Closer = () => Promise<unknown>;

/** Closes everything that was opened, in reverse order. @throws the first failure, after everything is closed */
async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.reverse()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Opens the parts of the app. `closers` receives what has to be closed, even when this throws. */
async function open(
  config: Config,
  lock: DataFolderLock,
  closers: Closer[],
  { role = "command", acceptEmptyLog }: OpenOptions,
) {
  const isBot = role !== "command";
  const upgrades: Upgrade[] = [];
  const warnings: string[] = [];
  /** Identifies this process. */
  const owner = randomUUID();
  const opening = {
    closers,
    acceptEmptyLog,
    upgraded: (upgrade: Upgrade) => void upgrades.push(upgrade),
    warn: (text: string) => void warnings.push(text),
  };
  const stores = await openStores(config, systemClock, opening, { role, id: owner, version });
  const { clock, store, leases } = stores;
  const redact = redactorOf(config);
  const logger = createLogger(config.log.level, redact);
  tellOfUpgrades(upgrades, logger);
  tellOfExposure(lock, logger);
  for (const warning of warnings) logger.warn(warning);
  const own = new Set<number>();
  const documents = createDocumentReader();
  const web = createWeb({ ...webOptions(config), own, documents });
  const mutex = stores.shared && createSharedMutex(leases, clock);
  const maxBytes = config.files.thread_megabytes * 1_000_000;
  const folders = createDiskWorkingFolders(join(config.data.folder, "threads"), { maxBytes, mutex });
  const report = (error: unknown, where: string) => logger.error({ err: error, where }, "Unexpected error");
  // The text was cut at 2,000 characters, possibly in the middle of a secret.
  const onLog = (skill: string, text: string) =>
    logger.debug({ skill, text: redact(text).slice(0, 1_000) }, "Output of a skill");
  const ofSkills = { store, mutex, folders, web, own, version, clock, report, onLog };
  const skills = await openSkills(config, ofSkills);
  closers.push(() => skills.close());
  const [profiles, { metrics, traces }] = await Promise.all([
    loadProfiles(config.model, config.workspace.agents),
    isBot ? openTelemetry(config, { version, redact, logger }) : noTelemetry,
  ]);
  if (traces !== undefined) closers.push(() => traces.close());
  await warnOfNames(config, profiles, skills.catalogue, logger, { strict: isBot });
  return {
    stores,
    folders,
    documents,
    skills,
    web,
    own,
    profiles,
    metrics,
    traces,
    lock,
    redact,
    logger,
    report,
    owner,
    closeAll: () => closeAll(closers),
  };
}

async function wire(config: Config, opened: Opened, role: ProcessRole): Promise<Knack> {
  const { skills, lock, logger } = opened;
  const { log, store, leases, clock, shared } = opened.stores;
  const isBot = role !== "command";
  const running = createApp(await appDeps(config, opened, () => platformStates(platforms)));
  const isAlone = shared === undefined;
  const deps = { hub: running.chat, app: running.app, store, leases, clock, logger, isAlone };
  const platforms: Platforms = isBot ? await openPlatforms(config, deps) : noPlatforms;
  const server = openServer(config, opened, running.app, platforms);
  // A command leaves the turns to the bots of a shared database.
  const runsTurns = role !== "gateway" && (isBot || shared === undefined || !(await areTurnsRun(leases)));
  if (runsTurns) tellOfCrash(await log.reclaim(), logger);
  running.start({ runsTurns });
  return {
    fetch: async (request) => server.app.fetch(request),
    isolation: skills.isolation,
    async listen() {
      const { url } = await server.listen();
      opened.own.add(Number(new URL(url).port || 80));
      await lock.publish({ url, pid: process.pid });
      skills.start(url);
      await running.startRetention();
      // Only the bot itself runs due schedules.
      if (isBot) running.startSchedules();
      for (const connection of platforms.connections) connection.start({ receives: role !== "worker" });
      // In the background: the bot can be reached meanwhile. If it fails, the first request says so.
      if (runsTurns) void loadSdks(modelSettings(config)).catch(() => {});
      return { url };
    },
    settled: async () => whenReady(startingOf((await skills.catalogue.current()).skills.values()), clock),
    async close() {
      server.drain();
      // Platforms stay connected until running turns have posted their answers.
      await running.stop(config.turns.drain_seconds * 1000);
      await Promise.all(platforms.connections.map((connection) => connection.stop()));
      await server.close();
      await opened.closeAll();
    },
  };
}

async function appDeps(config: Config, opened: Opened, checks: () => Readiness[]): Promise<AppDeps> {
  const { stores, skills, profiles, metrics, traces, redact, logger, owner } = opened;
  const { catalogue, packages, prepared, servers, addFlow, taught } = skills;
  return {
    ...stores,
    ...appSettings(config),
    catalogue,
    packages,
    prepared,
    servers,
    addFlow,
    taught,
    profiles,
    redact,
    logger,
    owner,
    version,
    checks,
    createTextIndex: createMiniSearchIndex,
    schedules: scheduleSetup(config, { due: stores.log.due, store: stores.store }),
    metaTools: createMetaTools(),
    newId: randomUUID,
    meter: metrics,
    tracer: traces?.tracer,
    facts: hostFacts(config),
    transcriber: createTranscriber(modelSettings(config), stores.clock),
    ports: await turnPorts(config, opened),
  };
}

async function turnPorts(config: Config, opened: Opened): Promise<AppDeps["ports"]> {
  const { folders, web, own, documents, logger, report } = opened;
  const { files, knowledge, store, clock } = opened.stores;
  const { scripts, code } = opened.skills;
  const degraded = (error: unknown, where: string) =>
    logger.warn(
      { err: error, where },
      "Something does not work; the bot does without it until it works again",
    );
  const models = {
    ...modelSettings(config),
    onCall: opened.metrics?.modelCall,
    onReplaced: (model: string, { code, message }: ModelError) =>
      logger.warn({ model, code }, `A model failed, and another answered instead: ${message}`),
  };
  const couldReach = createCouldReach(config.net.allow);
  return {
    files,
    web,
    scripts,
    code,
    documents,
    folders,
    report,
    name: config.name,
    instructions: await loadInstructions(),
    effort: config.model.effort,
    saidLine: createSaidLine(),
    models: createModels(models, clock),
    means: openWorkMeans(config, own, clock, knowledge, degraded),
    grants: new NetworkGrants(store, (skill) => grantedHosts(config, skill), clock, couldReach),
    rights: config.skills.rights,
    approvals: config.skills.approvals,
    openHosts: config.net.open_hosts,
    siteOf,
    countTokens: createTokenCounter(),
    environmentOf: (skill) => environmentOf(config, skill),
  };
}

function openServer(
  config: Config,
  { stores, logger, metrics, skills }: Opened,
  app: App,
  platforms: Platforms,
) {
  return createServer({
    app,
    outside: platforms.handle,
    assets: loadConsoleAssets(),
    security: { host: config.server.host, port: config.server.port, token: config.server.token },
    speakForPeople: config.server.speak_for_people,
    version,
    logger,
    login: skills.login,
    metrics: metricsReader(metrics, stores, () => platformStates(platforms)),
  });
}

function platformStates({ connections }: Platforms): Readiness[] {
  return connections.map(({ id, status }) => ({ name: id, platform: true, ...status() }));
}
