import { isContainer } from "../../base/record.ts";

/** Replaces secrets in anything that leaves: events, logs, messages. Returns the same value when there is none in it. */
export type Redact = <T>(value: T) => T;

/** Redacts whole values, and texts that come in pieces. */
export interface Redactor {
  <T>(value: T): T;
  /** For one text that comes in pieces. */
  stream(): RedactedStream;
}

/**
 * One text that comes in pieces. What `add` and `end` return, joined, is the whole text as `Redact` returns it, so that a secret in
 * two pieces does not leave. The work is linear in the length of the text.
 */
interface RedactedStream {
  /** Takes the next piece. Returns what may leave: everything but an end that may be the beginning of a secret. */
  add(piece: string): string;
  /** The text is complete. Returns what was held back. */
  end(): string;
}

/** Replaces a secret. */
const mask = "[secret]";

/** Shorter values are too common to be told from text, characters. */
const minSecret = 6;

/** A secret of several lines is also found line by line, where a line is at least this long, characters. */
const minLine = 16;

/** Secrets that are not known beforehand, by their form. Letters, digits and `_.-` are all they consist of. */
export interface SecretForm {
  /** Part of every one of them: what a text is searched for first. */
  mark: string;
  /** Global. */
  pattern: RegExp;
}

/** Knows the values that must never be shown: keys, tokens, variables of skills. */
export function createRedactor(secrets: readonly string[], forms: readonly SecretForm[] = []): Redactor {
  const known = secretTexts(secrets);
  const marks = [...known, ...forms.map(({ mark }) => mark)];
  const shortest = Math.min(...marks.map(({ length }) => length));
  const root = searchTree(known);
  const stream = (): RedactedStream => {
    const exact = streamOfKnown(root);
    const formed = streamOfForms(forms);
    return {
      add: (piece) => formed.add(exact.add(piece)),
      end: () => formed.add(exact.end()) + formed.end(),
    };
  };
  const inText = (text: string) => {
    if (text.length < shortest || !marks.some((each) => text.includes(each))) return text;
    const whole = stream();
    return whole.add(text) + whole.end();
  };
  const inValue = (value: unknown): unknown => {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return mapChanged(value, inValue);
    if (!isContainer(value)) return value;
    // Most objects hold no secret: nothing is made before one is found.
    for (const key of Object.keys(value)) {
      const item = value[key as keyof typeof value];
      if (inText(key) === key && inValue(item) === item) continue;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [inText(name), inValue(each)]));
    }
    return value;
  };
  return Object.assign(<T>(value: T) => (marks.length === 0 ? value : (inValue(value) as T)), { stream });
}

