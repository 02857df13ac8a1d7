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

/** Values by names of models, found by any way in which a name is written. Making it takes time, looking up does not. */
export class ModelNames<Value> {
  readonly #exact: ReadonlyMap<string, Value>;
  readonly #spelled = new Map<string, Value>();

  /** @param entries the first of two that are spelled alike counts */
  constructor(entries: readonly (readonly [string, Value])[]) {
    this.#exact = new Map(entries);
    for (const by of ["whole", "last", "undated"] as const) {
      for (const [name, value] of entries) {
        const { isVariant, ...spelling } = spellingOf(name);
        if (!isVariant && !this.#spelled.has(spelling[by])) this.#spelled.set(spelling[by], value);
      }
    }
  }

  find(name: string): Found<Value> | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined) return { value: exact, isVariant: false };
    const { isVariant, whole, last, undated } = spellingOf(name);
    const value = this.#spelled.get(whole) ?? this.#spelled.get(last) ?? this.#spelled.get(undated);
    return value === undefined ? undefined : { value, isVariant };
  }
}
