import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { SkillSource } from "../../src/core/skill/skill.ts";
import { createFolderSource } from "../../src/skills/folder-source.ts";
import { openBench, referenceServer } from "../../test/support/skills/mcp-bench.ts";
import { shippedSkills } from "../bench-app.ts";
import { prose } from "./tasks.ts";

/** The environment of the tasks, identical for both sides. */
export interface Surroundings {
  /** The shipped skills, a guide, and two tool servers: the reference servers `everything` and `filesystem`. */
  sources: readonly SkillSource[];
  /** Address of a page of some 20 kB. */
  page: string;
  /** The folder that the file server serves: `release.md` and `team.md`. */
  folder: string;
  close(): Promise<void>;
}

const folderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

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
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(pageText());
  });
  return {
    sources: [
      shippedSkills(),
      createFolderSource({
        source: "workspace",
        precedence: 4,
        root: folderOf("../guides"),
        importModules: false,
      }),
      mcp.source,
    ],
    page: await addressOf(server),
    folder,
    async close() {
      server.close();
      server.closeAllConnections();
      await mcp.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/plans`;
}

function pageText(): string {
  const sections = Array.from({ length: 16 }, (_, at) => {
    const fact = at === 12 ? "Backups are kept for thirty days, and yearly backups for ten years. " : "";
    return `<h2>Part ${at + 1}</h2><p>${fact}${prose(240)}</p>`;
  });
  const plans = "<p>The plan for teams costs 12 euros a person and month.</p>";
  return `<!doctype html><title>Plans</title><main><h1>Plans</h1>${plans}${sections.join("\n")}</main>`;
}
