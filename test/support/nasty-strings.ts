/** A part of a regular expression: what it may match, how often. */
type Node =
  | { kind: "one"; samples: readonly string[] }
  | { kind: "all"; parts: readonly Node[] }
  | { kind: "any"; parts: readonly Node[] }
  | { kind: "many"; part: Node; least: number; most: number };

/** `pre` once, `pump` again and again, `end` once. */
export interface Nasty {
  pre: string;
  pump: string;
  end: string;
}

const nothing: Node = { kind: "all", parts: [] };

/** Characters to test classes with, so that their meaning need not be known. */
const candidates = [
  ...[..." \n\ta", ..."Z0_-.,:;!?/\\|'\"`<>()[]{}=+*&%$#@^~"],
  ...["é", "я", "中", "。", "\u00a0", "\u200b", "\u0301", "🙂", "€", "…", "—", "\u0001"],
];

/** Where the class that begins here ends. `isNested`: with the flag v, classes may contain others. */
function endOfClass(source: string, start: number, isNested: boolean): number {
  let depth = 0;
  for (const { 0: mark, index } of source.slice(start).matchAll(/\\[\s\S]|[[\]]/g)) {
    if (mark === "[" && (depth === 0 || isNested)) depth += 1;
    if (mark === "]") depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return source.length;
}

/** Members of a class or an escape, at most four of different kinds. */
function samplesOf(atom: string, flags: string): string[] {
  const mode = flags.replace(/[gy]/g, "");
  const member = new RegExp(`^(?:${atom})$`, mode);
  const found = candidates.filter((each) => member.test(each));
  const kinds = [/^ $/, /^\n$/, /^[a-zA-Z0-9]$/, /^[^\s\w]$/u];
  const chosen = kinds.flatMap((kind) => found.find((each) => kind.test(each)) ?? []);
  return chosen.length > 0 ? chosen : found.slice(0, 1);
}

/** Parses a regular expression as far as needed for samples. Lookarounds count as text at their place. */
function parse(source: string, flags: string): Node {
  let at = 0;
  const escaped = (): Node => {
    const long =
      /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|[\s\S])/;
    const text = long.exec(source.slice(at))?.[0] ?? "\\\\";
    at += text.length;
    if (/^\\(?:[bB]|k<|[1-9])/.test(text)) return nothing;
    return { kind: "one", samples: samplesOf(text, flags) };
  };
  const set = (): Node => {
    const start = at;
    at = endOfClass(source, start, flags.includes("v"));
    return { kind: "one", samples: samplesOf(source.slice(start, at), flags) };
  };
  const group = (): Node => {
    const opening =
      /^\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_$][\w$]*>|[a-z-]+:))?/.exec(source.slice(at))?.[0] ?? "(";
    at += opening.length;
    const inside = alternatives();
    at += 1;
    return /^\(\?<?!/.test(opening) ? nothing : inside;
  };
  const atom = (): Node => {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (character === "\\") return escaped();
    if (character === "[") return set();
    if (character === "(") return group();
    at += character.length;
    if (character === "^" || character === "$") return nothing;
    if (character === ".") return { kind: "one", samples: samplesOf(".", flags) };
    return { kind: "one", samples: [character] };
  };
  const repeated = (part: Node): Node => {
    const written = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at));
    if (written === null) return part;
    at += written[0].length;
    const [text, least = "0", comma, most] = written;
    if (text.startsWith("{"))
      return {
        kind: "many",
        part,
        least: Number(least),
        most: comma === "" ? Number(least) : Number(most || Number.POSITIVE_INFINITY),
      };
    const sign = text[0];
    return {
      kind: "many",
      part,
      least: sign === "+" ? 1 : 0,
      most: sign === "?" ? 1 : Number.POSITIVE_INFINITY,
    };
  };
  const sequence = (): Node => {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(atom()));
    return { kind: "all", parts };
  };
  const alternatives = (): Node => {
    const parts = [sequence()];
    while (source[at] === "|") {
      at += 1;
      parts.push(sequence());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "any", parts };
  };
  return alternatives();
}

/** Short texts that a part matches: the shortest, and one in which everything optional is there. */
function texts(node: Node): string[] {
  switch (node.kind) {
    case "one":
      return [node.samples[0] ?? ""];
    case "any":
      return [...new Set(node.parts.flatMap(texts))].slice(0, 4);
    case "many": {
      const [shortest = "", longest = shortest] = bounds(texts(node.part));
      return [shortest.repeat(Math.min(node.least, 8)), longest.repeat(Math.max(1, Math.min(node.least, 8)))];
    }
    default: {
      const parts = node.parts.map((part) => bounds(texts(part)));
      return [...new Set([parts.map(([one]) => one).join(""), parts.map((both) => both.at(-1)).join("")])];
    }
  }
}

function bounds(all: readonly string[]): [string, string] {
  return [all[0] ?? "", all.at(-1) ?? ""];
}

/** Unbounded repetitions, with the text required before them. */
function endless(node: Node, before: readonly string[]): { before: string; again: string[] }[] {
  switch (node.kind) {
    case "one":
      return [];
    case "any":
      return node.parts.flatMap((part) => endless(part, before));
    case "many": {
      const again = node.part.kind === "one" ? [...node.part.samples] : [...new Set(texts(node.part))];
      const inside = endless(node.part, before);
      return node.most < 200 ? inside : [...before.map((each) => ({ before: each, again })), ...inside];
    }
    default: {
      let known = [...before];
      return node.parts.flatMap((part) => {
        const found = endless(part, known);
        const next = bounds(texts(part));
        known = [...new Set(known.flatMap((each) => next.map((text) => each + text)))].slice(0, 3);
        return found;
      });
    }
  }
}

/** Texts built from a regular expression's own parts that make it fail repeatedly. */
export function nastyStrings(source: string, flags: string): Nasty[] {
  const found = endless(parse(source, flags), [""]);
  const all = new Map<string, Nasty>();
  const add = (pre: string, pump: string) => {
    for (const end of ["\u0001", ""])
      if (pump !== "") all.set(JSON.stringify([pre, pump, end]), { pre, pump, end });
  };
  const parts = [...new Set(found.flatMap(({ again }) => again))].slice(0, 8);
  for (const part of parts) for (const pre of ["", "x", "("]) add(pre, part);
  if (flags.includes("m")) add("", "\n");
  for (const one of parts) for (const other of parts) if (one !== other) add("", one + other);
  for (const { before, again } of found) {
    add("", before);
    for (const part of again) {
      add(before, part);
      add("", before + part);
    }
  }
  return [...all.values()];
}
