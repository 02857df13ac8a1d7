/** JSON with the source of each value, and texts that JSON holds as they are (ECMA-262 "JSON.parse source text access"; types lack both). */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
};

/**
 * A number that a double cannot hold without a change: an id beyond 2^53, `0.1000000000000000055`, `1e400`. JSON has its digits again as
 * they were written. Whoever calculates takes `nearest`; whoever shows or compares it takes the digits.
 */
export class ExactNumber {
  /** As JSON writes it. */
  readonly digits: string;

  /** @param digits a JSON number */
  constructor(digits: string) {
    this.digits = digits;
  }

  /** The nearest double; infinite beyond the largest. */
  get nearest(): number {
    return Number(this.digits);
  }

  toString(): string {
    return this.digits;
  }

  /** Browsers that cannot write digits as they are write the nearest double. */
  toJSON(): unknown {
    return json.rawJSON?.(this.digits) ?? this.nearest;
  }
}

/** The value of JSON text, with an `ExactNumber` for each number that would lose digits. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  if (!mayLose.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, context) =>
    typeof value === "number" && losesDigits(value, context?.source)
      ? new ExactNumber(context.source)
      : value,
  );
}

/** Numbers of 16 digits and more, or with an exponent; digits in strings may look the same. */
const mayLose = /(?:^|[[:,\s-])\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Whether the double says something else than the JSON number it was read from. */
function losesDigits(value: number, source: string | undefined): source is string {
  if (source === undefined || String(value) === source) return false;
  return decimal(String(value)) !== decimal(source);
}

/** A number in the one form that equal numbers share; undefined for what is no finite number. Zero has no sign. */
export function decimal(text: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  const power = BigInt(exponent) + BigInt(digits.length - significant.length - fraction.length);
  return significant === "" ? "0" : `${sign}${significant}e${power}`;
}
