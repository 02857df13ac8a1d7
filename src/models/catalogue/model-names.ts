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
export class ModelNames<Value> {
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
