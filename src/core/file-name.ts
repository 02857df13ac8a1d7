/** Longest name, characters, and bytes in UTF-8: file systems take 255, and stores put something around it. */
const longest = 100;
const longestBytes = 200;

/**
 * A name that is safe as the name of a file on every system and in an address: on one line, without separators, leading dots,
 * trailing dots or spaces, at most 100 characters with its extension kept. `file` when nothing is left.
 */
export function safeFileName(name: string): string {
  const plain = name
    .normalize("NFC")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[/\\<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+/, "")
    .replace(/(?<![. ])[. ]+$/, "");
  const dot = plain.lastIndexOf(".");
  const extension = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : "";
  const stem = plain.slice(0, plain.length - extension.length);
  return stem === "" && extension === "" ? "file" : shortened(stem || "file", extension);
}

/** The n-th name after this one, for a file whose name is taken: `report-2.csv`. */
export function numberedFileName(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  return shortened(name.slice(0, at), `-${number}${name.slice(at)}`);
}

function shortened(stem: string, ending: string): string {
  const encoder = new TextEncoder();
  const room = longestBytes - encoder.encode(ending).length;
  let kept = [...stem.slice(0, longest)];
  while (kept.join("").length + ending.length > longest || encoder.encode(kept.join("")).length > room) {
    kept = kept.slice(0, -1);
  }
  return `${kept.join("").trimEnd() || "file"}${ending}`;
}

/** A media type as headers take it; `application/octet-stream` for anything else. */
export function safeMediaType(mediaType: string): string {
  const plain = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,80}$/.test(plain)
    ? plain
    : "application/octet-stream";
}
