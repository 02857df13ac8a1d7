import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { once } from "../base/made-once.ts";

/** The file that ships: every setting with its default and, in the comment above it, its meaning. */
export const shippedFile = fileURLToPath(new URL("../../config/knack.yaml", import.meta.url));

/** The meanings of the settings by their dotted keys: the comment above each, without its last full stop and what follows `Environment:`. */
export const meanings = once((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const path: string[] = [];
  let comment = "";
  for (const line of readFileSync(shippedFile, "utf8").split("\n")) {
    const [, indent = "", text, key] = /^( *)(?:# ?(.*)|(\w+):.*)$/.exec(line) ?? [];
    if (text !== undefined) comment += ` ${text}`;
    if (key !== undefined) {
      path.splice(indent.length / 2, path.length, key);
      const meaning = comment.replace(/ Environment: .*$| {2,}.*$/, "");
      if (meaning !== "") found.set(path.join("."), meaning.trim().replace(/\.$/, ""));
    }
    if (text === undefined) comment = "";
  }
  return found;
});
