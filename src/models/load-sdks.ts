import { loadAnthropic } from "./anthropic/client.ts";
import { type ModelSettings, NamedModel } from "./named-model.ts";
import { loadOpenAi } from "./openai/client.ts";

const sdks = { openai: loadOpenAi, anthropic: loadAnthropic };

/** Loads the SDKs of the configured models, some 100 ms of CPU time each, so that the first person does not wait for them. */
export async function loadSdks(
  settings: Pick<ModelSettings, "choice" | "failover" | "providers">,
): Promise<void> {
  const names = [settings.choice, ...(settings.failover ?? [])].filter((name) => name !== "offline");
  const kinds = new Set(names.map((name) => new NamedModel(name, settings).server.kind));
  await Promise.all([...kinds].map((kind) => sdks[kind]()));
}
