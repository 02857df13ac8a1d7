import { madeOnce, once } from "../../base/made-once.ts";
import type { ReviewedLine, TextRole } from "../review-lines.ts";
import { acts, commands, type Fact, names } from "./acts.ts";
import { hostsIn, keysIn, oddPlace } from "./hosts.ts";

/** A statement or line with what it does. */
export interface FactLine extends ReviewedLine {
  /** The facts, and where in the text each of them is. */
  facts: ReadonlyMap<Fact, number>;
  /** Hosts that the description of the skill does not account for. */
  strangers: readonly string[];
  /** The same for the lines of a block of code in a guide and the line before it. */
  block: number;
}

/** Whether the description of a skill accounts for a host (`named`), or its guide as well (`told`). */
export type Accounts = Record<"named" | "told", (host: string) => boolean>;

type Row = (typeof commands | typeof acts)[number];
type Name = { fact: Fact; path: string; form: "name" | "call" | "method" };

const nameOf = (fact: Fact, written: string): Name => ({
  ...{ fact, path: written.replace(/^\.|\(\)$/g, "") },
  form: written.startsWith(".") ? "method" : written.endsWith("()") ? "call" : "name",
});

/** The rows and names to search for in a line that has a word, in small letters. */
const index = once(() => {
  const found = new Map<string, { rows: Row[]; names: Name[] }>();
  const of = (word: string) => madeOnce(found, word.toLowerCase(), () => ({ rows: [], names: [] }));
  for (const row of [...commands, ...acts])
    for (const word of row[1].split(" ").filter((each) => each !== "")) of(word).rows.push(row);
  for (const [fact, listed] of Object.entries(names))
    for (const name of listed.split(" ").map((written) => nameOf(fact as Fact, written)))
      of(name.path.slice(name.path.lastIndexOf(".") + 1)).names.push(name);
  return found;
});
const inAnyText = once((): ReadonlySet<Row> => new Set(commands));
const everywhere = once((): ReadonlySet<Row> => new Set(acts.filter(([, words]) => words === "")));

/** Commands and code that prose shows without a block of code around them. */
const shown = /\b(?:git|curl|wget|nc|ncat|scp|rsync|mail|ssh|eval|exec|getattr|__import__|child_process)\b/;

/** What the lines of a file do; those that do nothing are left out. */
export function factLines(
  lines: readonly ReviewedLine[],
  { raw, role }: { raw: string; role: TextRole },
  { named, told }: Accounts,
): FactLine[] {
  const hasKey = keysIn(raw);
  let block = 0;
  return lines.flatMap((line, at) => {
    const { text } = line;
    if (line.role !== "sample") block += 1;
    const isCode = role === "code" || line.role === "sample" || shown.test(text);
    const near = () => Array.from(lines.slice(at, at + 5), (each) => each.text).join("\n");
    const facts = wordFacts(text, isCode, near);
    const hosts = text.includes(".") ? hostsIn(text, isCode) : [];
    const strangers = hosts.filter((host) => !named(host) && !hasKey(host));
    const more = {
      host: hosts.length > 0,
      stranger: strangers.length > 0,
      untold: strangers.some((host) => !told(host)),
      odd: hosts.length > 0 && oddPlace(text, hosts) !== undefined,
      made_name: role === "code" && hasMadeName(text, raw),
      minified: role === "code" && text.length >= 2_000,
    };
    for (const [fact, isThere] of Object.entries(more)) if (isThere) facts.set(fact as Fact, 0);
    return facts.size === 0 ? [] : [{ ...line, facts, strangers, block }];
  });
}

/** A checksum or a signature that is compared before a program starts. */
const checked = /sha(?:256|512)sum|gpg --verify/;

/** What the words of a line lead to. A program may also be fetched and started within the next lines. */
function wordFacts(text: string, isCode: boolean, near: () => string): Map<Fact, number> {
  const facts = new Map<Fact, number>();
  const small = text.toLowerCase();
  // Of a long word, its beginning also counts: keys begin with the name of their service.
  const words = small
    .split(/[^\w$]+/)
    .flatMap((word) => (word.length < 16 ? [word] : [word, word.slice(0, 4)]));
  const entries = words.flatMap((word) => index().get(word) ?? []);
  const rows = new Set(entries.flatMap((entry) => entry.rows));
  for (const row of isCode
    ? new Set([...rows, ...everywhere()])
    : [...rows].filter((each) => inAnyText().has(each))) {
    const [fact, , ...forms] = row;
    const where = fact === "saves_and_starts" ? near() : text;
    const at = forms.map((form) => where.search(form)).find((found) => found >= 0);
    if (at !== undefined && !facts.has(fact) && (where === text || !checked.test(where))) facts.set(fact, at);
  }
  for (const name of isCode ? entries.flatMap((entry) => entry.names) : []) {
    const at = placeOf(name, text);
    if (at >= 0) facts.set(name.fact, at);
  }
  return facts;
}

/** Where a text has a name in its form; -1 if nowhere. */
function placeOf({ path, form }: Omit<Name, "fact">, text: string): number {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const [before = "", after] = [text[at - 1], text.slice(at + path.length, at + path.length + 2)];
    const isWhole = !/[\w$]/.test(before) && !/^[\w$]/.test(after);
    const isMethod = before === "." || before === ":";
    const isCalled = /^\s?\(/.test(after) && isMethod === (form === "method");
    if (isWhole && (form === "name" || isCalled)) return at;
  }
  return -1;
}

const revealing =
  /\b(?:eval|exec|system|popen|Popen|spawn|execSync|child_process|subprocess|ctypes|urlopen|curl|wget|constructor|environ)\b|\bhttps?:\/\/(?:[\w-]{1,60}\.){0,5}([\w-]{1,60}\.[a-z]{2,12})\b/g;

/** Whether a statement uses a name or a host that its file does not contain: it is made of pieces. */
function hasMadeName(text: string, raw: string): boolean {
  return [...text.matchAll(revealing)].some(
    ([name, path = name]) => placeOf({ path, form: "name" }, raw) < 0,
  );
}
