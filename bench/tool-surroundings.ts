import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { SkillSource } from "../src/core/skill/skill.ts";
import { createFolderSource } from "../src/skills/folder-source.ts";
import { openBench, referenceServer } from "../test/support/skills/mcp-bench.ts";
import { shippedSkills } from "./bench-app.ts";

/** What the conversation of `cached-share.ts` finds. */
export interface Surroundings {
  /** The shipped skills, a guide, and two tool servers: the reference servers `everything` and `filesystem`. */
  sources: readonly SkillSource[];
  /** The folder that the file server serves: `release.md` and `team.md`. */
  folder: string;
  close(): Promise<void>;
}

const guides = fileURLToPath(new URL("./guides", import.meta.url));

export async function openSurroundings(): Promise<Surroundings> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-bench-files-"));
  await writeFile(path.join(folder, "release.md"), `# Release 4.2\n\n${prose(500)}\n`);
  await writeFile(path.join(folder, "team.md"), `# Team\n\n${prose(200)}\n`);
  const mcp = await openBench({
    everything: referenceServer("everything"),
    filesystem: referenceServer("filesystem", folder),
  });
  mcp.start();
  for (const name of ["everything", "filesystem"]) await mcp.until(name, "running");
  return {
    sources: [
      shippedSkills(),
      createFolderSource({ source: "workspace", precedence: 4, root: guides, importModules: false }),
      mcp.source,
    ],
    folder,
    async close() {
      await mcp.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const subjects = ["The review", "Your team", "The new importer", "The deploy", "This plan", "Each customer"];
const verbs = ["mentions", "needs", "keeps", "shows", "names", "answers"];
const objects = [
  "what was agreed on last week",
  "two things that are still open",
  "a date which nobody has confirmed yet",
  "the numbers of the last quarter in one table",
  "who looks after it while the others are away",
];

/** A text of about so many tokens. No two of its sentences are alike. */
export function prose(tokens: number): string {
  // A sentence has some twelve tokens.
  const sentences = Array.from({ length: Math.round(tokens / 12) }, (_, at) => {
    const [subject, verb] = [subjects[at % subjects.length], verbs[Math.floor(at / 2) % verbs.length]];
    return `${subject} ${verb} ${objects[at % objects.length]} (${at + 1}).`;
  });
  return sentences.join(" ");
}
