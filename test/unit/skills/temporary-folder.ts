import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { SkillSource } from "../../../src/core/skill/skill.ts";
import type { SearchedFolder } from "../../../src/skills/folder-cache.ts";
import { createFolderSource } from "../../../src/skills/folder-source.ts";

export const fixtures = path.resolve(import.meta.dirname, "../../fixtures/skills");

/** A folder of files by relative path, removed after the test. Answers its real path. */
export function temporaryFolder(files: Record<string, string | Buffer> = {}): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "knack-skills-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export function sourceOf(root: string, options: Partial<SearchedFolder> = {}): SkillSource {
  return createFolderSource({ source: "workspace", precedence: 3, root, importModules: false, ...options });
}

export function skillText(name: string, body = "Body"): string {
  return `---\nname: ${name}\ndescription: Does ${name}\n---\n${body}\n`;
}
