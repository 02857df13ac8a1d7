import { ConfigError, describeProblem } from "../config/config-error.ts";
import type { AgentProfile } from "../config/load-profiles.ts";
import type { Config } from "../config/schema.ts";
import { unknownInAgent, unknownRights, unknownSkillSettings } from "../config/settings-without-effect.ts";
import type { Takeover } from "../core/log/turn-log.ts";
import type { Log, Upgrade } from "../core/ports/storage.ts";
import type { CatalogueLoader } from "../core/skill/catalogue.ts";
import { ownToolNames } from "../core/skill/offered-tools.ts";
import { NamedModel } from "../models/named-model.ts";
import type { DataFolderLock } from "../storage/data-folder.ts";
import { modelSettings } from "./app-settings.ts";

/** Settings that close something. A misspelt name would leave open what the operator meant to close. */
const closing: ReadonlySet<string> = new Set(
  ["rights", "approvals", "disabled", "denied", "opt_in"].map((name) => `skills.${name}`),
);

/**
 * Logs agents that cannot be used, and unknown names in the configuration and in agents' files. With `strict`, the bot does not start
 * where a setting that closes something names nothing. Other settings may name a skill that is missing for now. With `strict`, also logs which model does the internal work where that may surprise.
 * @throws ConfigError
 */
export async function warnOfNames(
  config: Config,
  agents: readonly AgentProfile[],
  catalogue: Pick<CatalogueLoader, "current">,
  logger: Log,
  { strict }: { strict: boolean },
): Promise<void> {
  for (const { id, unusable } of agents)
    if (unusable !== undefined)
      logger.error({ agent: id }, `The agent ${id} cannot be used. ${describeProblem(unusable)}`);
  const { skills } = await catalogue.current();
  const all = [...skills.values()];
  const ids = [...skills.keys()];
  const known = {
    skills: ids,
    tools: [...all.flatMap(({ tools }) => tools.map(({ name }) => name)), ...ownToolNames],
    servers: all.flatMap(({ kind, parent, name }) => (kind === "mcp" && parent === undefined ? name : [])),
  };
  const keys = all.flatMap(({ settings }) => settings?.key ?? []);
  const problems = [
    ...unknownSkillSettings(config, ids, keys),
    ...unknownRights(config, known),
    ...agents.flatMap((agent) => unknownInAgent(agent, known)),
  ];
  const refused = problems.filter(({ key }) => closing.has(key));
  if (strict && refused.length > 0) throw new ConfigError(refused);
  for (const problem of problems) logger.warn({ setting: problem.key }, describeProblem(problem));
  if (strict) tellOfInternalWork(config, logger);
}

/** Logs the databases that were upgraded to the format of this version. */
export function tellOfUpgrades(upgrades: readonly Upgrade[], logger: Log): void {
  for (const { path, from, to, copy } of upgrades)
    logger.info(
      { from, to },
      `${path} was upgraded to the format of this version. ${copy} keeps its previous state for 14 days, or until the data of a person is deleted.`,
    );
}

/** Warns of a data folder that other users of this machine can read. */
export function tellOfExposure({ exposed }: Pick<DataFolderLock, "exposed">, logger: Log): void {
  if (exposed === undefined) return;
  logger.warn({}, `${exposed}. Run \`chmod 700\` as its owner, or name another folder with KNACK_DATA.`);
}

/** Tells that the chosen model does the internal work because its server is a gateway, whose small model is not configured. */
export function tellOfInternalWork(config: Config, logger: Log): void {
  const { choice, small } = config.model;
  const isAuto = small === "auto" && choice !== "offline";
  const usual = isAuto ? new NamedModel(choice, modelSettings(config)).smallBehindGateway : undefined;
  if (usual === undefined) return;
  logger.info(
    { setting: "model.small" },
    `${choice} also does the internal work, such as summaries: which models its server has is unknown. Set KNACK_MODEL_SMALL to a small one, e.g. ${usual}, or to off.`,
  );
}

/** Logs how the previous process ended, and what happens to the turns that ran in it. */
export function tellOfCrash({ crashed, interrupted, suspects }: Takeover, logger: Log): void {
  if (suspects === 0 && (!crashed || interrupted === 0)) return;
  const what = crashed ? "The bot had crashed" : "The bot had crashed before it was stopped";
  const rest =
    suspects === 0
      ? "interrupted turns resume"
      : "it crashes repeatedly, so interrupted turns resume a few at a time until each has run for a while";
  logger.warn({ interrupted, suspects }, `${what}; ${rest}`);
}
