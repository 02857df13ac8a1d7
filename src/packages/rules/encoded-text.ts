import { type Capability, type FileRule, type Code, foundIn } from "../review-subject.ts";
import { oddPlace } from "./hosts.ts";

import { isExplained } from "./signs.ts";

const command = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i;
const callOrAddress = /\bnc -|child_process|subprocess|os\.system|https?:\/\//i;
const sentence =
  /^(?=.*\b(?:send|agent|always|never|ignore|user|memory|call|run|do not|instructions?)\b)(?:\S{1,20}\s){5}/i;
const blobs = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g;

/** The first command, address or sentence in base64, hex or escapes. */
function decodedIn(text: string): string | undefined {
  return (text.match(blobs) ?? [])
    .map((blob) => {
      const hex = blob.replaceAll("\\x", "");
      const isHex = /^[0-9a-f]+$/i.test(hex) && hex.length % 2 === 0;
      const bytes = isHex ? Buffer.from(hex, "hex") : Buffer.from(blob, "base64");
      return bytes.includes(0) ? bytes.toString("utf16le") : bytes.toString("utf8");
    })
    .filter((decoded) => /^[\x20-\x7e\s]{10,}$/.test(decoded))
    .find((decoded) => [command, callOrAddress, sentence].some((form) => form.test(decoded)));
}

/** Frequent words, by their form with letters shifted in the alphabet or in reverse order (0). */
const disguised = new Map(
  "the and you that user with this for not your from send what"
    .split(" ")
    .flatMap((word) => [
      ...Array.from({ length: 25 }, (_, at) => [shift(word, at + 1), at + 1] as const),
      [[...word].toReversed().join(""), 0] as const,
    ]),
);
const plain =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;

function shift(text: string, by: number): string {
  return text.replace(/./g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)));
}

/** How a text is disguised: four frequent words in one disguise, and more than there are plain ones. */
function disguiseOf(text: string): string | undefined {
  if (text.length < 40) return undefined;
  const words = [
    ...new Set(
      text
        .slice(0, 4_000)
        .toLowerCase()
        .match(/\b[a-z]{3,4}\b/g),
    ),
  ];
  const groups = Map.groupBy(
    words.filter((word) => disguised.has(word)),
    (word) => disguised.get(word) ?? 0,
  );
  const [by, most] = [...groups].toSorted((a, b) => b[1].length - a[1].length)[0] ?? [0, []];
  if (most.length < 4 || most.length <= (text.match(plain)?.length ?? 0)) return undefined;
  return by === 0 ? "its letters in reverse order" : `its letters shifted (rot${26 - by})`;
}

const carried = "It carries a command, an address or instructions in encoded form; decoded it is shown here.";

/** Text that has to be decoded to be read: encoded, escaped, shifted or reversed. Decoded, it is shown. */
export const encodedTextRule: FileRule = (file, { purpose }) => {
  const found: Capability[] = [];
  const lines = file.lines.slice(0, 20_000);
  for (const [at, line] of lines.entries()) {
    const add = (gravity: Capability["severity"], code: Code, message: string, text: string) => {
      const severity = purpose.isAboutAttacks || isExplained(text) ? "info" : gravity;
      found.push(foundIn(file, { ...line, text }, severity, code, message));
    };
    const decoded = decodedIn(line.text) ?? "";
    const isGrave = command.test(decoded) && oddPlace(decoded) !== undefined;
    if (decoded !== "") add(isGrave ? "danger" : "warning", "encoded_command", carried, decoded);
    // Few words of a line tell a disguise from a language: the next ones of its paragraph are looked at with it.
    const disguise = disguiseOf(
      lines
        .slice(at, at + 4)
        .map(({ text }) => text)
        .join(" "),
    );
    if (disguise !== undefined) add("warning", "encoded_text", `It has a text with ${disguise}.`, line.text);
  }
  const long = file.role === "code" ? lines.find(({ text }) => text.length >= 2_000) : undefined;
  if (long !== undefined) found.push(foundIn(file, { ...long, text: "" }, "info", "minified"));
  return found;
};
