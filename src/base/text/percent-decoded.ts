/** A part of an address with its `%XX` decoded; the same text if one of them is wrong. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
