import { modelProviders, providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { findLocalModels, type LocalServer } from "../../models/local-servers.ts";

/** Ways to get a model, one sentence each: with settings that are already there, with a server on this machine, or with a key. */
export async function adviceForOffline(config: Config, servers: readonly LocalServer[]): Promise<string[]> {
  const local = await findLocalModels(servers);
  const advice = [
    ...withoutModel(config),
    ...local.map((model) => `${titleOf(model)} runs here: KNACK_MODEL=${model} npm start`),
  ];
  return advice.length > 0
    ? advice
    : ["Set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of another provider for a real one."];
}

/** Advice for providers that only lack the name of a model. */
function withoutModel({ model }: Config): string[] {
  return [...modelProviders(model).values()].flatMap(({ name, kind, section, missing }) => {
    if (missing !== undefined || (section.api_key ?? section.base_url) === undefined) return [];
    const example = kind === "azure" ? "DEPLOYMENT" : "MODEL";
    return [`${name} is set up: name a model of it with KNACK_MODEL=${name}/${example}.`];
  });
}

function titleOf(model: string): string {
  return model.startsWith("lmstudio/") ? "LM Studio" : "Ollama";
}

/** The missing setting of a model: `no key: set GROQ_API_KEY`. Undefined if nothing is missing. */
export function missingFor(name: string, { model }: Config): string | undefined {
  const missing = providerOfModel(name, model)?.missing;
  return missing && `no ${missing.what}: set ${missing.set}`;
}

/** The configured models, each once: the chosen one, its failover models, the small model, and those of agents. */
export function configuredModels(
  { model }: Config,
  agents: readonly { model?: string | undefined }[],
): string[] {
  const all = [model.choice, ...model.failover, model.small, ...agents.map((agent) => agent.model ?? "")];
  return [...new Set(all)].filter((name) => name.includes("/"));
}
