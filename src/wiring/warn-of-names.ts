import { describeProblem } from "../config/config-error.ts";
import type { AgentProfile } from "../config/load-profiles.ts";
import type { Config } from "../config/schema.ts";
import { unknownInAgent, unknownRights, unknownSkillSettings } from "../config/settings-without-effect.ts";
import type { CatalogueLoader } from "../core/catalogue.ts";
import { ownToolNames } from "../core/offered-tools.ts";

interface Warns {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Tells of agents that cannot be used, and of names in the configuration and in agents' files that stand for nothing. Such settings wait for
 * the return of their skill, and keep nobody from starting the bot.
 */
export async function warnOfNames(
  config: Config,
  agents: readonly AgentProfile[],
  catalogue: Pick<CatalogueLoader, "current">,
  logger: Warns,
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
  for (const problem of problems) logger.warn({ setting: problem.key }, describeProblem(problem));
}
