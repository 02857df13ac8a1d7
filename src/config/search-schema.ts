import { z } from "zod";
import { addressSchema, keySchema } from "./provider-schema.ts";

/** The names of engines in the configuration. */
const searchEngines = ["model", "searxng", "brave", "tavily", "exa", "wikipedia"] as const;
export type SearchEngine = (typeof searchEngines)[number];

const key = keySchema.optional().meta({ secret: true });

/** How the web is searched. */
export const searchSchema = z
  .strictObject({
    engines: z.union([z.literal("auto"), z.array(z.enum(searchEngines))]).default("auto"),
    brave_api_key: key,
    tavily_api_key: key,
    exa_api_key: key,
    searxng_url: addressSchema.optional(),
  })
  .superRefine((search, context) => {
    if (search.engines === "auto") return;
    for (const [at, engine] of search.engines.entries()) {
      const needed = needs[engine];
      if (needed === undefined || search[needed] !== undefined) continue;
      const message = `${engine} needs search.${needed}`;
      context.addIssue({ code: "custom", path: ["engines", at], message, input: engine });
    }
  });

/** The setting that an engine needs, in the order of `auto`. */
const needs: { [engine in SearchEngine]?: `${"brave" | "tavily" | "exa"}_api_key` | "searxng_url" } = {
  searxng: "searxng_url",
  brave: "brave_api_key",
  tavily: "tavily_api_key",
  exa: "exa_api_key",
};

export type SearchSettings = z.output<typeof searchSchema>;

/** The engines that these settings enable. `model` may turn out to have no search. */
export function enginesIn(search: SearchSettings): SearchEngine[] {
  if (search.engines !== "auto") return [...new Set(search.engines)];
  const ready = Object.entries(needs).filter(([, needed]) => search[needed] !== undefined);
  return ["model", ...ready.map(([engine]) => engine as SearchEngine)];
}
