import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ToolContext } from "../src/core/skill/tool.ts";
import type { Json } from "../src/core/values/json.ts";
import { createImportedSkills } from "../src/imported/create-imported-skills.ts";
import { createSandbox } from "../src/sandbox/create-sandbox.ts";
import { createFolderSource } from "../src/skills/folder-source.ts";
import { systemClock } from "../src/wiring/system-clock.ts";
import { temporaryFolders } from "../test/support/temporary-folders.ts";
import { namespace } from "./bench-app.ts";
import { limited, type Measure, median } from "./measure.ts";

const calls = 200;

const manifest = {
  active: true,
  hubId: "timed",
  name: "Timed",
  schema: "skill-1.0.0",
  version: "1.0.0",
  description: "Works for a while and says for how long",
  entrypoint: { file: "handler.js", params: { rounds: { type: "number" } } },
  imported: true,
};

/** Says how long it worked, ms. */
const handler = `module.exports.runtime = { handler: async function ({ rounds }) {
  const began = performance.now();
  let sum = 0;
  for (let at = 0; at < rounds; at += 1) sum += Math.sqrt(at);
  this.introspect("worked");
  return String(performance.now() - began) + (sum < 0 ? "!" : "");
} };
`;

/** The overhead of calling an imported skill in the sandbox, once its process runs. */
export async function measureImportedSkill(folder: string): Promise<Measure[]> {
  const root = path.join(folder, "imported-skills");
  await mkdir(path.join(root, "timed"), { recursive: true });
  await writeFile(path.join(root, "timed", "plugin.json"), JSON.stringify(manifest));
  await writeFile(path.join(root, "timed", "handler.js"), handler);
  const { programs } = await createSandbox({ dataDir: path.join(folder, "imported-data") });
  const imported = createImportedSkills({
    folders: temporaryFolders(),
    programs,
    clock: systemClock,
    settingsOf: () => ({}),
    question_ms: 60_000,
  });
  try {
    const source = createFolderSource({
      source: "workspace",
      precedence: 4,
      root,
      importModules: false,
      formats: [imported.format],
    });
    const tool = (await source.load()).skills[0]?.tools[0];
    if (tool === undefined) throw new Error("The skill of this benchmark was not loaded.");
    const overheads: number[] = [];
    for (let at = 0; at <= calls; at += 1) {
      const began = performance.now();
      const result = await tool.run({ rounds: 100_000 } as Json, contextOf(at));
      const wall = performance.now() - began;
      if (result.status !== "ok") throw new Error(result.message);
      if (at > 0) overheads.push(wall - Number(result.output));
    }
    const name = "Calling an imported skill, over its own work";
    return [limited({ name, ours: median(overheads), target: 15, unit: "ms" })];
  } finally {
    imported.close();
  }
}

function contextOf(call: number): ToolContext {
  return {
    turn_id: "bench",
    call_id: String(call),
    place: { namespace, thread: "bench" },
    signal: new AbortController().signal,
    progress: () => {},
    network: { hosts: async () => [], couldReach: () => true, request: async () => false },
  } as unknown as ToolContext;
}
