import { nearestName } from "../base/text/nearest-name.ts";
import type { ConfigProblem } from "./config-error.ts";
import { type Layer, setter, valueAt } from "./layer.ts";
import type { AgentProfile } from "./load-profiles.ts";
import { modelProviders, providerNameOf, providerOfModel } from "./model-providers.ts";
import { providerPath } from "./provider-presets.ts";
import type { Config } from "./schema.ts";

type Finding = { path: readonly PropertyKey[]; message: string; hint: string };

/**
 * Deliberate settings that have no effect together with the others. Variables of the environment do not count, because a key may be
 * set for other programs.
 */
export function settingsWithoutEffect(config: Config, layers: readonly Layer[]): ConfigProblem[] {
  const written = (path: readonly PropertyKey[]) => {
    const layer = setter(layers, path);
    if (layer?.deliberate !== true) return false;
    return JSON.stringify(valueAt(layer.values, path)) !== JSON.stringify(valueAt(layers[0]?.values, path));
  };
  const findings = [...modelFindings(config), ...skillFindings(config), ...accessFindings(config)];
  return findings.flatMap(({ path, message, hint }) => {
    if (!written(path)) return [];
    const where = setter(layers, path)?.source(path) ?? "configuration";
    return [{ where, key: path.join("."), message: `has no effect: ${message}`, hint }];
  });
}

function modelFindings({ model }: Config): Finding[] {
  const used = [model.choice, ...model.failover];
  const findings: Finding[] = model.failover.flatMap((name, index) => {
    const path = ["model", "failover", index];
    if (used.indexOf(name) <= index)
      return [{ path, message: `${name} was tried before`, hint: "Remove it" }];
    if (model.choice === "offline") {
      return [{ path, message: "no model is configured", hint: "Set model.choice, or a key" }];
    }
    const missing = providerOfModel(name, model)?.missing;
    if (missing === undefined) return [];
    const message = `there is no ${missing.what} for ${providerNameOf(name)}`;
    return [{ path, message, hint: `Set ${missing.set}` }];
  });
  const named = [...used, model.small, model.transcription, model.images, model.embeddings];
  for (const { name, section } of modelProviders(model).values()) {
    if (named.some((each) => each.startsWith(`${name}/`))) continue;
    if (model.choice !== "offline" && mayBeChosen(name, model.allowed)) continue;
    const message = `neither model.choice (${model.choice}) nor model.failover names a model of ${name}`;
    for (const member of Object.keys(section).filter((each) => each !== "api")) {
      const path = [...providerPath(name), member];
      findings.push({ path, message, hint: "Remove it, or choose such a model" });
    }
  }
  const idle = model.streaming ? ["timeout_seconds"] : ["idle_seconds", "first_answer_seconds"];
  const hint = `Set model.${model.streaming ? "idle_seconds" : "timeout_seconds"} instead`;
  const message = `model.streaming is ${model.streaming}`;
  return [...findings, ...idle.map((name) => ({ path: ["model", name], message, hint }))];
}

/** Whether people may choose a model of this provider. */
function mayBeChosen(provider: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => pattern === "*" || providerNameOf(pattern) === provider);
}

function skillFindings({ skills }: Config): Finding[] {
  const within = (
    list: "allowed" | "denied" | "disabled" | "opt_in",
    others: readonly string[],
    message: string,
  ) =>
    skills[list].flatMap((id, index): Finding[] =>
      others.includes(id)
        ? [{ path: ["skills", list, index], message: `${id} ${message}`, hint: "Remove it" }]
        : [],
    );
  const named = skills.allowed.filter((id) => id !== "*");
  const findings = [
    ...within("allowed", skills.denied, "is in skills.denied, which wins"),
    ...(skills.allowed.includes("*") ? within("allowed", named, "is allowed by * already") : []),
    ...within("disabled", skills.denied, "is in skills.denied already"),
    ...within("opt_in", [...skills.denied, ...skills.disabled], "is switched off altogether"),
  ];
  if (!skills.auto_discover) {
    const message = "skills.auto_discover is false, so people enable every skill";
    findings.push({ path: ["skills", "opt_in"], message, hint: "Remove it" });
  }
  for (const key of ["env", "network"] as const) {
    for (const id of Object.keys(skills[key])) {
      if (!skills.denied.includes(id)) continue;
      const path = ["skills", key, id];
      findings.push({ path, message: `${id} is in skills.denied`, hint: "Remove one of the two" });
    }
  }
  return findings;
}

