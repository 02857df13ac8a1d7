import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../fixtures/reviewed-packages");

/** A package of a catalogue: text files by path. */
export interface CataloguePackage {
  id: string;
  files: Record<string, string>;
}

/** All packages of one kind: those of every catalogue whose name begins with it. `honest.txt` describes the form. */
export function cataloguePackages(kind: "honest" | "hostile"): CataloguePackage[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(kind) && name.endsWith(".txt"));
  return names.flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split(/^@@@ package /m)
      .slice(1)
      .map(packageOf),
  );
}

function packageOf(text: string): CataloguePackage {
  const [head = "", ...files] = text.split(/^@@@ file /m);
  return {
    id: head.trim(),
    files: Object.fromEntries(
      files.map((file) => {
        const end = file.indexOf("\n");
        return [file.slice(0, end).trim(), made(`${file.slice(end + 1).trim()}\n`)];
      }),
    ),
  };
}

const makers: Record<string, (text: string) => string> = {
  base64: (text) => Buffer.from(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  rot13: (text) =>
    text.replace(/[a-z]/gi, (letter) => {
      const first = letter <= "Z" ? 65 : 97;
      return String.fromCharCode(first + ((letter.charCodeAt(0) - first + 13) % 26));
    }),
  repeat: (text) => {
    const [, count = "1", part = ""] = /^(\d+) (.*)$/s.exec(text) ?? [];
    return part.repeat(Number(count));
  },
};

function made(text: string): string {
  return text
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(
      /\[\[(base64|hex|rot13|repeat) (.*?)\]\](?!\])/gs,
      (_, maker, part) => makers[maker]?.(part) ?? "",
    );
}
