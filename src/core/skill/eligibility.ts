import { isInstalled, type Mean, type Skill } from "./skill.ts";

/** The machine's and the operator's settings for skills. All data is in memory, so access is cheap. */
export interface HostFacts {
  /** As in Node: `linux`, `darwin`, `win32`. */
  readonly os: string;
  /** Whether a program is on the PATH. */
  hasBin(name: string): boolean;
  /** Whether a variable is set and not empty, in the bot's environment or for this skill only. */
  hasEnv(name: string, skill: SettingsOwner): boolean;
  /** Whether a dotted path of the configuration is set and not off. */
  hasConfig(path: string): boolean;
  readonly capabilities: readonly string[];
  /** Ids of allowed skills; `*` allows all. */
  readonly allowed: readonly string[];
  /** Ids of denied skills, whatever `allowed` contains. */
  readonly denied: readonly string[];
  /** Ids of shipped skills that the operator switched off. */
  readonly disabled: readonly string[];
  /** Ids that the agent may use only where a person enabled them; `*` means all. */
  readonly optIn: readonly string[];
}

/** The names of a skill in the operator's settings. */
export type SettingsOwner = Pick<Skill, "id" | "parent" | "settings">;

/** A channel's rules for skills. A skill's name includes its parts. */
export interface ChannelFacts {
  readonly blocked?: readonly string[] | undefined;
  /** If given, only these skills exist in the channel. */
  readonly allowed?: readonly string[] | undefined;
  /** What turns of the channel lack; nothing by default. */
  readonly lacking?: readonly Mean[] | undefined;
  /** Whether a skill is in the catalogue. */
  readonly hasSkill?: ((id: string) => boolean) | undefined;
  /** Whether a skill that was made in the chat is in the channel (`isTaughtTo`). */
  readonly taughtTo?: ((skill: Skill) => "yes" | "changed" | "offered" | "no") | undefined;
}

/**
 * Why a skill cannot be used, one sentence for each reason, for people; empty if it can. The order is fixed: switched off, permission,
 * channel, parent, requirements missing on this machine, a model or service, problems of its own set-up.
 */
export function eligibility(skill: Skill, host: HostFacts, channel: ChannelFacts = {}): string[] {
  return [
    ...switchedOff(skill, host),
    ...refusedByChannel(skill, channel),
    ...notTaken(skill, channel),
    ...missingParent(skill, channel),
    ...missingOnHost(skill, host),
    ...missingCapabilities(skill, host),
    ...missingMeans(skill, channel),
    ...(skill.problems ?? []),
  ];
}

/** Whether a person has to enable the skill before the agent may use it. Always true for installed skills. */
export function needsEnabling(skill: Skill, host: HostFacts): boolean {
  return isInstalled(skill) || isNamed(skill, host.optIn);
}

/** Whether the skill was deliberately switched off, in its file or in the configuration, so that nothing is wrong with it. */
export function isSwitchedOff(skill: Skill, host: HostFacts): boolean {
  return switchedOff(skill, host).length > 0;
}

function namesOf(skill: Skill): string[] {
  return skill.parent === undefined ? [skill.id] : [skill.id, skill.parent];
}

function isNamed(skill: Skill, ids: readonly string[]): boolean {
  return ids.includes("*") || namesOf(skill).some((id) => ids.includes(id));
}

function switchedOff(skill: Skill, host: HostFacts): string[] {
  const reasons: string[] = [];
  if (!skill.enabled) {
    const why = { flow: "active: false", imported: "active is not true" }[skill.kind as string];
    reasons.push(`It is switched off in its own file (${why ?? "enabled: false"} in ${skill.origin.path}).`);
  }
  if (isNamed(skill, host.disabled) || host.disabled.includes(skill.settings?.key ?? "*")) {
    reasons.push("The operator switched it off (skills.disabled in the configuration).");
  }
  if (isNamed(skill, host.denied))
    reasons.push("The operator denied it (skills.denied in the configuration).");
  if (!isNamed(skill, host.allowed)) {
    reasons.push("It is not among the skills the operator allows (skills.allowed in the configuration).");
  }
  return reasons;
}

