import { isContainer } from "../../base/record.ts";

/** Replaces secrets in outgoing data: events, logs, messages. Returns the same value if it contains none. */
export type Redact = <T>(value: T) => T;

/** Redacts whole values, and texts that arrive in pieces. */
export interface Redactor {
  <T>(value: T): T;
  /** For one text that arrives in pieces. */
  stream(): RedactedStream;
}

/**
 * One text that arrives in pieces. The joined results of `add` and `end` equal the whole text as redacted by `Redact`, so that a secret
 * that spans pieces does not leak. Takes time linear in the length of the text.
 */
export interface RedactedStream {
  /** Adds the next piece. Returns the text that is safe to release: everything except a possible beginning of a secret at the end. */
  add(piece: string): string;
  /** Completes the text. Returns the text that was held back. */
  end(): string;
}

/** Replacement for a secret. */
export const mask = "[secret]";

/** Minimum characters of a secret: shorter values are too common in ordinary text. */
const minSecret = 6;

/** Minimum characters of a line of a multi-line secret that is also redacted by itself. */
const minLine = 16;

/** A form of secrets that are not known in advance. They consist of letters, digits and `_.-` only. */
export interface SecretForm {
  /** A part that all of them contain; it is searched first. */
  mark: string;
  /** Global. */
  pattern: RegExp;
}

/** Creates a redactor for values that must never be shown: keys, tokens, variables of skills. */
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
    // Most objects contain no secret, so nothing is copied before one is found.
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

/** Secrets in the forms they take in texts: whole, line by line, and escaped as in JSON. Frames such as `-----BEGIN …` are not secret. */
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
 * A state of the search for all secrets at once (Aho and Corasick, "Efficient string matching", 1975): the longest suffix of the text so
 * far that begins a secret.
 */
interface SearchState {
  /** By UTF-16 unit. */
  next: Map<number, SearchState>;
  /** The next shorter suffix that begins a secret; undefined for the empty one. */
  shorter: SearchState | undefined;
  /** Characters of the longest secret that ends here; 0 if there is none. */
  found: number;
  /** Characters at the end of the text that may become a secret. */
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

/** Completes a state once all shorter ones are complete. */
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

/** Masks overlapping secrets as one. */
function streamOfKnown(root: SearchState): RedactedStream {
  let state = root;
  let held = "";
  /** Positions of secrets in the held text, in order. For one that begins before it, the mask has already been released. */
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
    if (secrets.length === 0) {
      held = text.slice(end);
      return text.slice(0, end);
    }
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

/** Holds back a word that contains the mark of a form, or may begin it, until the word is complete. */
function streamOfForms(forms: readonly SecretForm[]): RedactedStream {
  let held = "";
  /** Whether the held text is a word with a mark. */
  let isWithin = false;
  /** The character before the held text: a form may require the beginning of a word. */
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

/** The position at which the last word begins to match a form; the length of the text if it does not. */
function begunForm(text: string, mark: string): number {
  let word = text.length;
  while (word > 0 && !otherCharacter.test(text[word - 1] ?? "")) word -= 1;
  const at = text.indexOf(mark, word);
  if (at >= 0) return at;
  let begun = Math.min(mark.length - 1, text.length - word);
  while (begun > 0 && !text.endsWith(mark.slice(0, begun))) begun -= 1;
  return text.length - begun;
}
