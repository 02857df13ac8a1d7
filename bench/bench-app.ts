import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createApp, type RunningApp } from "../src/app/create-app.ts";
import { loadInstructions } from "../src/config/load-instructions.ts";
import { loadProfiles } from "../src/config/load-profiles.ts";
import { configSchema } from "../src/config/schema.ts";
import { createMetaTools } from "../src/core/meta-tools/create-meta-tools.ts";
import { noTranscriber } from "../src/core/ports/documents.ts";
import type { Web } from "../src/core/ports/web.ts";
import { noMeans } from "../src/core/ports/work-means.ts";
import { createCatalogueLoader } from "../src/core/skill/catalogue.ts";
import { NetworkGrants } from "../src/core/skill/network-grants.ts";
import type { SkillSource } from "../src/core/skill/skill.ts";
import type { Author } from "../src/core/values/inbound.ts";
import { createRedactor } from "../src/core/values/redact.ts";
import { createSaidLine } from "../src/core/values/said-line.ts";
import { createTokenCounter } from "../src/models/count-tokens.ts";
import { createModels } from "../src/models/create-models.ts";
import type { ModelSettings } from "../src/models/named-model.ts";
import { createWeb } from "../src/net/create-web.ts";
import { siteOf } from "../src/net/site-of.ts";
import { createMiniSearchIndex } from "../src/search/minisearch-index.ts";
import { createFolderSource } from "../src/skills/folder-source.ts";
import { createHostFacts } from "../src/skills/host-facts.ts";
import { createKeyValueLeases } from "../src/storage/key-value-leases.ts";
import { createLogger } from "../src/telemetry/logger.ts";
import { chatPolicy, scheduleSetup, turnLimits } from "../src/wiring/app-settings.ts";
import type { Stores } from "../src/wiring/stores.ts";
import { systemClock } from "../src/wiring/system-clock.ts";
import { createMemoryFileStore, createMemoryMessageIndex } from "../test/support/fakes/memory-stores.ts";
import { noDocuments } from "../test/support/fakes/no-documents.ts";
import { temporaryFolders } from "../test/support/temporary-folders.ts";

/** Who asks, and where. */
export const asker: Author = { id: "bench", name: "Bench", trust: "operator" };
export const namespace = "console:local:bench";

/** The folder of the skill with ten tools. */
export const lookupFolder = path.resolve(
  fileURLToPath(new URL("./skills/lookup/skill.ts", import.meta.url)),
  "../..",
);

/** The skills that ship with the bot. */
export function shippedSkills(): SkillSource {
  const root = fileURLToPath(new URL("../skills", import.meta.url));
  return createFolderSource({ source: "bundled", precedence: 2, root, importModules: true });
}

/** Log and store decide where the app keeps its data; the other stores are in memory by default. */
export interface BenchAppOptions
  extends Pick<Stores, "store">,
    Partial<Pick<Stores, "index" | "files" | "leases">> {
  log: Stores["log"];
  model: ModelSettings;
  /** Folders of skills; in ours alone code is imported. */
  skills?: readonly string[];
  /** Further sources. */
  sources?: readonly SkillSource[];
  transcript_tokens?: number;
}

/** The mock model behind an address. */
export function mockChoice(baseUrl: string): ModelSettings {
  return {
    choice: "openai/bench",
    providers: { openai: { kind: "openai", apiKey: "bench-key", baseUrl } },
  };
}

/** The way to the network that tools have; only this machine is a private host of it. */
function benchWeb(): Web {
  const { net } = configSchema.parse({});
  return createWeb({
    allow: ["127.0.0.1"],
    timeoutMs: net.timeout_seconds * 1000,
    maxBytes: net.max_bytes,
    maxRedirects: net.max_redirects,
  });
}

/** The whole app, wired as in main.ts with the configuration's defaults, on any log and store. Nothing is spent too much. */
export async function createBenchApp({
  model,
  log,
  store,
  skills = [],
  sources: more = [],
  transcript_tokens,
  index = createMemoryMessageIndex(),
  files = createMemoryFileStore(),
  leases = createKeyValueLeases(store, "bench"),
}: BenchAppOptions): Promise<RunningApp> {
  const config = configSchema.parse({});
  const { turns } = config;
  const redact = createRedactor(["bench-key"]);
  const logger = createLogger("warn", redact);
  const sources = skills.map((root, at) =>
    createFolderSource({ source: `bench-${at}`, precedence: at, root, importModules: root === lookupFolder }),
  );
  return createApp({
    index,
    createTextIndex: createMiniSearchIndex,
    log,
    schedules: scheduleSetup(config, { due: log.due, store }),
    leases,
    store,
    logger,
    redact,
    clock: systemClock,
    catalogue: createCatalogueLoader([...sources, ...more], createMiniSearchIndex),
    metaTools: createMetaTools(),
    transcriber: noTranscriber("the bench has no sound"),
    retention: {
      conversation_days: "never",
      run_detail_days: "never",
      file_days: "never",
      audit_days: "never",
    },
    profiles: await loadProfiles(configSchema.parse({}).model),
    limits: { ...turnLimits(config), ...(transcript_tokens === undefined ? {} : { transcript_tokens }) },
    chat: chatPolicy(config),
    spending: {
      per_channel_day_usd: 1e9,
      per_user_day_usd: 1e9,
      per_channel_day_tokens: 1e12,
      channels: {},
      per_user_day_tokens: 1e12,
    },
    newId: randomUUID,
    owner: randomUUID(),
    version: "bench",
    concurrent: turns.concurrent,
    concurrent_commands: turns.concurrent_commands,
    lease_ms: turns.lease_seconds * 1000,
    max_duration_ms: turns.max_duration_seconds * 1000,
    time_zone: "UTC",
    facts: createHostFacts({ env: process.env, config, capabilities: [] }),
    ports: {
      name: config.name,
      instructions: await loadInstructions(),
      effort: undefined,
      saidLine: createSaidLine(),
      models: createModels({ idleTimeoutMs: config.model.idle_seconds * 1000, ...model }, systemClock),
      files,
      web: benchWeb(),
      siteOf,
      means: noMeans,
      rights: {},
      approvals: {},
      scripts: undefined,
      code: undefined,
      documents: noDocuments,
      folders: temporaryFolders(),
      openHosts: [],
      grants: new NetworkGrants(store, () => [], systemClock),
      countTokens: createTokenCounter(),
      environmentOf: () => ({}),
      report: (error, where) => logger.error({ err: error, where }, "Unexpected error"),
    },
  });
}
