import { type Capability, type FileRule, foundIn } from "../review-subject.ts";
import { oddPlace } from "./hosts.ts";
import type { Code } from "./meanings.ts";
import { isExplained } from "./signs.ts";

const isCommand = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i;
const commandLike = /\bnc -|child_process|subprocess|os\.system|https?:\/\//i;
/** The first command or address in base64, hex or escapes; undefined if there is none. */
function decodedIn(text: string): string | undefined {
  for (const [blob] of text.matchAll(
    /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g,
  )) {
    const hex = blob.replaceAll("\\x", "");
    const isHex = /^[0-9a-f]+$/i.test(hex) && hex.length % 2 === 0;
    const bytes = isHex ? Buffer.from(hex, "hex") : Buffer.from(blob, "base64");
    const decoded = bytes.includes(0) ? bytes.toString("utf16le") : bytes.toString("utf8");
    const isReadable = /^[\x20-\x7e\s]{10,}$/.test(decoded);
    if (isReadable && [isCommand, commandLike, sentenceLike].some((form) => form.test(decoded)))
      return decoded;
  }
  return undefined;
}

const sentenceLike =
  /^(?=.*\b(?:send|agent|always|never|ignore|user|memory|call|run|do not|instructions?)\b)(?:\S{1,20}\s){5}/i;

/** Frequent words, by their form with letters shifted in the alphabet or in reverse order. */
const disguised = new Map(
  ["the", "and", "you", "that", "user", "with", "this", "for", "not", "your", "from", "send", "what"].flatMap(
    (word) => [
      ...Array.from({ length: 25 }, (_, at) => [shift(word, at + 1), at + 1] as const),
      [[...word].toReversed().join(""), 0] as const,
    ],
  ),
);
const plain =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;

function shift(text: string, by: number): string {
  return [...text]
    .map((letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)))
    .join("");
}

/** How a line of text is disguised: four frequent words in one disguise, and more than there are plain ones. */
function shiftedText(text: string): string | undefined {
  if (text.length < 40) return undefined;
  const counts = new Map<number, Set<string>>();
  for (const [word] of text.slice(0, 4_000).matchAll(/\b[a-z]{3,4}\b/gi)) {
    const by = disguised.get(word.toLowerCase());
    if (by !== undefined) counts.set(by, (counts.get(by) ?? new Set()).add(word.toLowerCase()));
  }
  const [by, words] = [...counts].toSorted((a, b) => b[1].size - a[1].size)[0] ?? [0, new Set()];
  if (words.size < 4 || words.size <= (text.match(plain)?.length ?? 0)) return undefined;
  return by === 0 ? "its letters in reverse order" : `its letters shifted (rot${26 - by})`;
}

/** Text that has to be decoded to be read: encoded, escaped, shifted or reversed. Decoded, it is shown. */
export const encodedTextRule: FileRule = (file, { purpose }) => {
  const found: Capability[] = [];
  const lines = file.lines.slice(0, 20_000);
  for (const [at, line] of lines.entries()) {
    if (found.length >= 20) break;
    const add = (severity: Capability["severity"], code: Code, message: string, text: string) => {
      const isMeant = !purpose.isAboutAttacks && !isExplained(text);
      found.push(foundIn(file, { ...line, text }, isMeant ? severity : "info", code, message));
    };
    const decoded = decodedIn(line.text);
    const isGrave = decoded !== undefined && isCommand.test(decoded) && oddPlace(decoded) !== undefined;
    if (decoded !== undefined) add(isGrave ? "danger" : "warning", "encoded_command", carried, decoded);
    // Few words of a line tell a disguise from a language: the next ones of its paragraph are looked at with it.
    const next = lines.slice(at, at + 4).map(({ text }) => text);
    const shifted = shiftedText(next.join(" "));
    if (shifted !== undefined) add("warning", "encoded_text", `It has a text with ${shifted}.`, line.text);
  }
  const long = file.role === "code" ? lines.find(({ text }) => text.length >= 2_000) : undefined;
  return long === undefined ? found : [...found, foundIn(file, { ...long, text: "" }, "info", "minified")];
};

const carried = "It carries a command, an address or instructions in encoded form; decoded it is shown here.";
