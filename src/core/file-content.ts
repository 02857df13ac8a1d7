/** What the bytes of a file are, looked at without trusting its name or what the platform says of it. */

export type FileContent =
  | { kind: "text"; text: string }
  | { kind: "image"; media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { kind: "unreadable"; problem: string };

/** Text, a picture models are shown, or why it is neither. */
export function readContent(name: string, mediaType: string, data: Uint8Array): FileContent {
  const image = imageType(data);
  if (image !== undefined) return { kind: "image", media_type: image };
  if (mediaType.startsWith("image/") && mediaType !== "image/svg+xml") {
    return { kind: "unreadable", problem: "only PNG, JPEG, GIF and WebP pictures can be looked at" };
  }
  const text = decodeText(data, isTextLike(name, mediaType));
  if (text !== undefined) return { kind: "text", text };
  return { kind: "unreadable", problem: "it is neither text nor a picture or document that can be read" };
}

/** By the first bytes: https://www.w3.org/TR/png/, ITU T.81, GIF89a, https://developers.google.com/speed/webp/docs/riff_container */
export function imageType(data: Uint8Array) {
  if (startsWith(data, 0, "\u0089PNG\r\n\u001a\n")) return "image/png";
  if (startsWith(data, 0, "\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (startsWith(data, 0, "GIF87a") || startsWith(data, 0, "GIF89a")) return "image/gif";
  if (startsWith(data, 0, "RIFF") && startsWith(data, 8, "WEBP")) return "image/webp";
  return undefined;
}

function startsWith(data: Uint8Array, at: number, characters: string): boolean {
  return [...characters].every((character, index) => data[at + index] === character.charCodeAt(0));
}

/** Whether a file says that it is text; then one in an older encoding is read as Windows-1252. */
function isTextLike(name: string, mediaType: string): boolean {
  return (
    /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-sh|sql|toml|x-ndjson)$/.test(mediaType) ||
    /\.(txt|md|markdown|rst|po|properties|csv|tsv|log|json|jsonl|ya?ml|xml|html?|css|ini|toml|conf|cfg|env|srt|vtt|tex|sql|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|ps1|pl|lua|r|scala|diff|patch)$/i.test(
      name,
    )
  );
}

/** By byte order mark, else UTF-8; undefined for what is no text. */
function decodeText(data: Uint8Array, textLike: boolean): string | undefined {
  if (data[0] === 0xff && data[1] === 0xfe) return decode("utf-16le", data);
  if (data[0] === 0xfe && data[1] === 0xff) return decode("utf-16be", data);
  if (hasControls(data)) return undefined;
  return decode("utf-8", data) ?? (textLike ? decode("windows-1252", data) : undefined);
}

/** Control characters other than tab, line ends, form feed and escape: no text in any encoding of bytes. */
function hasControls(data: Uint8Array): boolean {
  // A loop takes a fifth of the time of `some` with a function, and files may have 10 MB.
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 32;
    if (byte < 32 && (byte < 9 || (byte > 13 && byte !== 27))) return true;
  }
  return false;
}

function decode(encoding: string, data: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(data);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
