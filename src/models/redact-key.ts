/**
 * Parts of keys as servers echo them: `sk-proj-****abcd`, `Bearer eyJ…`, `Incorrect API key provided: my-ke**key.`
 * (the last is OpenAI's wording, which repeats the beginning and the end of any key).
 */
const echoes = [
  /(?<=api[ _-]?key[^:\n]{0,40}:\s{0,20})\S+/gi,
  /(?<=\bbearer\s{1,20})\S+/gi,
  /\b(?:sk|rk|pk|gsk|xai|key)-[\w.*-]{4,}/g,
  /\b(?:gsk_|tgp_v1_|AIza)[\w.*-]{4,}/g,
  /(?<![\w.-])[\w.-]*\*{3,}[\w.*-]*/g,
];

/** Shorter values of headers are too common to be told from text. */
const shortestSecret = 6;

/** A server's text without the key, whole or in part, and without further secrets that were sent. */
export function redactKey(text: string, key: string | undefined, ...further: readonly string[]): string {
  const secrets = [key ?? "", ...further.filter(({ length }) => length >= shortestSecret)];
  const whole = secrets
    .filter((secret) => secret !== "")
    .toSorted((a, b) => b.length - a.length)
    .reduce((current, secret) => current.replaceAll(secret, "[key]"), text);
  return echoes.reduce((current, echo) => current.replace(echo, "[key]"), whole);
}
