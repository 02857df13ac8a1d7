import { nearestName } from "../base/text/nearest-name.ts";
import {
  isProviderKind,
  type ProviderKind,
  type ProviderPreset,
  providerKinds,
  providerPath,
  providerPresets,
} from "./provider-presets.ts";
import type { ProviderSection } from "./provider-schema.ts";

/** The sections of the configuration for providers. */
export interface ProviderSections {
  openai: Pick<ProviderSection, "api_key" | "base_url" | "api">;
  anthropic: Pick<ProviderSection, "api_key" | "base_url">;
  providers: Readonly<Record<string, ProviderSection>>;
}

/** A provider of models with its settings. */
export interface ModelProvider {
  name: string;
  kind: ProviderKind;
  preset: ProviderPreset;
  /** Its settings; empty for a known provider without settings. */
  section: ProviderSection;
  /** Undefined if unknown. */
  address: string | undefined;
  /** The variable or dotted setting of the key: `GROQ_API_KEY`. */
  keyName: string;
  /** Whether the provider refuses requests without a key. */
  needsKey: boolean;
  /** What is missing, and what to set. */
  missing: { what: "key" | "address"; set: string } | undefined;
}

/** Every provider by name: the built-in ones, all presets, and those of `model.providers`. */
export function modelProviders(sections: ProviderSections): ReadonlyMap<string, ModelProvider> {
  const names = new Set([...providerKinds, ...Object.keys(sections.providers)]);
  return new Map([...names].map((name) => [name, providerOf(name, sections)]));
}

/** The provider in a model's name; undefined for `offline`, `auto` and unknown providers. */
export function providerOfModel(model: string, sections: ProviderSections): ModelProvider | undefined {
  const name = providerNameOf(model);
  const isKnown = isProviderKind(name) || Object.hasOwn(sections.providers, name);
  return isKnown ? providerOf(name, sections) : undefined;
}

/** `groq` of `groq/openai/gpt-oss-120b`. Empty without a slash. */
export function providerNameOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf("/")));
}

/** Why a model cannot be used: its provider is unknown or has no address. */
export function unusableProvider(model: string, sections: ProviderSections): string | undefined {
  const provider = providerOfModel(model, sections);
  if (provider?.missing?.what !== "address") return unknownProvider(model, sections);
  const example = provider.kind === "azure" ? ", e.g. https://RESOURCE.openai.azure.com" : "";
  return `there is no address for ${provider.name}: set ${provider.missing.set}${example}`;
}

/** Messages for work that only servers of OpenAI's protocol do. */
const ofOpenAi = {
  transcription:
    "transcribes no speech: name a model of openai, groq, mistral or another server with /audio/transcriptions, or off",
  images: "makes no pictures: name a model of openai, xai or another server with /images/generations, or off",
  embeddings:
    "makes no vectors of texts: name a model of openai, gemini, mistral or another server with /embeddings, or off",
};

/** Why a model cannot do other work than conversation: its server speaks another protocol. Undefined if it can. */
export function cannotDo(
  work: keyof typeof ofOpenAi,
  model: string,
  sections: ProviderSections,
): string | undefined {
  const provider = providerOfModel(model, sections);
  if (provider === undefined || provider.preset.protocol === undefined) return undefined;
  return `${provider.name} ${ofOpenAi[work]}`;
}

/** Work other than conversation for which a provider may have a usual model. */
type OtherWork = "transcriptionModel" | "imageModel" | "embeddingModel";

/**
 * The default model for other work than conversation: the usual model of a provider with a key, beginning with the providers of the
 * chosen models. A provider at another address is skipped, as it may lack the model. Undefined if there is none, or if the bot is
 * configured to be offline.
 * @param asked the chosen models in their order
 */
export function usualModelFor(
  work: OtherWork,
  asked: readonly string[],
  sections: ProviderSections,
): string | undefined {
  if (asked[0] === "offline") return undefined;
  const first = asked.map((model) => providerOfModel(model, sections)).filter((each) => each !== undefined);
  for (const { name, section, preset } of [...first, ...modelProviders(sections).values()]) {
    const usable = section.api_key !== undefined && section.base_url === undefined;
    const model = preset[work];
    if (usable && model !== undefined) return `${name}/${model}`;
  }
  return undefined;
}

/** The problem with the provider in a model's name. Undefined for a known provider. */
export function unknownProvider(model: string, sections: ProviderSections): string | undefined {
  if (providerOfModel(model, sections) !== undefined) return undefined;
  const name = providerNameOf(model);
  const known = [...new Set([...providerKinds, ...Object.keys(sections.providers)])];
  const meant = nearestName(name, known);
  if (meant !== undefined)
    return `there is no provider ${name}, did you mean ${meant}${model.slice(name.length)}?`;
  return `there is no provider ${name}: known are ${known.join(", ")}; model.providers adds others`;
}

function providerOf(name: string, sections: ProviderSections): ModelProvider {
  const section = sectionOf(name, sections);
  const kind = section.kind ?? (isProviderKind(name) ? name : "openai");
  const preset = providerPresets[kind];
  const address = section.base_url === undefined ? preset.address : completed(section.base_url, preset);
  const setting = (member: string) => [...providerPath(name), member].join(".");
  const keyName = name === kind ? preset.keyVariable : setting("api_key");
  const isSigned = Object.keys(section.headers ?? {}).some((header) =>
    /^(authorization|api-key|x-api-key)$/i.test(header),
  );
  // A server at another address may need no key.
  const needsKey = preset.local !== true && !isSigned && (section.base_url === undefined || kind === "azure");
  const addressName = name === kind ? preset.addressVariables?.[0] : undefined;
  return {
    name,
    kind,
    preset,
    section,
    address,
    keyName,
    needsKey,
    missing:
      address === undefined
        ? { what: "address", set: addressName ?? setting("base_url") }
        : needsKey && section.api_key === undefined
          ? { what: "key", set: keyName }
          : undefined,
  };
}

function sectionOf(name: string, sections: ProviderSections): ProviderSection {
  if (name === "openai" || name === "anthropic") return sections[name];
  return (Object.hasOwn(sections.providers, name) ? sections.providers[name] : undefined) ?? {};
}

/** Adds the path of the API to an address with only a host. */
function completed(address: string, { path }: ProviderPreset): string {
  const url = new URL(address);
  const given = url.pathname.replace(/(?<!\/)\/+$/, "");
  if (path === undefined || (given !== "" && !path.startsWith(`${given}/`))) return address;
  url.pathname = path;
  return url.href;
}
