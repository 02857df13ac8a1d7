import { modelProviders, providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { findLocalModels, type LocalServer } from "../../models/local-servers.ts";

/** How a bot without a model gets one, a sentence each: by what is set already, by what runs on this machine, or by a key. */
export async function adviceForOffline(config: Config, servers: readonly LocalServer[]): Promise<string[]> {
  const local = await findLocalModels(servers);
  const advice = [
    ...nameless(config),
    ...local.map((model) => `${titleOf(model)} runs here: KNACK_MODEL=${model} npm start`),
  ];
  return advice.length > 0
    ? advice
    : ["Set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of another provider for a real one."];
}

/** Providers that could be asked if only a model were named. */
function nameless({ model }: Config): string[] {
  return [...modelProviders(model).values()].flatMap(({ name, kind, section, missing }) => {
    if (missing !== undefined || (section.api_key ?? section.base_url) === undefined) return [];
    const example = kind === "azure" ? "DEPLOYMENT" : "MODEL";
    return [`${name} is set up: name a model of it with KNACK_MODEL=${name}/${example}.`];
  });
}

function titleOf(model: string): string {
  return model.startsWith("lmstudio/") ? "LM Studio" : "Ollama";
}

/** What must be set before a model can be asked: `no key: set GROQ_API_KEY`. Undefined when nothing is missing. */
export function missingFor(name: string, { model }: Config): string | undefined {
  const missing = providerOfModel(name, model)?.missing;
  return missing && `no ${missing.what}: set ${missing.set}`;
}

/** The models that are asked, each once: the chosen one, those that take over, the one for inner work, and those of agents. */
export function configuredModels(
  { model }: Config,
  agents: readonly { model?: string | undefined }[],
): string[] {
  const all = [model.choice, ...model.failover, model.small, ...agents.map((agent) => agent.model ?? "")];
  return [...new Set(all)].filter((name) => name.includes("/"));
}
