import { describeProblem } from "../../config/config-error.ts";
import { type AgentProfile, loadProfiles } from "../../config/load-profiles.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import { type CommandContext, exitCode, type ResultOptions } from "../command-context.ts";
import { checkBot } from "./check-bot.ts";
import { checkDatabase } from "./check-database.ts";
import { checkLiveModels } from "./check-live.ts";
import { checkConfiguration, checkDataFolder, checkSandbox } from "./check-machine.ts";
import { checkModelKeys, checkModelLifetimes, checkOtherWork, checkSearch } from "./check-models.ts";
import { liveDiscordFindings, liveSlackFindings, platformFindings } from "./check-platforms.ts";
import { type Finding, failure, findingsByReason, fine, printFinding } from "./doctor-finding.ts";
import { configuredModels } from "./model-advice.ts";

/** `knack doctor`: checks what the bot needs. Warnings leave it working; errors do not. */
export async function doctor(
  context: CommandContext,
  options: ResultOptions & { live?: true },
): Promise<number> {
  const checks: (Finding & { ok: boolean })[] = [];
  for await (const finding of examine(context, options)) {
    checks.push({ ...finding, ok: finding.status !== "error" });
    if (!options.json) printFinding(context, finding);
  }
  const ok = checks.every((check) => check.ok);
  if (options.json) context.out.json({ ok, checks });
  return ok ? exitCode.ok : exitCode.failed;
}

async function* examine(
  context: CommandContext,
  options: ResultOptions & { live?: true },
): AsyncGenerator<Finding> {
  yield fine("node", process.versions.node);
  const { loaded, findings } = await checkConfiguration(context, options);
  yield* findings;
  if (loaded === undefined) return;
  const { config, sources } = loaded;
  const folder = await checkDataFolder(context, config);
  yield folder.finding;
  yield* await checkDatabase(context.clock, config);
  const agents = await loadProfiles(config.model, config.workspace.agents);
  yield* checkAgents(agents);
  const names = configuredModels(config, agents);
  const local = sources["model.choice"] === "default" ? context.localServers : [];
  yield* await checkModelKeys(config, names, local);
  yield* checkModelLifetimes(names, modelSettings(config), context.clock.now());
  yield* checkOtherWork(config);
  yield checkSearch(config);
  yield* platformFindings(config);
  if (options.live) {
    const say = (progress: string) => void (options.json || context.out.note(progress));
    yield* checkLiveModels(config, names, context.clock, say);
    yield* await liveSlackFindings(config);
    yield* await liveDiscordFindings(config);
  }
  yield await checkSandbox(config);
  if (!folder.usable) return;
  yield* checkBot(context, options);
}

function checkAgents(agents: readonly AgentProfile[]): Finding[] {
  const found = agents.flatMap(({ id, unusable }) =>
    unusable === undefined ? [] : [{ place: id, reason: describeProblem(unusable) }],
  );
  return findingsByReason(found, (detail) =>
    failure("agents", `cannot be used: ${detail}`, "Correct the file, or remove it."),
  );
}
