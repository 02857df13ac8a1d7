import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSide } from "./child.ts";
import { writeDocumentSkills } from "./document-skills.ts";
import { limited, type Measure, median } from "./measure.ts";

/** Milliseconds after which the loader trusts the times of files; a fresh installation is looked at more closely. */
const settled = 300;

/** Loading 1,000 skill folders of three files: in a new process, and before each message when nothing has changed. */
export async function measureSkillLoading(folder: string): Promise<Measure[]> {
  const root = path.join(folder, "skills-to-load");
  await writeDocumentSkills(root, 1000);
  await sleep(settled);
  const cold: number[] = [];
  const again: number[] = [];
  for (let at = 0; at < 3; at += 1) {
    const side = await startSide("load-skills-process.ts", { root });
    cold.push((await side.run({ turns: 1 })).wallMs);
    for (let next = 0; next < 5; next += 1) again.push((await side.run({ turns: 1 })).wallMs);
    await side.stop();
  }
  return [
    limited({ name: "Loading 1,000 skill folders, cold", ours: median(cold), target: 1500, unit: "ms" }),
    limited({ name: "Loading them again, unchanged", ours: median(again), target: 50, unit: "ms" }),
  ];
}
