/** JSON with source texts of values and raw JSON (ECMA-262 "JSON.parse source text access"), which the types lack. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
};

/**
 * A number that a double cannot represent exactly: an id beyond 2^53, `0.1000000000000000055`, `1e400`. JSON gets the original digits.
 * Calculate with `nearest`; show and compare the digits.
 */
export class ExactNumber {
  /** The number as JSON text. */
  readonly digits: string;

  /** @param digits a JSON number */
  constructor(digits: string) {
    this.digits = digits;
  }

  /** The nearest double; infinite beyond the largest double. */
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

  /** Browsers without raw JSON write the nearest double. */
  toJSON(): unknown {
    return json.rawJSON?.(this.digits) ?? this.nearest;
  }
}

/** The value of JSON text, with an `ExactNumber` for each number that would lose digits. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  if (!losesAny(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, context) =>
    typeof value === "number" && losesDigits(value, context?.source)
      ? new ExactNumber(context.source)
      : value,
  );
}

/**
 * JSON text with another JSON value in place of each number that would lose digits, for readers that only have doubles. Other text is
 * returned unchanged.
 */
export function replaceExact(text: string, write: (digits: string) => string): string {
  if (!losesAny(text)) return text;
  return text.replace(stringOrNumber, (found) =>
    found.startsWith('"') || !losesDigits(Number(found), found) ? found : write(found),
  );
}

const stringOrNumber = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/** Numbers with 16 or more digits or an exponent. Digits in strings may match too, but not those of a UUID. */
const longNumbers = /(?<=^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*/g;

/** Whether a number of JSON text would lose digits. Most long ones are doubles written by a program, which lose none. */
function losesAny(text: string): boolean {
  return text.match(longNumbers)?.some((digits) => losesDigits(Number(digits), digits)) === true;
}

/** Whether the double differs from its JSON text. */
function losesDigits(value: number, source: string | undefined): source is string {
  if (source === undefined || String(value) === source) return false;
  return decimal(String(value)) !== decimal(source);
}

/** Compares two numbers in the form of `decimal`: less than 0, 0, or more than 0. */
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

/** A number in a canonical form; undefined for text that is not a finite number. Zero has no sign. */
export function decimal(text: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  const power = BigInt(exponent) + BigInt(digits.length - significant.length - fraction.length);
  return significant === "" ? "0" : `${sign}${significant}e${power}`;
}
