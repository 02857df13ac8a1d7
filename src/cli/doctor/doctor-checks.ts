import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorText } from "../../base/error-text.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { enginesIn } from "../../config/search-schema.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { ModelFacts } from "../../models/catalogue/model-facts.ts";
import { factsOfModel, type ModelSettings } from "../../models/create-model.ts";
import type { LocalServer } from "../../models/local-servers.ts";
import { embeddingPrice } from "../../models/openai/embedder.ts";
import { transcriptionPrice } from "../../models/openai/transcriber.ts";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import { exposure } from "../../storage/private-files.ts";
import { howToGetOne } from "../../web-search/create-web-search.ts";
import { encyclopaedia } from "../../web-search/engines.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import { sandboxOptions } from "../../wiring/code-runners.ts";
import { openSearch } from "../../wiring/open-work-means.ts";
import { systemClock } from "../../wiring/system-clock.ts";
import { readConfig } from "../bot-connection.ts";
import type { CommandContext, GlobalOptions } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";
import { adviceForOffline } from "./model-advice.ts";

const oldestNode = 24;

export function checkNode(version: string): Finding {
  const name = "node";
  if (Number.parseInt(version, 10) >= oldestNode) return fine(name, version);
  const advice = `Install Node ${oldestNode} or newer from https://nodejs.org.`;
  return failure(name, `${version} is too old`, advice);
}

