import { readFileSync } from "node:fs";
import { once } from "../../base/made-once.ts";
import type { ServerKind } from "../server-kind.ts";
import type { Catalogue, CatalogueModel, ListedServer } from "./catalogue-format.ts";
import { type Retirement, retirements } from "./hand-kept.ts";

interface Listed {
  models: ModelNames<CatalogueModel>;
  retirements: ModelNames<Retirement>;
}

/** Reads the file on first use. Its format is checked when it is written, and by a test. */
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

/** Vendors that run their own models: an unknown server with one of these models forwards requests. */
const ownModels: readonly ListedServer[] = ["anthropic", "openai", "gemini", "xai"];

/** Google's open models, which anyone may run. */
const open = /gemma/i;

/** The catalogue's entry for a model at a server. */
export function listedModel(
  server: ServerKind | undefined,
  model: string,
): Found<CatalogueModel> | undefined {
  return first(server, model, ({ models }) => models.find(model));
}

/** The names of all models that the catalogue lists for a server; empty where people choose the names. */
export function listedNames(server: ServerKind | undefined): readonly string[] {
  return server === undefined || server === "azure" ? [] : (listed().get(server)?.models.names() ?? []);
}

/** When a model ends at a server. Azure has its own dates, which are unknown. */
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

/** The server whose list has the models of a server. */
export function listedAs(server: ServerKind): ServerKind {
  return server === "azure" ? "openai" : server;
}

/** The normalised spellings of a name: `anthropic/claude-opus-4.5` and `claude-opus-4-5` are the same. */
interface Spelling {
  /** With its prefixes, without its variant. */
  whole: string;
  /** The part after the last slash. */
  last: string;
  /** The same without a date or `latest`. */
  undated: string;
  /** The name ends with a variant, such as `:free`, which may have its own price. */
  isVariant: boolean;
}

const date = /(?:[-@]\d{4}-?\d{2}-?\d{2}|-latest)$/;

export function spellingOf(name: string): Spelling {
  const spelled = name.toLowerCase().replaceAll(".", "-");
  const whole = spelled.replace(/:.*$/, "");
  const last = whole.slice(whole.lastIndexOf("/") + 1);
  return { whole, last, undated: last.replace(date, ""), isVariant: whole !== spelled };
}

export interface Found<Value> {
  value: Value;
  /** The name is an unlisted variant of this model. */
  isVariant: boolean;
}

/** Values by names of models in any spelling. The first search by spelling takes longer. */
class ModelNames<Value> {
  readonly #exact: ReadonlyMap<string, Value>;
  #spelled: ReadonlyMap<string, Value> | undefined;

  /** @param entries the first of two entries with the same spelling counts */
  constructor(entries: readonly (readonly [string, Value])[]) {
    this.#exact = new Map(entries);
  }

  /** The original names. */
  names(): string[] {
    return [...this.#exact.keys()];
  }

  find(name: string): Found<Value> | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined) return { value: exact, isVariant: false };
    this.#spelled ??= bySpelling([...this.#exact]);
    const { isVariant, whole, last, undated } = spellingOf(name);
    const value = this.#spelled.get(whole) ?? this.#spelled.get(last) ?? this.#spelled.get(undated);
    return value === undefined ? undefined : { value, isVariant };
  }
}

/** A whole name takes precedence over the end of another, and that over a name without its date. */
function bySpelling<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  const spelled = new Map<string, Value>();
  const spellings = entries
    .map(([name, value]) => ({ ...spellingOf(name), value }))
    .filter((spelling) => !spelling.isVariant);
  for (const by of ["whole", "last", "undated"] as const) {
    for (const spelling of spellings) {
      if (!spelled.has(spelling[by])) spelled.set(spelling[by], spelling.value);
    }
  }
  return spelled;
}
