import { howToKeep, retentionLine } from "../app/operations/stored-data.ts";
import type { RetentionStatus } from "../client/shapes.ts";
import { ConfigError } from "../config/config-error.ts";
import { incompletePlatforms, slackMode, unprotectedServer } from "../config/incomplete-platforms.ts";
import type { Config } from "../config/schema.ts";
import type { LocalServer } from "../models/local-servers.ts";
import { clientOf, readConfig } from "./bot-connection.ts";
import {
  type Bot,
  type CommandContext,
  CommandError,
  exitCode,
  type GlobalOptions,
} from "./command-context.ts";
import { adviceForOffline, missingFor } from "./doctor/model-advice.ts";

type Role = "all" | "gateway" | "worker";

/**
 * `knack start`: runs the bot until SIGINT or SIGTERM, then lets running turns finish. A second signal ends it at once. Prints
 * its address when it is ready, then a summary.
 */
export async function start(
  context: CommandContext,
  options: GlobalOptions & { host?: string; port?: number; role?: Role; acceptEmptyLog?: true },
): Promise<number> {
  const address = { "server.host": options.host, "server.port": options.port };
  const { config, sources } = await readConfig(context, options, address);
  const problems = [...incompletePlatforms(config), ...unprotectedServer(config)];
  if (problems.length > 0) throw new ConfigError(problems);
  const { role = "all", acceptEmptyLog } = options;
  if (role !== "all" && config.data.database_url === undefined)
    throw new CommandError(
      `A ${role} works with other processes on a PostgreSQL database. Set DATABASE_URL, or start without --role.`,
      exitCode.usage,
    );
  const found = await context.findRunningBot(config.data.folder);
  if (found.running && found.holder !== undefined) {
    const { url, pid } = found.holder;
    throw new CommandError(
      `A bot (process ${pid}) already runs on ${config.data.folder} at ${url}. Stop it first, or give this one its own folder with KNACK_DATA.`,
    );
  }
  const stop = waitForStop(context);
  const bot = await openUnlessStuck(context.openBot(config, { role, acceptEmptyLog }), stop, context);
  try {
    const { url } = await bot.listen();
    const part = role === "all" ? "" : ` as a ${role}`;
    context.out.line(`${config.name} is ready${part}: ${url}`);
    // No suggestions if the offline provider was chosen on purpose.
    const local = sources["model.choice"] === "default" ? context.localServers : [];
    const summary = startSummary(context, config, role, bot, local);
    const print = (line: string) => context.out.line(`  ${line}`);
    await Promise.race([summary.then((lines) => lines.map(print)), stop]);
    await stop;
  } finally {
    await bot.close();
  }
  return exitCode.ok;
}

/** Maximum time for an interrupted start to end, ms: a folder on a failing disk would block it forever. */
const interruptedStartMs = 10_000;

function openUnlessStuck(opening: Promise<Bot>, stop: Promise<void>, context: CommandContext): Promise<Bot> {
  const { clock, exitAtOnce } = context;
  const opened = new AbortController();
  const late = stop.then(() => clock.sleep(interruptedStartMs, opened.signal));
  void late.then(() => exitAtOnce(exitCode.stopped), nothing);
  return opening.finally(() => opened.abort());
}

/**
 * Minimum time between two signals, ms. npm forwards a signal within milliseconds, although a terminal or service manager sends
 * it to both processes. A person needs longer to press Ctrl-C again.
 */
const npmRepeatMs = 500;

/**
 * Resolves at the first signal. Listens until the process ends, since a signal that npm forwards during the shutdown would kill
 * it.
 */
function waitForStop({ onSignal, out, exitAtOnce, env, clock }: CommandContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const repeatMs = env.npm_lifecycle_event === undefined ? 0 : npmRepeatMs;
  let askedAt: number | undefined;
  onSignal(["SIGINT", "SIGTERM"], () => {
    if (askedAt !== undefined) {
      if (clock.now() - askedAt >= repeatMs) exitAtOnce(exitCode.stopped);
      return;
    }
    askedAt = clock.now();
    out.note(
      "Stopping after the running turns. Press Ctrl-C again to stop at once; the turns then continue at the next start.",
    );
    resolve();
  });
  return promise;
}

/**
 * The summary of a bot that has just started, as lines for a person. Never throws: facts that cannot be determined are left
 * out.
 * @param local addresses to search for model servers if no model is chosen
 */
async function startSummary(
  { clock }: CommandContext,
  config: Config,
  role: Role,
  bot: Bot,
  local: readonly LocalServer[],
): Promise<string[]> {
  const client = clientOf(bot, config);
  const [models, skills, isolation, kept] = await Promise.all([
    modelLines(config, local),
    client.call("skill.list", {}).then(({ skills }) => skillsLine(skills, role), nothing),
    bot.isolation().then((found) => isolationLine(config, found), nothing),
    client.call("retention.show", {}).then((status) => keptLine(status, clock.now()), nothing),
  ]);
  const lines = [...models, platformsLine(config), databaseLine(config), skills, isolation, kept];
  return lines.filter((line) => line !== undefined);
}

function nothing(): undefined {
  return undefined;
}

async function modelLines(config: Config, local: readonly LocalServer[]): Promise<string[]> {
  const { model } = config;
  if (model.choice === "offline") {
    const [first, ...others] = await adviceForOffline(config, local);
    return [
      `models: offline, which knows commands, skills by their name and their examples only. ${first}`,
      ...others,
    ];
  }
  const names = [model.choice, ...model.failover].map((name) => {
    const missing = missingFor(name, config);
    return missing === undefined ? name : `${name} (${missing})`;
  });
  return [`models: ${names.join(", then ")}`];
}

function platformsLine(config: Config): string {
  const slack = slackMode(config) === undefined ? [] : ["Slack"];
  const discord = config.discord.token === undefined ? [] : ["Discord"];
  return `platforms: ${["console", ...slack, ...discord].join(", ")}`;
}

/** Where the data is, if it is in a database. Without user and password. */
function databaseLine({ data }: Config): string | undefined {
  const address = data.database_url === undefined ? null : URL.parse(data.database_url);
  if (address === null) return undefined;
  const name = address.pathname.slice(1) || "the default database";
  return `data: PostgreSQL, ${name} on ${address.host || "this machine"}; working folders and skills in ${data.folder}`;
}

function skillsLine(skills: readonly { id: string; eligible: boolean }[], role: Role): string {
  const without = skills.filter(({ eligible }) => !eligible).map(({ id }) => id);
  const usable = `${skills.length} found, ${skills.length - without.length} can be used here`;
  if (without.length === 0) return `skills: ${usable}`;
  const others = role === "worker" ? `turns here do without ${without.join(", ")}` : "";
  return `skills: ${usable}; ${[others, "`knack skills list` says why not the others"].filter(Boolean).join("; ")}`;
}

function keptLine(status: RetentionStatus, now: number): string {
  const isComing = status.from !== undefined && status.from > now;
  return `kept: ${retentionLine(status, now)}${isComing ? `. ${howToKeep}` : ""}`;
}

function isolationLine(
  { skills }: Config,
  { lacks }: Awaited<ReturnType<Bot["isolation"]>>,
): string | undefined {
  if (lacks === undefined) return undefined;
  const weak = skills.execution.allow_weak.join(", ");
  const except = weak && ` (but ${weak}, as skills.execution.allow_weak says)`;
  return `cannot run here: code of skills that did not ship with Knack${except}. ${lacks.problem} ${lacks.cure}`;
}
