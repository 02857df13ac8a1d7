/** Characters shown before the first word that was searched for. */
const before = 120;

/** The part of a text around the first place with a word of the query; its beginning where no place has one. */
export function excerpt(text: string, query: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).toSorted(
    (a, b) => b.length - a.length,
  );
  const lower = line.toLowerCase();
  // The stem of a word stands in its other forms.
  const at = words
    .map((word) => lower.indexOf(word.slice(0, Math.max(4, word.length - 2))))
    .find((found) => found >= 0);
  const from = Math.max(0, Math.min((at ?? 0) - before, line.length - most));
  const start = from === 0 ? 0 : line.indexOf(" ", from) + 1;
  const end = start + most;
  return `${start === 0 ? "" : "…"}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