function accessFindings({ access, slack }: Config): Finding[] {
  const beside = (list: "users" | "channels" | "workspaces") =>
    access[list].flatMap((id, index): Finding[] => {
      if (id === "*" || !access[list].includes("*")) return [];
      const message = `${id} is allowed by * already`;
      return [{ path: ["access", list, index], message, hint: 'Remove it, or "*"' }];
    });
  const findings = [...beside("workspaces"), ...beside("users"), ...beside("channels")];
  if (access.users.includes("*")) {
    const message = "access.users lets everybody in";
    findings.push({ path: ["access", "roles"], message, hint: 'Remove "*" from access.users' });
  }
  if (slack.client_id === undefined && slack.app_token !== undefined) {
    const message = "with an app token Slack is reached over a socket";
    findings.push({ path: ["slack", "signing_secret"], message, hint: "Remove one of the two" });
  }
  return findings;
}

const keyedByName = ["skills.env", "skills.disabled"];

/** The names that rights and denials may use. */
export interface Callables {
  skills: readonly string[];
  tools: readonly string[];
  servers: readonly string[];
}

/** Names in `skills.rights` and `skills.approvals` that protect nothing: a misspelt name would give everyone access. */
export function unknownRights({ skills }: Config, known: Callables): ConfigProblem[] {
  return (["rights", "approvals"] as const).flatMap((setting) => {
    const place = { where: "configuration", key: `skills.${setting}` };
    return unknownNames(Object.keys(skills[setting]), known, { ...place, message: "protects nothing" });
  });
}

/** Unknown names in the files of agents. */
export function unknownInAgent(
  { id, skills = {}, black_tool_actions = {} }: AgentProfile,
  known: Callables,
): ConfigProblem[] {
  const where = `agent ${id}`;
  const denied = { where, key: "black_tool_actions", message: "denies nothing" };
  const knownIds = [...known.skills, ...known.servers];
  const ids = Object.keys(skills).filter((name) => name !== "*" && !isOfServer(name, known.servers));
  return [
    ...ids
      .filter((name) => !knownIds.includes(name))
      .map((name) => unknownSkill(name, where, "skills", knownIds)),
    ...unknownNames(Object.keys(black_tool_actions), known, denied),
  ];
}

function unknownSkill(id: string, where: string, key: string, known: readonly string[]): ConfigProblem {
  return { where, key, message: `has no effect: there is no skill ${id}`, hint: hintFor(id, known) };
}

function hintFor(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return "`knack skills list` shows all ids: remove the setting, or install the skill first";
}

const anySpelling = (name: string) => name.replace(/^@@/, "").replace("#", "-").toLowerCase();

/** Whether a name may be a tool of a server, whose tools are only known after it has started. */
function isOfServer(name: string, servers: readonly string[]): boolean {
  const plain = name.replace(/^@@/, "");
  return servers.some((server) =>
    [server, `mcp_${server}`].some(
      (prefix) => plain.startsWith(prefix) && /^(#|-|__)/.test(plain.slice(prefix.length)),
    ),
  );
}

/** A problem for each name of no skill, tool or server, in any spelling. */
function unknownNames(names: readonly string[], known: Callables, problem: ConfigProblem): ConfigProblem[] {
  const all = [...known.skills, ...known.tools, ...known.servers];
  const spellings = new Set(all.map(anySpelling));
  return names
    .filter((name) => name !== "*" && !isOfServer(name, known.servers) && !spellings.has(anySpelling(name)))
    .map((name) => ({
      ...problem,
      message: `${problem.message}: there is no skill, tool or server ${name}`,
      hint: hintFor(name, all),
    }));
}

/**
 * Settings that name an unknown skill, each with advice. `settingsKeys` are other names of skills that are valid in `env` and
 * `disabled`.
 */
export function unknownSkillSettings(
  { skills }: Config,
  knownIds: readonly string[],
  settingsKeys: readonly string[],
): ConfigProblem[] {
  const { allowed, denied, disabled, opt_in, env, network, execution } = skills;
  const keyed = { env: Object.keys(env), network: Object.keys(network) };
  const lists = { allowed, denied, disabled, opt_in, ...keyed, "execution.allow_weak": execution.allow_weak };
  const named = Object.entries(lists).flatMap(([key, ids]) =>
    ids.map((id) => ({ key: `skills.${key}`, id })),
  );
  // A server's tools are only known after it has started.
  const isOfKnown = (id: string) => id.startsWith("mcp_") && knownIds.includes(id.replace(/#.*/, ""));
  return named
    .filter(({ id }) => id !== "*" && !knownIds.includes(id) && !isOfKnown(id))
    .filter(({ key, id }) => !(keyedByName.includes(key) && settingsKeys.includes(id)))
    .map(({ key, id }) => unknownSkill(id, "configuration", key, knownIds));
}
