/** Longest name, characters, and bytes in UTF-8: file systems take 255, and stores put something around it. */
const longest = 100;
const longestBytes = 200;

/** Characters that nobody sees, that end a line or that turn the direction of what follows. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Windows opens a device for these, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name that is safe as the name of a file on every system, in a command line and in an address: on one line, without separators, leading
 * dots or hyphens, trailing dots or spaces, no name of a device, at most 100 characters with its extension kept. `file` when nothing is
 * left. Files that code or people named are stored and shown under it.
 */
export function safeFileName(name: string): string {
  const plain = name
    .normalize("NFC")
    .toWellFormed()
    .replace(unseen, "")
    .replace(/[/\\<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+/, "")
    .replace(/(?<![. ])[. ]+$/, "");
  const taken = plain.startsWith("-") || devices.test(plain) ? `_${plain}` : plain;
  return withinLength(taken);
}

function withinLength(plain: string): string {
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

/** A path in the one form that all its spellings share: letters composed (NFC), slashes forward. */
export function pathForm(path: string): string {
  return path.replaceAll("\\", "/").normalize("NFC");
}
