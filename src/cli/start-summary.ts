import { howToKeep, retentionLine } from "../app/operations/stored-data.ts";
import type { ApiClient } from "../client/api-client.ts";
import type { RetentionStatus } from "../client/shapes.ts";
import { slackMode } from "../config/incomplete-platforms.ts";
import type { Config } from "../config/schema.ts";
import type { LocalServer } from "../models/local-servers.ts";
import type { Bot } from "./command-context.ts";
import { adviceForOffline, missingFor } from "./doctor/model-advice.ts";

/**
 * What a bot that has just started found, a line each for a person. Never throws: what cannot be found out is left out.
 * @param local where servers of models are looked for when no model is chosen
 */
export async function startSummary(
  config: Config,
  client: Pick<ApiClient, "call">,
  bot: Pick<Bot, "isolation">,
  now: number,
  local: readonly LocalServer[],
): Promise<string[]> {
  const [models, skills, isolation, kept] = await Promise.all([
    modelLines(config, local),
    client.call("skill.list", {}).then(({ skills }) => skillsLine(skills), nothing),
    bot.isolation().then((found) => isolationLine(config, found), nothing),
    client.call("retention.show", {}).then((status) => keptLine(status, now), nothing),
  ]);
  const lines = [...models, platformsLine(config), skills, isolation, kept];
  return lines.filter((line) => line !== undefined);
}

function nothing(): undefined {
  return undefined;
}

async function modelLines(config: Config, local: readonly LocalServer[]): Promise<string[]> {
  const { model } = config;
  if (model.choice === "offline") {
    const [first, ...others] = await adviceForOffline(config, local);
    return [`models: offline, which answers by rules. ${first}`, ...others];
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

function skillsLine(skills: readonly { eligible: boolean; switched_off?: boolean | undefined }[]): string {
  const usable = skills.filter(({ eligible }) => eligible).length;
  const others = usable === skills.length ? "" : "; `knack skills list` says why not the others";
  return `skills: ${skills.length} found, ${usable} can be used here${others}`;
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
  const { allow_weak } = skills.execution;
  const except =
    allow_weak.length === 0 ? "" : ` (but ${allow_weak.join(", ")}, as skills.execution.allow_weak says)`;
  return `cannot run here: code of skills that did not ship with Knack${except}. ${lacks.problem} ${lacks.cure}`;
}
