import { nearestName } from "../base/nearest-name.ts";
import {
  isProviderKind,
  type ProviderKind,
  type ProviderPreset,
  providerKinds,
  providerPath,
  providerPresets,
} from "./provider-presets.ts";
import type { ProviderSection } from "./provider-schema.ts";

/** The part of the configuration that tells of providers. */
export interface ProviderSections {
  openai: Pick<ProviderSection, "api_key" | "base_url" | "api">;
  anthropic: Pick<ProviderSection, "api_key" | "base_url">;
  providers: Readonly<Record<string, ProviderSection>>;
}

/** A provider that models can be named of, as it is set up. */
export interface ModelProvider {
  name: string;
  kind: ProviderKind;
  preset: ProviderPreset;
  /** What is set of it; empty for one that is merely known. */
  section: ProviderSection;
  /** Undefined where it is not known. */
  address: string | undefined;
  /** What an operator sets for a key: `GROQ_API_KEY`, or a dotted setting. */
  keyName: string;
  /** Without it the provider refuses every request. */
  needsKey: boolean;
  /** What must be set before it can be asked. */
  missing: { what: "key" | "address"; set: string } | undefined;
}

/** Every provider by name: the built-in ones, all presets, and those of `model.providers`. */
export function modelProviders(sections: ProviderSections): ReadonlyMap<string, ModelProvider> {
  const names = new Set([...providerKinds, ...Object.keys(sections.providers)]);
  return new Map([...names].map((name) => [name, providerOf(name, sections)]));
}

/** The provider that a model's name begins with; undefined for `offline`, `auto` and names of unknown providers. */
export function providerOfModel(model: string, sections: ProviderSections): ModelProvider | undefined {
  const name = providerNameOf(model);
  return isProviderKind(name) || Object.hasOwn(sections.providers, name)
    ? providerOf(name, sections)
    : undefined;
}

/** `groq` of `groq/openai/gpt-oss-120b`. Empty without a slash. */
export function providerNameOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf("/")));
}

/** Why a model cannot be asked whatever its server says: its provider is unknown, or nobody knows where it is. */
export function unusableProvider(model: string, sections: ProviderSections): string | undefined {
  const provider = providerOfModel(model, sections);
  if (provider?.missing?.what !== "address") return unknownProvider(model, sections);
  const example = provider.kind === "azure" ? ", e.g. https://RESOURCE.openai.azure.com" : "";
  return `there is no address for ${provider.name}: set ${provider.missing.set}${example}`;
}

/** What only servers of OpenAI's protocol do, and what to name instead of one that does not. */
const ofOpenAi = {
  transcription:
    "transcribes no speech: name a model of openai, groq, mistral or another server with /audio/transcriptions, or off",
  images: "makes no pictures: name a model of openai, xai or another server with /images/generations, or off",
  embeddings:
    "makes no vectors of texts: name a model of openai, gemini, mistral or another server with /embeddings, or off",
};

/** Why a model cannot do work beside conversation: its server speaks another protocol. Undefined when it may. */
export function cannotDo(
  work: keyof typeof ofOpenAi,
  model: string,
  sections: ProviderSections,
): string | undefined {
  const provider = providerOfModel(model, sections);
  if (provider === undefined || provider.preset.protocol === "openai") return undefined;
  return `${provider.name} ${ofOpenAi[work]}`;
}

/** Kinds of work that a provider may have a usual model for, beside conversation. */
type OtherWork = "transcriptionModel" | "imageModel" | "embeddingModel";

/**
 * The model for other work than conversation where nobody chose one: the usual one of a provider with a key, those first whose models
 * answer. A server at an address of its own may lack it. Undefined where there is none, and for a bot that is meant to be offline.
 * @param asked the models that answer, first ones first
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

/** What is wrong with the provider in a model's name. Undefined when it is known. */
export function unknownProvider(model: string, sections: ProviderSections): string | undefined {
  if (providerOfModel(model, sections) !== undefined) return undefined;
  const name = providerNameOf(model);
  const known = [...new Set([...providerKinds, ...Object.keys(sections.providers)])];
  const meant = nearestName(name, known);
  if (meant !== undefined) {
    return `there is no provider ${name}, did you mean ${meant}${model.slice(name.length)}?`;
  }
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
  // Whoever sets another address has a server that may need none.
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

/** The address with the path of the API, where only a host was given. */
function completed(address: string, { path }: ProviderPreset): string {
  const url = new URL(address);
  const given = url.pathname.replace(/(?<!\/)\/+$/, "");
  if (path === undefined || (given !== "" && !path.startsWith(`${given}/`))) return address;
  url.pathname = path;
  return url.href;
}
