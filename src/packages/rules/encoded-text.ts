import { once } from "../../base/made-once.ts";
import { type Capability, type FileRule, foundIn } from "../review-subject.ts";
import { isExplained } from "./concepts.ts";
import { oddPlace } from "./hosts.ts";

const command = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i;
const others =
  /\bnc -|child_process|subprocess|os\.system|https?:\/\/|^(?=.*\b(?:send|agent|always|never|ignore|user|memory|call|run|do not|instructions?)\b)(?:\S{1,20}\s){5}/i;
const blobs = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g;

/** The first command, address or sentence in base64, hex or escapes. */
function decodedIn(text: string): string | undefined {
  const decoded = (text.match(blobs) ?? []).map((blob) => {
    const hex = blob.replaceAll("\\x", "");
    const bytes = Buffer.from(hex, /^(?:[0-9a-f]{2})+$/i.test(hex) ? "hex" : "base64");
    return bytes.toString(bytes.includes(0) ? "utf16le" : "utf8");
  });
  return decoded.find(
    (each) => /^[\x20-\x7e\s]{10,}$/.test(each) && (command.test(each) || others.test(each)),
  );
}

/** Frequent words, by their form with letters shifted in the alphabet, by how much, or in reverse order (0). */
const disguised = once(() => {
  const words = "the and you that user with this for not your from send what".split(" ");
  const shifted = (word: string, by: number) =>
    word.replace(/./g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)));
  const forms = (word: string) => Array.from({ length: 26 }, (_, by) => [shifted(word, by), by] as const);
  return new Map(words.flatMap((word) => [...forms(word), [[...word].toReversed().join(""), 0] as const]));
});
const plain =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;

/** How a text is disguised: four frequent words in one disguise, and more than there are plain ones. */
function disguiseOf(text: string): string | undefined {
  const words = new Set(
    text
      .slice(0, 4_000)
      .toLowerCase()
      .match(/\b[a-z]{3,4}\b/g),
  );
  const hidden = [...words].filter((word) => disguised().has(word) && word.search(plain) < 0);
  const groups = [...Map.groupBy(hidden, (word) => disguised().get(word) ?? 0)];
  const [by, { length }] = groups.toSorted((a, b) => b[1].length - a[1].length)[0] ?? [0, []];
  if (length < 4 || length <= (text.match(plain)?.length ?? 0)) return undefined;
  return by === 0 ? "its letters in reverse order" : `its letters shifted (rot${26 - by})`;
}

const carried = "It carries a command, an address or instructions in encoded form; decoded it is shown here.";

/** Text that has to be decoded to be read: encoded, escaped, shifted or reversed. Decoded, it is shown. */
export const encodedTextRule: FileRule = (file, { purpose }) => {
  const lines = file.lines.slice(0, 20_000);
  const found = lines.flatMap((line, at): Capability[] => {
    const gravity = (text: string) => (purpose.isAboutAttacks || isExplained(text) ? "info" : "warning");
    const decoded = decodedIn(line.text);
    // Few words of a line tell a disguise from a language: the next ones of its paragraph are looked at with it.
    const near = lines.slice(at, at + 4).map(({ text }) => text);
    const disguise = disguiseOf(near.join(" "));
    const message = `It has a text with ${disguise}.`;
    const isGrave = decoded !== undefined && command.test(decoded) && oddPlace(decoded) !== undefined;
    const severity = isGrave && gravity(decoded) === "warning" ? "danger" : gravity(decoded ?? "");
    return [
      ...(decoded ? [foundIn(file, { ...line, text: decoded }, severity, "encoded_command", carried)] : []),
      ...(disguise ? [foundIn(file, line, gravity(line.text), "encoded_text", message)] : []),
    ];
  });
  const long = file.role === "code" ? lines.find(({ text }) => text.length >= 2_000) : undefined;
  return long === undefined ? found : [...found, foundIn(file, { ...long, text: "" }, "info", "minified")];
};
