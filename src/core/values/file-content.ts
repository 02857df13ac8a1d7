/** What the bytes of a file are, looked at without trusting its name or what the platform says of it. */

import { decodeText, guessNote } from "../../base/decode-text.ts";
import { whyUnreadable } from "./unreadable-file.ts";

export type FileContent =
  /** `note` says which encoding was guessed. */
  | { kind: "text"; text: string; note?: string }
  | { kind: "image"; media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { kind: "unreadable"; problem: string };

/** Text, a picture models are shown, or why it is neither. */
export function readContent(name: string, mediaType: string, data: Uint8Array): FileContent {
  const image = imageType(data);
  if (image !== undefined) return { kind: "image", media_type: image };
  const known = whyUnreadable(name, data);
  if (known !== undefined) return { kind: "unreadable", problem: known };
  if (mediaType.startsWith("image/") && mediaType !== "image/svg+xml") {
    return { kind: "unreadable", problem: "only PNG, JPEG, GIF and WebP pictures can be looked at" };
  }
  const decoded = decodeText(data);
  if (decoded !== undefined && (decoded.likeness >= surelyText || isTextLike(name, mediaType))) {
    const note = guessNote(decoded);
    return { kind: "text", text: decoded.text, ...(note === undefined ? {} : { note }) };
  }
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

/** How like text the bytes of a file must be that does not say that it is text. */
const surelyText = 0.75;

/** Whether a file says that it is text; then it is one in whatever encoding. */
function isTextLike(name: string, mediaType: string): boolean {
  return (
    /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-sh|sql|toml|x-ndjson)$/.test(mediaType) ||
    /\.(txt|md|markdown|rst|po|properties|csv|tsv|log|json|jsonl|ya?ml|xml|html?|css|ini|toml|conf|cfg|env|srt|vtt|tex|sql|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|ps1|pl|lua|r|scala|diff|patch)$/i.test(
      name,
    )
  );
}
