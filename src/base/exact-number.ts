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

  /** Whether it has no fraction: `1e400` is whole. */
  get isWhole(): boolean {
    return !decimal(this.digits)?.includes("e-");
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

/**
 * JSON text with another JSON value in place of each number that would lose digits, for readers that have doubles alone. Other text is
 * returned as it is.
 */
export function replaceExact(text: string, write: (digits: string) => string): string {
  if (!mayLose.test(text)) return text;
  return text.replace(stringOrNumber, (found) =>
    found.startsWith('"') || !losesDigits(Number(found), found) ? found : write(found),
  );
}

const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/** Numbers of 16 digits and more, or with an exponent; digits in strings may look the same. */
const mayLose = /(?:^|[[:,\s-])\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Whether the double says something else than the JSON number it was read from. */
function losesDigits(value: number, source: string | undefined): source is string {
  if (source === undefined || String(value) === source) return false;
  return decimal(String(value)) !== decimal(source);
}

/** Less than 0, 0 or more as the first of two numbers in the form of `decimal` is less, equal or greater. */
export function compareDecimals(first: string, second: string): number {
  const [a, b] = [partsOf(first), partsOf(second)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.size !== b.size) return a.size > b.size ? a.sign : -a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits > b.digits ? a.sign : -a.sign;
}

/** `size`: the power of ten above its first digit. */
function partsOf(text: string): { sign: number; size: bigint; digits: string } {
  const [, minus, digits = "", power = "0"] = /^(-?)(\d+)(?:e(-?\d+))?$/.exec(text) ?? [];
  const sign = digits === "0" ? 0 : minus === "-" ? -1 : 1;
  return { sign, size: BigInt(power) + BigInt(digits.length), digits };
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
