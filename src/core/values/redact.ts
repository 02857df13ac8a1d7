import { isContainer } from "../../base/record.ts";
import { encodedForms } from "../../base/text/encoded-forms.ts";
import { type ReplacedText, TextSearch } from "../../base/text/text-search.ts";

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
export type RedactedStream = ReplacedText;

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
  const isEmpty = forms.length === 0 && secrets.every(({ length }) => length < minSecret);
  const search = new TextSearch(secretTexts(secrets));
  const stream = (): RedactedStream => {
    const exact = search.replacing(mask);
    const formed = streamOfForms(forms);
    return {
      add: (piece) => formed.add(exact.add(piece)),
      end: () => formed.add(exact.end()) + formed.end(),
    };
  };
  const inText = (text: string) => {
    if (!forms.some(({ mark }) => text.includes(mark)) && !search.mayContain(text)) return text;
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
  return Object.assign(<T>(value: T) => (isEmpty ? value : (inValue(value) as T)), { stream });
}

function mapChanged(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

/**
 * Secrets in the forms they take in texts: whole, line by line, and encoded. Frames such as `-----BEGIN …` are not secret. Long secrets are
 * encoded in pieces.
 */
function* secretTexts(secrets: readonly string[]): Generator<string> {
  for (const secret of secrets.filter(({ length }) => length >= minSecret)) {
    const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
    const telling = lines.filter((line) => line.length >= minLine && !line.startsWith("-----"));
    const parts = lines.length === 1 ? [secret] : telling;
    yield* [secret, ...parts];
    const pieces = parts.flatMap((part) => part.match(/[\s\S]{1,1000}/gu) ?? []);
    const encoded = pieces.flatMap((piece) => encodedForms(piece).filter((form) => form !== piece));
    yield* encoded.filter(({ length }) => length >= minSecret);
  }
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
