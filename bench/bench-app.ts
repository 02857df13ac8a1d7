import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createApp, type RunningApp } from "../src/app/create-app.ts";
import { systemClock } from "../src/app/system-clock.ts";
import { loadProfiles } from "../src/config/load-profiles.ts";
import { configSchema } from "../src/config/schema.ts";
import { createCatalogueLoader } from "../src/core/catalogue.ts";
import type { Author } from "../src/core/inbound.ts";
import type { KeyValue } from "../src/core/key-value.ts";
import { createMetaTools } from "../src/core/meta-tools/create-meta-tools.ts";
import { createNetworkGrants } from "../src/core/network-grants.ts";
import { createRedactor } from "../src/core/redact.ts";
import type { SkillSource } from "../src/core/skill.ts";
import type { TurnLog } from "../src/core/turn-log.ts";
import { countTokens } from "../src/models/count-tokens.ts";
import { createModel } from "../src/models/create-model.ts";
import { createWeb } from "../src/net/create-web.ts";
import { createMiniSearchIndex } from "../src/search/minisearch-index.ts";
import { createFolderSource } from "../src/skills/folder-source.ts";
import { createHostFacts } from "../src/skills/host-facts.ts";
import { createMemoryFileStore } from "../src/storage/memory-file-store.ts";
import { createLogger } from "../src/telemetry/logger.ts";
import { chatPolicy, turnLimits } from "../src/wiring/app-settings.ts";

/** Who asks, and where. */
export const asker: Author = { id: "bench", name: "Bench", trust: "operator" };
export const namespace = "console:local:bench";

/** The folder of the skill with ten tools. */
export const lookupFolder = path.resolve(
  fileURLToPath(new URL("./skills/lookup/skill.ts", import.meta.url)),
  "../..",
);

export interface BenchAppOptions {
  baseUrl: string;
  log: TurnLog;
  store: KeyValue;
  /** Folders of skills; in ours alone code is imported. */
  skills: readonly string[];
  /** Further sources. */
  sources?: readonly SkillSource[];
  history_tokens?: number;
}

/** The whole app, wired as in main.ts with the configuration's defaults, on any log and store. Nothing is spent too much. */
export async function createBenchApp({
  baseUrl,
  log,
  store,
  skills,
  sources: more = [],
  history_tokens,
}: BenchAppOptions): Promise<RunningApp> {
  const config = configSchema.parse({});
  const { turns, prompt, net } = config;
  const redact = createRedactor(["bench-key"]);
  const logger = createLogger("warn", redact);
  const sources = skills.map((root, at) =>
    createFolderSource({ source: `bench-${at}`, precedence: at, root, importModules: root === lookupFolder }),
  );
  const model = {
    choice: "openai/bench",
    providers: { openai: { kind: "openai" as const, apiKey: "bench-key", baseUrl } },
    idleTimeoutMs: config.model.idle_seconds * 1000,
  };
  return createApp({
    log,
    store,
    logger,
    redact,
    clock: systemClock,
    catalogue: createCatalogueLoader([...sources, ...more], createMiniSearchIndex),
    metaTools: createMetaTools(),
    profiles: await loadProfiles(),
    limits: turnLimits(config),
    chat: chatPolicy(config),
    spending: {
      per_channel_day_usd: 1e9,
      per_user_day_usd: 1e9,
      per_channel_day_tokens: 1e12,
      per_user_day_tokens: 1e12,
    },
    newId: randomUUID,
    owner: randomUUID(),
    concurrent: turns.concurrent,
    lease_ms: turns.lease_seconds * 1000,
    max_duration_ms: turns.max_duration_seconds * 1000,
    history_tokens: history_tokens ?? prompt.history_tokens,
    time_zone: "UTC",
    facts: createHostFacts({ env: process.env, config, capabilities: [] }),
    ports: {
      name: config.name,
      model: createModel(model, systemClock),
      store,
      files: createMemoryFileStore(),
      web: createWeb({
        allow: net.allow,
        timeoutMs: net.timeout_seconds * 1000,
        maxBytes: net.max_bytes,
        maxRedirects: net.max_redirects,
      }),
      scripts: undefined,
      grants: createNetworkGrants(store, () => [], systemClock),
      clock: systemClock,
      countTokens,
      environmentOf: () => ({}),
      report: (error, where) => logger.error({ err: error, where }, "Unexpected error"),
    },
  });
}
