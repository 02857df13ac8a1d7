/**
 * Searches for many texts at once, in time linear in the text that is searched (Aho and Corasick, "Efficient string matching", 1975). A line
 * break, also one written as `\\n`, and the indentation behind it count nowhere: neither in the texts nor between the characters of one that
 * is found.
 */

/** One text that arrives in pieces, and leaves with the found texts replaced. */
export interface ReplacedText {
  /** Adds the next piece. Returns what can leave: everything except a possible beginning of a searched text at the end. */
  add(piece: string): string;
  /** Completes the text. Returns what was held back. */
  end(): string;
}

/** The longest suffix of the text so far that begins one of the searched texts. */
interface SearchState {
  /** Characters of the longest searched text that ends here; 0 if there is none. */
  readonly found: number;
  /** Characters at the end of the text that may become a searched text. */
  readonly begun: number;
}

interface Node extends SearchState {
  found: number;
  begun: number;
  /** The longer ones: most have a single one. By UTF-16 unit. */
  unit: number;
  child: Node | undefined;
  more: Map<number, Node> | undefined;
  /** The next shorter suffix that begins a searched text; undefined for the empty one. */
  shorter: Node | undefined;
}

const newNode = (): Node => ({
  ...{ found: 0, begun: 0, unit: -1, child: undefined, more: undefined, shorter: undefined },
});

/** Characters of the beginning of a searched text by which `mayContain` looks for it. */
const beginning = 3;

export class TextSearch {
  readonly #root = newNode();
  /** Marks of the beginnings of the searched texts. */
  readonly #begins = new Uint8Array(65_536);

