import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Effort } from "../src/core/values/message.ts";
import {
  type Catalogue,
  type CatalogueModel,
  effortSchema,
  type ListedServer,
  listedServers,
} from "../src/models/catalogue/catalogue-format.ts";

/** The package from which the catalogue is made. */
export const sourcePackage = "@earendil-works/pi-ai";

const notice = `Facts about models, selected and rewritten from ${sourcePackage} (https://github.com/earendil-works/pi), which has this license: MIT License. Copyright (c) 2025 Mario Zechner. Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The source cannot be read, for example because its format has changed. */
export class CatalogueSourceError extends Error {
  readonly code = "catalogue_source";
}

const usd = z.number().min(0);
const rates = { input: usd, output: usd, cacheRead: usd, cacheWrite: usd };
const tokens = z.number().int().positive();

/** A model that chats, as the source describes it. Prices are US dollars per million tokens. */
const sourceModel = z.object({
  id: z.string().min(1),
  reasoning: z.boolean(),
  input: z.array(z.string()).min(1),
  contextWindow: tokens,
  maxTokens: tokens,
  cost: z.object({
    ...rates,
    tiers: z.array(z.object({ ...rates, inputTokensAbove: tokens })).optional(),
  }),
  /** The provider's word for each level; null for a level that it refuses. */
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
  compat: z
    .object({
      forceAdaptiveThinking: z.boolean().optional(),
      supportsReasoningEffort: z.boolean().optional(),
      supportsMidConvoToolChanges: z.boolean().optional(),
      supportsMidConvoEffort: z.boolean().optional(),
    })
    .optional(),
});
type SourceModel = z.output<typeof sourceModel>;

/** By API, then by kind and name: `{"openai-responses": {"chat:gpt-6-luna": …}}`. */
const sourceFile = z.record(z.string(), z.record(z.string(), z.unknown()));

export interface ReadSource {
  catalogue: Catalogue;
  /** Models that were left out, and why: `openai/gpt-9: cost: …`. */
  broken: readonly string[];
}

/**
 * Makes a catalogue from an unpacked package.
 * @param today `2026-11-23`
 * @throws CatalogueSourceError when a file is missing or most of it is not as expected
 */
export async function readSource(folder: string, today: string): Promise<ReadSource> {
  const { version } = await readJson(path.join(folder, "package.json"), z.object({ version: z.string() }));
  const file = (name: string) => readModels(path.join(folder, "dist", "providers", "data", `${name}.json`));
  // The source cuts OpenAI's windows where a higher price begins; Azure's entries for the same models have the whole window.
  const whole = new Map((await file("azure")).models.map((model) => [model.id, model.contextWindow]));
  const models: Partial<Catalogue["models"]> = {};
  const broken: string[] = [];
  for (const server of listedServers) {
    const read = await file(server === "gemini" ? "google" : server);
    broken.push(...read.broken.map((problem) => `${server}/${problem}`));
    models[server] = Object.fromEntries(
      read.models
        .filter(({ id }) => !id.endsWith(":batch"))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((model) => [model.id, entryOf(model, server, whole)]),
    );
  }
  const catalogue = { source: `${sourcePackage} ${version}`, date: today, notice, models };
  return { catalogue: catalogue as Catalogue, broken };
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new CatalogueSourceError(`${file} is not as expected: ${reason}`, { cause });
  }
}

async function readModels(file: string): Promise<{ models: SourceModel[]; broken: string[] }> {
  const byApi = await readJson(file, sourceFile);
  const entries = Object.values(byApi).flatMap((models) => Object.entries(models));
  const chats = entries.filter(([key]) => key.startsWith("chat:"));
  const models = new Map<string, SourceModel>();
  const broken: string[] = [];
  for (const [key, value] of chats) {
    const { data, error } = sourceModel.safeParse(value);
    if (data !== undefined) models.set(data.id, data);
    else broken.push(`${key.slice("chat:".length)}: ${reasonOf(error)}`);
  }
  if (models.size === 0 || broken.length > models.size) {
    const example = broken[0] === undefined ? "" : `, e.g. ${broken[0]}`;
    throw new CatalogueSourceError(
      `${file} is not as expected: ${models.size} of ${entries.length} entries can be read${example}`,
    );
  }
  return { models: [...models.values()], broken };
}

function reasonOf(error: z.ZodError): string {
  return error.issues.map(({ path: keys, message }) => `${keys.join(".")}: ${message}`).join("; ");
}

function entryOf(
  model: SourceModel,
  server: ListedServer,
  whole: ReadonlyMap<string, number>,
): CatalogueModel {
  const { id, compat = {}, cost } = model;
  const isCut =
    server === "openai" && cost.tiers?.some((tier) => tier.inputTokensAbove === model.contextWindow);
  const efforts = effortsOf(model);
  const price = priceOf(model);
  const in_place = [
    ...(compat.supportsMidConvoToolChanges === true ? (["tools"] as const) : []),
    ...(compat.supportsMidConvoEffort === true ? (["effort"] as const) : []),
  ];
  return {
    context: (isCut === true ? whole.get(id) : undefined) ?? model.contextWindow,
    output: Math.min(model.maxTokens, model.contextWindow),
    images: model.input.includes("image"),
    thinking: thinkingOf(model),
    ...(efforts === undefined ? {} : { efforts }),
    ...(server === "anthropic" ? { in_place } : {}),
    ...(price === undefined ? {} : { price }),
  };
}

function thinkingOf({ reasoning, thinkingLevelMap, compat }: SourceModel): CatalogueModel["thinking"] {
  if (!reasoning) return "none";
  const { off } = thinkingLevelMap ?? {};
  if (off === null) return "always";
  return compat?.forceAdaptiveThinking === true ? "adaptive" : "switchable";
}

/** A level without an entry in the map is supported from low to high, but not above. */
function effortsOf({ reasoning, thinkingLevelMap: map, compat }: SourceModel): Effort[] | undefined {
  if (!reasoning || compat?.supportsReasoningEffort === false) return [];
  if (map === undefined) return undefined;
  const usual: Readonly<Record<string, string>> = { low: "low", medium: "medium", high: "high" };
  const words = ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map((level) =>
    (map[level] === undefined ? usual[level] : map[level])?.toLowerCase(),
  );
  return [...new Set(words)].filter((word): word is Effort => effortSchema.safeParse(word).success);
}

/** The source has 0 for an unknown price. A model counts as free only if its name says so. */
function priceOf({ id, cost }: SourceModel): CatalogueModel["price"] {
  if (cost.input === 0 && cost.output === 0) {
    return id.endsWith(":free") ? { input: 0, output: 0 } : undefined;
  }
  const tiers = (cost.tiers ?? [])
    .map(({ inputTokensAbove, ...tier }) => ({ above: inputTokensAbove, ...ratesOf(tier) }))
    .toSorted((a, b) => a.above - b.above);
  return { ...ratesOf(cost), ...(tiers.length === 0 ? {} : { tiers }) };
}

function ratesOf({ input, output, cacheRead, cacheWrite }: Omit<SourceModel["cost"], "tiers">) {
  return {
    input,
    output,
    ...(cacheRead === 0 ? {} : { cached_input: cacheRead }),
    ...(cacheWrite === 0 ? {} : { cache_write: cacheWrite }),
  };
}
