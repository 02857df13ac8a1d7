import { describeProblem } from "../../config/config-error.ts";
import { type AgentProfile, loadProfiles } from "../../config/load-profiles.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import { type CommandContext, exitCode, printJson, type ResultOptions } from "../command-context.ts";
import { checkDatabase } from "./check-database.ts";
import { checkBot } from "./doctor-bot.ts";
import {
  checkConfiguration,
  checkDataFolder,
  checkEmbeddings,
  checkImages,
  checkModelKeys,
  checkModelLifetimes,
  checkNode,
  checkPort,
  checkSandbox,
  checkSearch,
  checkTranscription,
} from "./doctor-checks.ts";
import { type Finding, failure, printFinding } from "./doctor-finding.ts";
import { checkLiveModels } from "./doctor-live.ts";
import { configuredModels } from "./model-advice.ts";
import { liveDiscordFindings, liveSlackFindings, platformFindings } from "./platform-findings.ts";

export interface DoctorOptions extends ResultOptions {
  live?: true;
}

/** `knack doctor`: checks what the bot needs. Warnings leave it working; errors do not. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const findings: Finding[] = [];
  for await (const finding of examine(context, options)) {
    findings.push(finding);
    if (!options.json) printFinding(context, finding);
  }
  const ok = findings.every((finding) => finding.status !== "error");
  if (options.json) {
    const checks = findings.map((finding) => ({ ...finding, ok: finding.status !== "error" }));
    printJson(context, { ok, checks });
  }
  return ok ? exitCode.ok : exitCode.failed;
}

async function* examine(context: CommandContext, options: DoctorOptions): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  const { loaded, findings } = await checkConfiguration(context, options);
  yield* findings;
  if (loaded === undefined) return;
  const { config, sources } = loaded;
  const folder = await checkDataFolder(context, config);
  yield folder.finding;
  yield* await checkDatabase(context, config);
  const local = sources["model.choice"] === "default" ? context.localServers : [];
  const agents = await loadProfiles(config.model, config.workspace.agents);
  yield* checkAgents(agents);
  const names = configuredModels(config, agents);
  yield* await checkModelKeys(config, names, local);
  yield* checkModelLifetimes(names, modelSettings(config), context.clock.now());
  yield checkTranscription(config);
  yield checkImages(config);
  yield checkEmbeddings(config);
  yield checkSearch(config);
  yield* platformFindings(config);
  if (options.live) {
    const say = (progress: string) => void (options.json || context.stderr.write(`${progress}\n`));
    yield* checkLiveModels(config, names, context.clock, say);
    yield* await liveSlackFindings(config);
    yield* await liveDiscordFindings(config);
  }
  yield await checkSandbox(config);
  if (folder.usable) {
    if (!folder.running) yield await checkPort(config.server);
    yield* checkBot(context, options);
  }
}

function checkAgents(agents: readonly AgentProfile[]): Finding[] {
  return agents.flatMap(({ id, unusable }) => {
    if (unusable === undefined) return [];
    const detail = `the agent ${id} cannot be used: ${describeProblem(unusable)}`;
    return failure("agents", detail, "Correct the file, or remove it.");
  });
}