  /** @param texts those shorter than three characters are left out */
  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#add(text.replace(/[\r\n]+[ \t]*/g, ""));
    let depth = 0;
    for (let level = [this.#root]; level.length > 0; level = level.flatMap(childrenOf)) {
      for (const node of level) link(node, depth, this.#root);
      depth += 1;
    }
  }

  /** For one text that arrives in pieces. Texts that overlap are replaced as one. Linear in the length of the text, whatever is in it. */
  replacing(replacement: string): ReplacedText {
    // A backslash before an `n` may also be one, and the `n` the beginning of a searched text: so both readings are searched.
    const [plain, escaped] = [false, true].map((escapes) => new Replacing(this.#root, replacement, escapes));
    return {
      add: (piece) => escaped?.add(plain?.add(piece) ?? "") ?? "",
      end: () => (escaped?.add(plain?.end() ?? "") ?? "") + (escaped?.end() ?? ""),
    };
  }

  /** A quick look: false if the text contains none of the searched texts. */
  mayContain(text: string): boolean {
    if (this.#hasBeginning(text)) return true;
    return /\\[nr]/.test(text) && this.#hasBeginning(text.replace(/\\{1,8}[nr]/g, "\n"));
  }

  #hasBeginning(text: string): boolean {
    let [first, second, isBehind] = [0, 0, false];
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      isBehind = isOfBreak(unit, isBehind);
      if (isBehind) continue;
      if (this.#begins[markOf(first, second, unit)] === 1) return true;
      first = second;
      second = unit;
    }
    return false;
  }

  #add(text: string): void {
    if (text.length < beginning) return;
    this.#begins[markOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2))] = 1;
    let node = this.#root;
    for (let at = 0; at < text.length; at += 1) node = childOf(node, text.charCodeAt(at));
    node.found = text.length;
  }
}

/** Maximum backslashes before an `n` that are read as a line break: that many levels of JSON in JSON are 4. */
const maxBackslashes = 8;

/** The work of `TextSearch.replacing`, with or without line breaks that are written as `\\n`. */
class Replacing implements ReplacedText {
  readonly #root: Node;
  readonly #replacement: string;
  readonly #escapes: boolean;
  #node: Node;
  /** Position in the whole text of the latest line break that is written with backslashes. */
  #escape = -1;
  /** The last character was part of a line break or indentation. */
  #isBehind = false;
  #held = "";
  /** Characters of the held text that were searched. */
  #read = 0;
  /** Characters that have left before the held text. */
  #left = 0;
  /** Positions in the whole text of the latest characters that count, at least of those that may become a searched text. */
  #positions: number[] = [];
  /** Positions of found texts in the held text, in order. Of one that begins before it, the replacement has left already. */
  #found: { from: number; to: number }[] = [];

  constructor(root: Node, replacement: string, escapes: boolean) {
    this.#root = root;
    this.#node = root;
    this.#replacement = replacement;
    this.#escapes = escapes;
  }

  add(piece: string): string {
    const text = this.#held + piece;
    let at = this.#read;
    while (at < text.length) {
      const end = this.#escapes ? endOfEscape(text, at) : at;
      if (end === undefined) break;
      if (end === at) this.#take(text.charCodeAt(at), at);
      else this.#skip(at);
      at = Math.max(end, at + 1);
    }
    const { begun } = this.#node;
    const first = begun === 0 ? undefined : this.#positions.at(-begun);
    const end = first === undefined ? at : first - this.#left;
    this.#read = at - end;
    return this.#leave(text, end);
  }

  end(): string {
    [this.#node, this.#read, this.#isBehind] = [this.#root, 0, false];
    return this.#leave(this.#held, this.#held.length);
  }

  #skip(at: number): void {
    this.#isBehind = true;
    this.#escape = this.#left + at;
  }

  #take(unit: number, at: number): void {
    this.#isBehind = isOfBreak(unit, this.#isBehind);
    // A blank behind a break may belong to the searched text.
    if (this.#isBehind && (isBreak(unit) || longerOf(this.#node, unit) === undefined)) return;
    this.#node = follow(this.#node, unit);
    const { begun, found } = this.#node;
    this.#positions.push(this.#left + at);
    const from = found > 0 ? (this.#positions.at(-found) ?? 0) : Number.POSITIVE_INFINITY;
    // Without a break in it, the plain reading has found it, and its replacement may look like a searched text.
    if (from < (this.#escapes ? this.#escape : Number.POSITIVE_INFINITY))
      this.#note(from - this.#left, at + 1);
    if (this.#positions.length > 2 * begun + 64)
      this.#positions = this.#positions.slice(this.#positions.length - begun);
  }

  #note(from: number, to: number): void {
    let first = from;
    for (let last = this.#found.at(-1); last !== undefined && last.to > first; last = this.#found.at(-1)) {
      first = Math.min(first, last.from);
      this.#found.pop();
    }
    this.#found.push({ from: first, to });
  }

  /** Lets the text leave up to a position. */
  #leave(text: string, end: number): string {
    let clean = "";
    let done = 0;
    for (const { from, to } of this.#found) {
      if (from >= end) break;
      if (from >= 0) clean += text.slice(done, from) + this.#replacement;
      done = to;
    }
    if (done < end) clean += text.slice(done, end);
    this.#held = text.slice(end);
    this.#left += end;
    this.#found = this.#found
      .filter(({ to }) => to > end)
      .map(({ from, to }) => ({ from: from - end, to: to - end }));
    return clean;
  }
}

/** The end of a line break that is written with backslashes; the position itself if there is none, undefined if it may follow. */
function endOfEscape(text: string, at: number): number | undefined {
  let end = at;
  while (text[end] === "\\" && end < at + maxBackslashes) end += 1;
  if (end === at) return at;
  if (end === text.length) return undefined;
  return text[end] === "n" || text[end] === "r" ? end + 1 : at;
}

function isBreak(unit: number): boolean {
  return unit === 10 || unit === 13;
}

/** Whether a character belongs to a line break or, if the one before does, to the indentation behind it. */
function isOfBreak(unit: number, isBehind: boolean): boolean {
  return isBreak(unit) || (isBehind && (unit === 32 || unit === 9));
}

function markOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & 65_535;
}

/** The node of one more character; makes it. */
function childOf(node: Node, unit: number): Node {
  const known = longerOf(node, unit);
  if (known !== undefined) return known;
  const made = newNode();
  if (node.child === undefined) {
    node.unit = unit;
    node.child = made;
  } else {
    node.more ??= new Map();
    node.more.set(unit, made);
  }
  return made;
}

function longerOf({ unit: own, child, more }: Node, unit: number): Node | undefined {
  return own === unit ? child : more?.get(unit);
}

function childrenOf({ child, more }: Node): Node[] {
  return child === undefined ? [] : [child, ...(more?.values() ?? [])];
}

/** Completes a node once all shorter ones are complete. */
function link(node: Node, depth: number, root: Node): void {
  const { shorter, unit, child, more } = node;
  node.found = Math.max(node.found, shorter?.found ?? 0);
  node.begun = child === undefined ? (shorter?.begun ?? 0) : depth;
  if (child === undefined) return;
  for (const [each, longer] of [[unit, child] as const, ...(more ?? [])])
    longer.shorter = shorter === undefined ? root : follow(shorter, each);
}

function follow(node: Node, unit: number): Node {
  for (let at = node; ; at = at.shorter) {
    const next = longerOf(at, unit);
    if (next !== undefined) return next;
    if (at.shorter === undefined) return at;
  }
}