function refusedByChannel(skill: Skill, channel: ChannelFacts): string[] {
  const reasons: string[] = [];
  if (isNamed(skill, channel.blocked ?? [])) {
    reasons.push(`It is disabled in this channel; /skill reset ${skill.id} makes it available again.`);
  }
  if (channel.allowed !== undefined && !isNamed(skill, channel.allowed)) {
    reasons.push("It is not on this channel's list of allowed skills.");
  }
  return reasons;
}

function notTaken(skill: Skill, { taughtTo }: ChannelFacts): string[] {
  const has = taughtTo?.(skill) ?? "yes";
  const take = `A manager reads it (/skill history ${skill.id}) and takes it (/skill take ${skill.id}).`;
  if (has === "changed") return [`The channel that made it has changed it since it was taken here. ${take}`];
  return has === "offered" ? [`Another channel offers it. ${take}`] : [];
}

function missingParent(skill: Skill, channel: ChannelFacts): string[] {
  if (skill.parent === undefined || channel.hasSkill?.(skill.parent) !== false) return [];
  return [`The skill it is a part of, ${skill.parent}, is not there.`];
}

function missingOnHost(skill: Skill, host: HostFacts): string[] {
  const { os, bins, anyBins, env, config, always = false } = skill.requires;
  const reasons: string[] = [];
  if (os.length > 0 && !os.includes(host.os)) {
    reasons.push(`It works on ${os.join(", ")} only; this machine runs ${host.os}.`);
  }
  if (always) return reasons;
  for (const bin of bins.filter((name) => !host.hasBin(name))) {
    const hint = installHint(skill, host, [bin]);
    reasons.push(`The program ${bin} is not on the PATH; install it on the machine the bot runs on${hint}.`);
  }
  if (anyBins.length > 0 && !anyBins.some((name) => host.hasBin(name))) {
    const hint = installHint(skill, host, anyBins);
    reasons.push(`None of the programs ${anyBins.join(", ")} is on the PATH; install one of them${hint}.`);
  }
  for (const name of env.filter((variable) => !host.hasEnv(variable, skill))) {
    reasons.push(
      `The variable ${name} is not set; set it in the bot's environment or under skills.env in the configuration.`,
    );
  }
  for (const path of config.filter((setting) => !host.hasConfig(setting))) {
    reasons.push(`The setting ${path} is missing or off in the configuration.`);
  }
  return reasons;
}

/** ` (brew install ffmpeg)`: the skill's own instructions for installing its programs, for this system if they differ by system. */
function installHint(
  { requires: { install = [] } }: Skill,
  host: HostFacts,
  bins: readonly string[],
): string {
  const here = install.filter(({ os }) => os.length === 0 || os.includes(host.os));
  const fitting = here.filter((each) => each.bins.some((bin) => bins.includes(bin)));
  const unsaid = here.filter((each) => each.bins.length === 0);
  const commands = [...new Set([...fitting, ...unsaid].map(({ command }) => command))].slice(0, 3);
  return commands.length === 0 ? "" : ` (${commands.join(", or ")})`;
}

function missingCapabilities(skill: Skill, host: HostFacts): string[] {
  const missing = skill.required_capabilities.filter((name) => !host.capabilities.includes(name));
  if (missing.length === 0) return [];
  return [
    `The agent lacks ${missing.length === 1 ? "the capability" : "the capabilities"} ${missing.join(", ")}; an operator can name it in skills.capabilities in the configuration.`,
  ];
}

function missingMeans({ requires: { means = [] } }: Skill, { lacking = [] }: ChannelFacts): string[] {
  return means.filter((mean) => lacking.includes(mean)).map((mean) => withoutMean[mean]);
}

const withoutMean: Readonly<Record<Mean, string>> = {
  model:
    "It needs a language model, and none is set up. An operator sets a key, such as ANTHROPIC_API_KEY, and restarts the bot.",
  images:
    "It needs a service that generates images, and none is set up. An operator sets OPENAI_API_KEY, XAI_API_KEY or model.images.",
  search:
    "It needs an engine that searches the web, and none is set up. An operator sets search.engines, or a key such as TAVILY_API_KEY.",
  code: "It needs a sandbox that runs code, and there is none. Whoever runs the bot sees why with `knack doctor`.",
  teaching: "This bot keeps no skills that are made in the chat.",
  messages: "It needs the messages of a channel, and the bot cannot read them here.",
  people: "It needs other people, and in this chat a person is alone with the bot.",
  posting: "It needs a chat platform, whose messages the bot can post and change; this chat is on none.",
};
