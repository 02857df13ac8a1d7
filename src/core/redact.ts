/** Replaces secrets in anything that leaves: events, logs, messages. Answers the same value when there is none in it. */
export type Redact = <T>(value: T) => T;

/** What stands in the place of a secret. */
const mask = "[secret]";

/** Shorter values are too common to be told from text. */
const shortestSecret = 6;

/** Secrets that are not known beforehand, by their form. */
export interface SecretForm {
  /** Stands in every one of them: what a text is searched for first. */
  mark: string;
  /** Global. */
  pattern: RegExp;
}

/** Knows the values that must never be shown: keys, tokens, variables of skills. */
export function createRedactor(secrets: readonly string[], forms: readonly SecretForm[] = []): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= shortestSecret);
  known.sort((a, b) => b.length - a.length);
  if (known.length === 0 && forms.length === 0) return (value) => value;
  const shortest = Math.min(...[...known, ...forms.map(({ mark }) => mark)].map(({ length }) => length));
  const inText = (text: string) => {
    if (text.length < shortest) return text;
    let clean = text;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, mask);
    for (const { mark: sign, pattern } of forms)
      if (clean.includes(sign)) clean = clean.replaceAll(pattern, mask);
    return clean;
  };
  const inValue = (value: unknown): unknown => {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return mapChanged(value, inValue);
    if (typeof value !== "object" || value === null) return value;
    // Most objects hold no secret: nothing is made before one is found.
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      if (inText(key) === key && inValue(item) === item) continue;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [inText(name), inValue(each)]));
    }
    return value;
  };
  return <T>(value: T) => inValue(value) as T;
}

function mapChanged(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}
