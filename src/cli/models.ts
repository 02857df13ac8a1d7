import { nearestName } from "../base/text/nearest-name.ts";
import { type ModelProvider, modelProviders, providerNameOf } from "../config/model-providers.ts";
import type { Config } from "../config/schema.ts";
import { type ListedModel, listingFailure, listModels } from "../models/list-models.ts";
import { type ModelSettings, NamedModel } from "../models/named-model.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { modelSettings } from "../wiring/app-settings.ts";
import { readConfig } from "./bot-connection.ts";
import { type CommandContext, CommandError, type ResultOptions } from "./command-context.ts";

/** A listed model. */
interface ModelLine {
  /** The id for KNACK_MODEL. */
  id: string;
  use?: "chosen" | "failover" | "small" | undefined;
  /** Maximum tokens of a request. */
  window?: number | undefined;
  /** USD per million tokens. */
  price?: { input: number; output: number } | undefined;
  /** The last day on which it answers, `2026-11-30`. */
  retires?: string | undefined;
}

interface Listing {
  provider: string;
  models?: ModelLine[];
  /** The reason why none are listed. */
  error?: string;
}

/** Timeout of one provider, ms. */
const providerTimeoutMs = 10_000;
/** Maximum models shown per provider without `--all`. */
const maxShown = 50;

/**
 * `knack models`: the models of the providers. A provider that does not answer gets one line; the command fails only if none
 * answers.
 */
export async function models(
  context: CommandContext,
  only: string | undefined,
  options: ResultOptions & Shown,
): Promise<number> {
  const { config } = await readConfig(context, options);
  const asked = chosenProviders(config, only);
  const listings = await Promise.all(asked.map((provider) => list(provider, config, options.search)));
  const lines = () => listings.flatMap((listing) => linesOf(listing, options));
  const ok = listings.some((listing) => listing.models !== undefined);
  return context.out.result(options, { providers: listings }, lines, ok);
}

/** @throws CommandError for an unknown provider, and when none is set up */
function chosenProviders({ model }: Config, only: string | undefined): ModelProvider[] {
  const known = modelProviders(model);
  if (only !== undefined) {
    const provider = known.get(only);
    if (provider !== undefined) return [provider];
    const meant = nearestName(only, [...known.keys()]);
    const advice =
      meant === undefined ? `Known are ${[...known.keys()].join(", ")}.` : `Did you mean ${meant}?`;
    throw new CommandError(`There is no provider ${only}. ${advice}`);
  }
  const named = new Set([model.choice, model.small, ...model.failover].map(providerNameOf));
  const isSetUp = ({ name, section: { api_key, base_url } }: ModelProvider) =>
    named.has(name) || name in model.providers || (api_key ?? base_url) !== undefined;
  const configured = [...known.values()].filter(isSetUp);
  if (configured.length > 0) return configured;
  throw new CommandError(
    "No provider is set up. Set the key of one, e.g. ANTHROPIC_API_KEY, or name one: `knack models ollama`.",
  );
}

async function list(provider: ModelProvider, config: Config, search = ""): Promise<Listing> {
  const { name, missing } = provider;
  if (missing !== undefined) return { provider: name, error: `no ${missing.what}: set ${missing.set}` };
  const settings = modelSettings(config);
  const server = settings.providers[name];
  if (server === undefined) return { provider: name, error: "not set up" };
  try {
    const offered = await listModels(name, server, AbortSignal.timeout(providerTimeoutMs));
    const wanted = search.toLowerCase();
    const found = offered.filter((model) => model.name.toLowerCase().includes(wanted));
    return { provider: name, models: found.map((model) => lineOf(name, model, settings)) };
  } catch (error) {
    const reason = listingFailure(error, providerTimeoutMs);
    return { provider: name, error: reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason };
  }
}

/** The facts about a model: the server's own context window takes precedence; prices are configured or listed ones. */
function lineOf(
  provider: string,
  { name, window }: ListedModel,
  settings: ModelSettings & { small: string },
): ModelLine {
  const id = `${provider}/${name}`;
  const { facts } = new NamedModel(id, settings);
  const { price, retires } = facts;
  const isUsed = {
    chosen: id === settings.choice,
    failover: settings.failover?.includes(id),
    small: id === settings.small,
  };
  return {
    id,
    use: (["chosen", "failover", "small"] as const).find((use) => isUsed[use]),
    window: window ?? facts.window,
    price: price && { input: price.input, output: price.output },
    retires,
  };
}

/** The models that are shown: those whose name has a text, and of many only the first. */
interface Shown {
  search?: string;
  all?: true;
}

function linesOf({ provider, models: found, error }: Listing, { search, all }: Shown): string[] {
  if (found === undefined) return [`${provider}: ${plainLine(error ?? "")}`];
  const matching = search === undefined ? "" : ` with "${plainLine(search)}"`;
  const sorted = [...found.filter(({ use }) => use), ...found.filter(({ use }) => !use)];
  const shown = all ? sorted : sorted.slice(0, maxShown);
  const more = found.length - shown.length;
  return [
    `${provider}: ${found.length} ${found.length === 1 ? "model" : "models"}${matching}`,
    ...shown.map((line) => `  ${words(line)}`),
    ...(more > 0 ? [`  … ${more} more: --search TEXT or --all`] : []),
  ];
}

function words({ id, use, window, price, retires }: ModelLine): string {
  const facts = [
    use,
    window && `${window.toLocaleString("en-US")} tokens`,
    price && `$${price.input} in, $${price.output} out per million`,
    retires && `ends on ${retires}`,
  ].filter(Boolean);
  return facts.length === 0 ? plainLine(id) : `${plainLine(id)}  (${facts.join("; ")})`;
}
