import { readFileSync } from "node:fs";
import type { ServerKind } from "../server-kind.ts";
import type { Catalogue, CatalogueModel, ListedServer } from "./catalogue-format.ts";
import { type Retirement, retirements } from "./hand-kept.ts";
import { type Found, ModelNames } from "./model-names.ts";

interface Listed {
  models: ModelNames<CatalogueModel>;
  retirements: ModelNames<Retirement>;
}

/** Reads the file with the first question; its form is checked when it is written, and by a test. */
const listed = once((): ReadonlyMap<string, Listed> => {
  const { models } = JSON.parse(readFileSync(new URL("models.json", import.meta.url), "utf8")) as Catalogue;
  return new Map(
    Object.entries(models).map(([server, byName]) => {
      const ends = retirements[server as ListedServer] ?? [];
      const endings = ends.flatMap((end) => end.models.map((name) => [name, end] as const));
      return [
        server,
        { models: new ModelNames(Object.entries(byName)), retirements: new ModelNames(endings) },
      ];
    }),
  );
});

/** Vendors that run their models themselves: a server that is not known and has one of these passes requests on. */
const ownModels: readonly ListedServer[] = ["anthropic", "openai", "gemini", "xai"];

/** Google's open models, which anybody may run. */
const open = /gemma/i;

/** What the catalogue says about a model at a server. */
export function listedModel(
  server: ServerKind | undefined,
  model: string,
): Found<CatalogueModel> | undefined {
  return first(server, model, ({ models }) => models.find(model));
}

/** The names of all models that the catalogue lists for a server; none where people name theirs themselves. */
export function listedNames(server: ServerKind | undefined): readonly string[] {
  return server === undefined || server === "azure" ? [] : (listed().get(server)?.models.names() ?? []);
}

/** Whether and when a model ends at a server. Azure ends models on days of its own, which are not known. */
export function retirementOf(server: ServerKind | undefined, model: string): Retirement | undefined {
  if (server === "azure") return undefined;
  return first(server, model, (of) => of.retirements.find(model))?.value;
}

function first<T>(
  server: ServerKind | undefined,
  model: string,
  find: (of: Listed) => T | undefined,
): T | undefined {
  const servers = server === undefined ? (open.test(model) ? [] : ownModels) : [listedAs(server)];
  for (const name of servers) {
    const of = listed().get(name);
    const found = of === undefined ? undefined : find(of);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The list that has the models of a server. */
export function listedAs(server: ServerKind): ServerKind {
  return server === "azure" ? "openai" : server;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