/** Loads the configuration; one finding per problem if it is invalid. */
export async function checkConfiguration(
  context: CommandContext,
  options: GlobalOptions,
): Promise<{ loaded: LoadedConfig | undefined; findings: Finding[] }> {
  const name = "configuration";
  try {
    const loaded = await readConfig(context, options);
    const set = Object.values(loaded.sources).filter((source) => source !== "default").length;
    const detail = set === 0 ? "all defaults" : `not default: ${set} (\`knack config\` shows them)`;
    return { loaded, findings: [fine(name, detail)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(
      ({ where, key, message, hint = "Correct it, then run `knack doctor` again" }) =>
        failure(name, `${where}: ${key ? `${key}: ` : ""}${message}`, hint),
    );
    return { loaded: undefined, findings };
  }
}

/** Whether the data folder is writable, and whether a bot uses it. */
export async function checkDataFolder(
  { findRunningBot }: CommandContext,
  { data }: Config,
): Promise<{ finding: Finding; usable: boolean; running: boolean }> {
  const name = "data folder";
  const probe = path.join(data.folder, `.probe-${process.pid}`);
  try {
    await mkdir(data.folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
    const found = await findRunningBot(data.folder);
    const holder = found.running
      ? `, in use by the bot ${found.holder ? `(process ${found.holder.pid}) at ${found.holder.url}` : "that is starting"}`
      : "";
    const exposed = await exposure(data.folder);
    return {
      finding:
        exposed === undefined
          ? fine(name, `${data.folder}${holder}`)
          : warning(name, exposed + holder, privateAdvice(data.folder)),
      usable: true,
      running: found.running,
    };
  } catch (error) {
    const detail = `${data.folder} cannot be used: ${errorText(error)}`;
    const advice = "Give this user the right to write there, or name another folder with KNACK_DATA.";
    return { finding: failure(name, detail, advice), usable: false, running: false };
  }
}

function privateAdvice(folder: string): string {
  return `Run \`chmod 700 ${folder}\` as its owner; the bot does so when it starts and may. Or name another folder with KNACK_DATA.`;
}

/**
 * Whether every configured model has the settings it needs.
 * @param names names of the models
 * @param local addresses to search for model servers if no model is configured
 */
export async function checkModelKeys(
  config: Config,
  names: readonly string[],
  local: readonly LocalServer[],
): Promise<Finding[]> {
  const { model } = config;
  const name = "model";
  if (model.choice === "offline") {
    const detail = "offline: skills work by simple rules, without a language model";
    const advice = (await adviceForOffline(config, local)).join(" ");
    return [warning(name, detail, advice)];
  }
  return names.map((choice) => {
    const provider = providerOfModel(choice, model);
    if (provider?.missing !== undefined) {
      const { what, set } = provider.missing;
      const advice = `Set ${set}, or choose another model with KNACK_MODEL.`;
      return failure(name, `${choice} has no ${what}`, advice);
    }
    const access = provider?.section.api_key !== undefined ? "with a key" : "at its own address";
    return fine(name, `${choice}, ${access}`);
  });
}

/** The transcription of voice messages, and whether it can work. */
export function checkTranscription(config: Config): Finding {
  return checkOtherWork(config, "transcription", {
    name: "voice messages",
    without: "off: people are told that they are not transcribed",
    servers: "openai, groq, mistral",
    done(model) {
      const price = transcriptionPrice(modelSettings(config));
      const cost =
        price === undefined
          ? unknownPrice
          : "minute" in price
            ? `$${Number(price.minute.toPrecision(2))} a minute`
            : "priced by the token";
      return `transcribed by ${model}, ${cost}`;
    },
  });
}

/** The generation of pictures, and whether it can work. */
export function checkImages(config: Config): Finding {
  return checkOtherWork(config, "images", {
    name: "pictures",
    without: "off, except diagrams and charts, which need no service",
    servers: "openai, xai",
    done: (model) => `made by ${model}`,
  });
}

/** Semantic search in documents, and whether it can work. */
export function checkEmbeddings(config: Config): Finding {
  return checkOtherWork(config, "embeddings", {
    name: "knowledge",
    without: "semantic search is off: documents are found by their words",
    servers: "openai, gemini, mistral",
    done(model) {
      const price = embeddingPrice(modelSettings(config));
      const cost = price === undefined ? unknownPrice : `$${price.input} a million tokens`;
      return `documents are found by meaning too, with ${model}, ${cost}`;
    },
  });
}

const unknownPrice = "its price is not known, so its cost is not counted";

/** Whether the model for a task other than conversation has the settings it needs. `without` says what happens if it is off. */
function checkOtherWork(
  { model }: Config,
  setting: "transcription" | "images" | "embeddings",
  {
    name,
    without,
    servers,
    done,
  }: { name: string; without: string; servers: string; done(model: string): string },
): Finding {
  const chosen = model[setting];
  if (chosen === "off") {
    const advice = `Set model.${setting} to a model of ${servers} or a server of your own.`;
    return fine(name, `${without}. ${advice}`);
  }
  const missing = providerOfModel(chosen, model)?.missing;
  if (missing === undefined) return fine(name, done(chosen));
  const advice = `Set ${missing.set}, or model.${setting} to another model, or off.`;
  return failure(name, `${chosen} has no ${missing.what}`, advice);
}

/** The engines of web search, and how to get one. */
export function checkSearch(config: Config): Finding {
  const name = "web search";
  const { engines: chosen } = config.search;
  const { engines } = openSearch(config, { own: () => undefined, clock: systemClock });
  if (chosen.length === 0) return fine(name, "switched off (search.engines is [])");
  if (chosen !== "auto" && engines.length < enginesIn(config.search).length) {
    const detail = `${engines.join(", ") || "nothing"}; model is in search.engines, but its provider has no search of its own`;
    return warning(name, detail, `Take it out of search.engines. ${howToGetOne}`);
  }
  if (engines.join() !== encyclopaedia) return fine(name, engines.join(", "));
  return fine(name, `${encyclopaedia} alone, which needs no key. ${howToGetOne}`);
}

/** Whether the server could listen on its address. */
export async function checkPort({ host, port }: Config["server"]): Promise<Finding> {
  const name = "port";
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return fine(name, `${host} port ${port === 0 ? "(any)" : port} is free`);
  } catch (error) {
    const detail = `${host} port ${port}: ${errorText(error)}`;
    const advice = "Stop the program that listens there, or set server.port (or start with --port).";
    return failure(name, detail, advice);
  } finally {
    server.close();
  }
}

/**
 * The isolation of skills' scripts on this machine. Tested in a separate folder, so that a running bot's workspaces stay
 * untouched.
 */
export async function checkSandbox(config: Config): Promise<Finding> {
  const name = "sandbox";
  const folder = await mkdtemp(path.join(tmpdir(), "knack-doctor-"));
  try {
    const sandbox = await createSandbox({ ...sandboxOptions(config), dataDir: folder });
    const { isolation, detail, lacks } = sandbox.describe();
    if (isolation === "bubblewrap") return fine(name, `bubblewrap. ${detail}`);
    const weak = `process only, which is weaker. ${detail}`;
    return lacks === undefined ? { name, status: "warning", detail: weak } : warning(name, weak, lacks.cure);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const dayMs = 86_400_000;

/** Days before the end of a model at which the warning begins. */
const noticeDays = 60;

/**
 * A warning for each model that is about to end or has ended.
 * @param names as the configuration writes them, `provider/model`; `offline` never ends
 * @param now ms since 1970
 */
export function checkModelLifetimes(
  names: readonly string[],
  settings: ModelSettings,
  now: number,
): Finding[] {
  return [...new Set(names)].flatMap((name) => {
    const { retires, successor } = knownFacts(name, settings);
    if (retires === undefined) return [];
    const days = Math.round((Date.parse(retires) - Math.floor(now / dayMs) * dayMs) / dayMs);
    if (days > noticeDays) return [];
    const provider = name.slice(0, name.indexOf("/"));
    const other = successor === undefined ? "another model" : `${provider}/${successor}`;
    const detail = days < 0 ? `${name} ended on ${retires}` : `${name} ends on ${retires}, ${inDays(days)}`;
    return [warning("model", detail, `Use ${other} instead.`)];
  });
}

/** Another check reports models whose provider is not set up. */
function knownFacts(name: string, settings: ModelSettings): ModelFacts {
  try {
    return factsOfModel(name, settings);
  } catch (error) {
    if (error instanceof ModelError) return {};
    throw error;
  }
}

function inDays(days: number): string {
  if (days === 0) return "today";
  return days === 1 ? "tomorrow" : `in ${days} days`;
}
