import { readFileSync } from "node:fs";
import type { ServerKind } from "../server-kind.ts";
import type { Catalogue, CatalogueModel, ListedServer } from "./catalogue-format.ts";
import { type Retirement, retirements } from "./hand-kept.ts";

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

/** A name as it is compared: `anthropic/claude-opus-4.5` and `claude-opus-4-5` are spelled in one way. */
interface Spelling {
  /** With its prefixes, without its variant. */
  whole: string;
  /** What comes after the last slash. */
  last: string;
  /** The same without a date or `latest`. */
  undated: string;
  /** The name ended with a variant, such as `:free`, that may have a price of its own. */
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
  /** Of a variant that is not listed, this is the model it is a variant of. */
  isVariant: boolean;
}

/** Values by names of models, found by any way in which a name is written. The first search by spelling takes longer. */
class ModelNames<Value> {
  readonly #exact: ReadonlyMap<string, Value>;
  #spelled: ReadonlyMap<string, Value> | undefined;

  /** @param entries the first of two that are spelled alike counts */
  constructor(entries: readonly (readonly [string, Value])[]) {
    this.#exact = new Map(entries);
  }

  /** As they were given. */
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

/** A whole name counts before the end of another, and that before one without its date. */
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
