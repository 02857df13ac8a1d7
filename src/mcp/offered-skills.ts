import type { Client } from "@modelcontextprotocol/client";
import { errorText } from "../base/error-text.ts";
import { oneLine } from "../base/markdown-text.ts";
import type { OfferedSkill } from "../core/skill/packages.ts";

/** The extension by which a server offers skills. */
export const skillsExtension = "io.modelcontextprotocol/skills";

const manifest = "SKILL.md";

/**
 * The skills that a server offers, each with all its files, checked against the digests in the server's list. What is wrong with one is its
 * `problem` and concerns no other. @param maxBytes of all files together @throws an error of the SDK
 */
export async function offeredSkills(
  client: Client,
  maxBytes: number,
  signal: AbortSignal,
): Promise<OfferedSkill[]> {
  const { SkillsClient } = await import("@modelcontextprotocol/client/ext/skills");
  const source = new SkillsClient(client, { skipInvalid: true });
  const { skills, invalid } = await source.list({}, { signal });
  if (skills.length + invalid.length === 0) throw new Error("It offers no skills.");
  let bytes = 0;
  const read = async (skill: (typeof skills)[number]) => {
    const { uri, resources } = skill;
    if (resources === "dynamic") throw new Error("Its files are made anew each time and have no digests.");
    bytes += resources.reduce((sum, { size }) => sum + size, 0);
    if (bytes > maxBytes) throw new Error(`With it, the files would be over ${maxBytes} bytes together.`);
    const root = uri.slice(0, -manifest.length);
    const files: OfferedSkill["files"] = [];
    for (const { uri: each } of resources) {
      if (!each.startsWith(root)) throw new Error(`${each} is outside its folder.`);
      const path = decodeURIComponent(each.slice(root.length));
      files.push({ path, data: (await source.read(skill, each, { signal })).bytes });
    }
    return files;
  };
  const offered: OfferedSkill[] = invalid.map(({ uri, index, reason }) => ({
    name: nameIn(uri) ?? `skill-${index + 1}`,
    files: [],
    problem: oneLine(reason, 300),
  }));
  for (const skill of skills) {
    const name = nameIn(skill.uri) ?? skill.frontmatter.name;
    try {
      offered.push({ name, files: await read(skill) });
    } catch (error) {
      signal.throwIfAborted();
      offered.push({ name, files: [], problem: oneLine(errorText(error), 300) });
    }
  }
  return offered;
}

/** The name of the folder in which a skill's SKILL.md is. */
function nameIn(uri: string | undefined): string | undefined {
  return uri?.split("/").at(-2) || undefined;
}