function mapChanged(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

/** Secrets as texts show them: whole, line by line, and within JSON. Frames such as `-----BEGIN …` tell nothing. */
function secretTexts(secrets: readonly string[]): string[] {
  const written = secrets
    .filter((secret) => secret.length >= minSecret)
    .flatMap((secret) => {
      const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
      const telling = lines.filter((line) => line.length >= minLine && !line.startsWith("-----"));
      return lines.length === 1 ? secret : [secret, ...telling];
    });
  return [...new Set(written.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
}

/**
 * A state of the search for all secrets at once (Aho and Corasick, "Efficient string matching", 1975): the longest end of the text so
 * far that begins a secret.
 */
interface SearchState {
  /** By UTF-16 unit. */
  next: Map<number, SearchState>;
  /** The next shorter end of the text that begins a secret; undefined for the empty one. */
  shorter: SearchState | undefined;
  /** Characters of the longest secret that ends here; 0 for none. */
  found: number;
  /** Characters at the end of the text that may go on to become a secret. */
  begun: number;
}

const emptyState = (): SearchState => ({ next: new Map(), shorter: undefined, found: 0, begun: 0 });

function searchTree(secrets: readonly string[]): SearchState {
  const root = emptyState();
  for (const secret of secrets) {
    let at = root;
    for (let index = 0; index < secret.length; index += 1) {
      const unit = secret.charCodeAt(index);
      const next = at.next.get(unit) ?? emptyState();
      at.next.set(unit, next);
      at = next;
    }
    at.found = secret.length;
  }
  let depth = 0;
  for (let level = [root]; level.length > 0; level = level.flatMap(({ next }) => [...next.values()])) {
    for (const at of level) link(at, depth, root);
    depth += 1;
  }
  return root;
}

/** Completes a state when all shorter ones are complete. */
function link(at: SearchState, depth: number, root: SearchState): void {
  const { next, shorter } = at;
  at.found = Math.max(at.found, shorter?.found ?? 0);
  at.begun = next.size > 0 ? depth : (shorter?.begun ?? 0);
  for (const [unit, longer] of next) longer.shorter = shorter === undefined ? root : follow(shorter, unit);
}

function follow(state: SearchState, unit: number): SearchState {
  for (let at = state; ; at = at.shorter) {
    const next = at.next.get(unit);
    if (next !== undefined) return next;
    if (at.shorter === undefined) return at;
  }
}

/** Secrets that overlap are masked as one. */
function streamOfKnown(root: SearchState): RedactedStream {
  let state = root;
  let held = "";
  /** Where secrets are in what is held, in order. Of one that begins before it, the mask has left. */
  let secrets: { from: number; to: number }[] = [];

  const note = (from: number, to: number) => {
    let first = from;
    for (let last = secrets.at(-1); last !== undefined && last.to > first; last = secrets.at(-1)) {
      first = Math.min(first, last.from);
      secrets.pop();
    }
    secrets.push({ from: first, to });
  };
  const leave = (text: string, end: number) => {
    let clean = "";
    let done = 0;
    for (const { from, to } of secrets) {
      if (from >= end) break;
      if (from >= 0) clean += text.slice(done, from) + mask;
      done = to;
    }
    if (done < end) clean += text.slice(done, end);
    held = text.slice(end);
    secrets = secrets
      .filter(({ to }) => to > end)
      .map(({ from, to }) => ({ from: from - end, to: to - end }));
    return clean;
  };
  return {
    add(piece) {
      const text = held + piece;
      for (let at = held.length; at < text.length; at += 1) {
        state = follow(state, text.charCodeAt(at));
        if (state.found > 0) note(at + 1 - state.found, at + 1);
      }
      return leave(text, text.length - state.begun);
    },
    end() {
      state = root;
      return leave(held, held.length);
    },
  };
}

/** Ends a secret of a form. */
const otherCharacter = /[^\w.-]/;

/** Holds back a word that holds the mark of a form, or may begin it, until the word is complete. */
function streamOfForms(forms: readonly SecretForm[]): RedactedStream {
  let held = "";
  /** Whether it is a word with a mark. */
  let isWithin = false;
  /** The character before what is held: a form may ask for the beginning of a word. */
  let before = "";

  const leave = (text: string, end: number) => {
    const ready = before + text.slice(0, end);
    const clean = forms.reduce((all, { pattern }) => all.replaceAll(pattern, mask), ready);
    const left = clean.slice(before.length);
    before = ready.slice(-1);
    held = text.slice(end);
    isWithin = forms.some(({ mark }) => held.startsWith(mark));
    return left;
  };
  return {
    add(piece) {
      if (forms.length === 0) return piece;
      const text = held + piece;
      if (isWithin && !otherCharacter.test(piece)) {
        held = text;
        return "";
      }
      return leave(text, Math.min(...forms.map(({ mark }) => begunForm(text, mark))));
    },
    end: () => leave(held, held.length),
  };
}

/** Where the last word begins to look like a form; the length of the text when it does not. */
function begunForm(text: string, mark: string): number {
  let word = text.length;
  while (word > 0 && !otherCharacter.test(text[word - 1] ?? "")) word -= 1;
  const at = text.indexOf(mark, word);
  if (at >= 0) return at;
  let begun = Math.min(mark.length - 1, text.length - word);
  while (begun > 0 && !text.endsWith(mark.slice(0, begun))) begun -= 1;
  return text.length - begun;
}
