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

const frequent = "the and you that user with this for not your from send what".split(" ");
const plain =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;

/** Frequent words, by their form with letters shifted in the alphabet, or in reverse order, and how. */
const disguised = once(() => {
  const shifted = (word: string, by: number) =>
    word.replace(/./g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)));
  const forms = (word: string) => [
    [[...word].toReversed().join(""), "its letters in reverse order"] as const,
    ...Array.from(
      { length: 25 },
      (_, at) => [shifted(word, at + 1), `its letters shifted (rot${25 - at})`] as const,
    ),
  ];
  return new Map(frequent.flatMap(forms));
});

/** How a text is disguised: four frequent words in one disguise, and more than there are plain ones. */
function disguiseOf(text: string): string | undefined {
  const words = [
    ...new Set(
      text
        .slice(0, 4_000)
        .toLowerCase()
        .match(/\b[a-z]{3,4}\b/g),
    ),
  ];
  const hidden = words.filter((word) => disguised().has(word) && word.search(plain) < 0);
  const groups = [...Map.groupBy(hidden, (word) => disguised().get(word) ?? "")];
  const [how, { length } = []] = groups.toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  return length !== undefined && length >= 4 && length > (text.match(plain)?.length ?? 0) ? how : undefined;
}

const carried = "It carries a command, an address or instructions in encoded form; decoded it is shown here.";

/** Text that has to be decoded to be read: encoded, escaped, shifted or reversed. Decoded, it is shown. */
export const encodedTextRule: FileRule = (file, { purpose }) => {
  const lines = file.lines.slice(0, 20_000);
  return lines.flatMap((line, at): Capability[] => {
    const gravity = (text: string) => (purpose.isAboutAttacks || isExplained(text) ? "info" : "warning");
    const decoded = decodedIn(line.text);
    // Few words of a line tell a disguise from a language: the next ones of its paragraph are looked at with it.
    const near = lines.slice(at, at + 4).map(({ text }) => text);
    const disguise = disguiseOf(near.join(" "));
    const isGrave = decoded !== undefined && command.test(decoded) && oddPlace(decoded) !== undefined;
    const severity = isGrave && gravity(decoded) === "warning" ? "danger" : gravity(decoded ?? "");
    return [
      ...(decoded ? [foundIn(file, { ...line, text: decoded }, severity, "encoded_command", carried)] : []),
      ...(disguise
        ? [foundIn(file, line, gravity(line.text), "encoded_text", `It has a text with ${disguise}.`)]
        : []),
    ];
  });
};
