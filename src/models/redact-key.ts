/**
 * Parts of keys as servers echo them: `sk-proj-****abcd`, `Bearer eyJ…`, `Incorrect API key provided: my-ke**key.`
 * (the last is OpenAI's wording, which repeats the beginning and the end of any key).
 */
const echoes = [
  /(?<=api[ _-]?key[^:\n]{0,40}:\s*)\S+/gi,
  /(?<=\bbearer\s+)\S+/gi,
  /\b(?:sk|rk|pk|gsk|xai|key)-[\w.*-]{4,}/g,
  /[\w.-]*\*{3,}[\w.*-]*/g,
];

/** A server's text without the key, whole or in part. */
export function redactKey(text: string, key: string | undefined): string {
  const whole = key === undefined || key === "" ? text : text.replaceAll(key, "[key]");
  return echoes.reduce((current, echo) => current.replace(echo, "[key]"), whole);
}
