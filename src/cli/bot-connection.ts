import { operationRoutes } from "../app/operations/table.ts";
import { errorCode } from "../base/error-text.ts";
import { type ApiClient, createApiClient } from "../client/api-client.ts";
import { ApiError } from "../client/api-error.ts";
import type { Reach } from "../client/request.ts";
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from "../config/load-config.ts";
import type { Config } from "../config/schema.ts";
import {
  type Bot,
  type CommandContext,
  CommandError,
  type CommandProcess,
  exitCode,
  type GlobalOptions,
  type ResultOptions,
} from "./command-context.ts";

/** A connection to the HTTP API of the bot that has this data folder. Close it when done. */
export interface Connection {
  client: ApiClient;
  config: Config;
  /** Address of the running bot; undefined if the bot was opened in this process. */
  remote: string | undefined;
  close(): Promise<void>;
}

/** The bot to connect to. */
interface WantedBot extends GlobalOptions {
  /** Log level of a bot in this process, unless configured; `warn` by default. */
  logLevel?: Config["log"]["level"] | undefined;
  /** Waits until the skills of a bot in this process have started. */
  settled?: true | undefined;
  /** Maximum time that a turn in this process waits for an unavailable model, minutes; as configured by default. */
  maxAwayMinutes?: number;
}

/** Maximum wait for another command that uses the data folder, ms. */
const maxWaitMs = 30_000;
const pauseMs = 100;

/** The configuration as a command sees it. @throws ConfigError */
export function readConfig(
  { env, cwd }: CommandProcess,
  { config: file }: GlobalOptions,
  options: LoadConfigOptions["options"] = {},
): Promise<LoadedConfig> {
  return loadConfig({ file, env, cwd, options });
}

/**
 * Connects to the bot that runs on the data folder, or opens one in this process that does not listen. Waits while another
 * command uses the folder.
 * @throws ConfigError, CommandError, and the errors of opening a bot
 */
async function connect(context: CommandProcess, options: WantedBot): Promise<Connection> {
  const { config, sources } = await readConfig(context, options);
  const level = sources["log.level"] === "default" ? (options.logLevel ?? "warn") : config.log.level;
  const { maxAwayMinutes = Number.POSITIVE_INFINITY } = options;
  const away_minutes = Math.min(config.model.away_minutes, maxAwayMinutes);
  const here = { ...config, log: { level }, model: { ...config.model, away_minutes } };
  const deadline = context.clock.now() + maxWaitMs;
  for (;;) {
    const connection = await tryConnect(here, context, options.settled === true);
    if (connection !== undefined) return connection;
    if (context.clock.now() >= deadline)
      throw new CommandError(
        `Another knack command has been using ${config.data.folder} for half a minute. Nothing was done. Wait until it ends, or start the bot with \`knack start\`, which commands then share.`,
      );
    await context.clock.sleep(pauseMs);
  }
}

/** Undefined while another command has the data folder, even if that command started after the check. */
async function tryConnect(
  config: Config,
  context: CommandProcess,
  settled: boolean,
): Promise<Connection | undefined> {
  const found = await context.findRunningBot(config.data.folder);
  if (found.running) {
    const remote = found.holder?.url;
    if (remote === undefined) return undefined;
    return { client: clientAt(remote, fetch, config), config, remote, close: async () => undefined };
  }
  try {
    const bot = await context.openBot(config);
    if (settled) await bot.settled();
    return { client: clientOf(bot, config), config, remote: undefined, close: () => bot.close() };
  } catch (error) {
    if (errorCode(error) === "data_folder_in_use") return undefined;
    throw error;
  }
}

/** A client of a bot in this process, without a network. */
export function clientOf(bot: Pick<Bot, "fetch">, config: Config): ApiClient {
  return clientAt("http://127.0.0.1", (url, init) => bot.fetch(new Request(url, init)), config);
}

function clientAt(baseUrl: string, reach: Reach, { server }: Config): ApiClient {
  return createApiClient({ fetch: reach, baseUrl, token: server.token, routes: operationRoutes });
}

/** Runs `work` with a connection, and closes the connection in any case. */
export async function withConnection<T>(
  context: CommandProcess,
  options: WantedBot,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Keeps the process running during pauses between retries, when nothing else does.
  const running = setInterval(() => {}, 60_000);
  try {
    const connection = await connect(context, options);
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  } finally {
    clearInterval(running);
  }
}

/**
 * Runs `work` with a connection. A refusal of the bot is written to stderr, and as `{error, code}` with `--json`; the exit code
 * is then 1.
 * @throws all other errors: no answer, an error inside the bot, and a CommandError of `work`, which `--json` also prints
 */
export async function reportRefusals(
  context: CommandContext,
  options: WantedBot & ResultOptions,
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  return withConnection(context, options, async (connection) => {
    try {
      return await work(connection);
    } catch (error) {
      const isRefusal = error instanceof ApiError && error.isRefusal && error.status !== 401;
      if (options.json && (isRefusal || error instanceof CommandError))
        context.out.json({ error: error.message, code: error.code });
      if (!isRefusal) throw error;
      context.out.note(error.detail);
      return exitCode.failed;
    }
  });
}
