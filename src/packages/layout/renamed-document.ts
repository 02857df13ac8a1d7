import { looseText } from "../../base/decode-text.ts";
import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { PackageFile } from "../package-tree.ts";

/** The files of a skill with another id in its document: `id` of a SKILL.md, `hubId` of a plugin.json, the name of a flow. */
export function renamedDocument(files: readonly PackageFile[], document: string, id: string): PackageFile[] {
  return files.map((file) => (file.path === document ? { ...file, data: renamed(file, id) } : file));
}

function renamed({ path, data }: PackageFile, id: string): Buffer {
  const text = looseText(data);
  if (path.toLowerCase() === "skill.md") return Buffer.from(withId(text, id));
  const json = parsedJson(text);
  const change = path === "plugin.json" ? { hubId: id } : { name: id };
  return isRecord(json) ? Buffer.from(JSON.stringify({ ...json, ...change }, null, 2)) : data;
}

/** Puts the id first in the frontmatter, in place of another one. */
function withId(text: string, id: string): string {
  const line = `id: ${JSON.stringify(id)}`;
  const [frontmatter] = /^---[ \t]*\r?\n.*?^---/ms.exec(text) ?? [];
  if (frontmatter === undefined) return `---\n${line}\n---\n\n${text}`;
  const others = frontmatter.replace(/^id:.*\r?\n/m, "");
  return others.replace(/\n/, `\n${line}\n`) + text.slice(frontmatter.length);
}
