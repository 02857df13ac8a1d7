import path from "node:path";
import { createMemoryKeyValue } from "../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../src/storage/memory-turn-log.ts";
import { ask } from "./ask.ts";
import { createBenchApp } from "./bench-app.ts";
import type { MockModel } from "./child.ts";
import { writeDocumentSkills } from "./document-skills.ts";
import { type Measure, relative } from "./measure.ts";
import { question } from "./workload.ts";

/** What a turn sends to the model with 1,000 document skills installed, against 10, with the default prompt budget. */
export async function measureRequestSize(mock: MockModel, folder: string): Promise<Measure[]> {
  const many = path.join(folder, "skills-1000");
  const few = path.join(folder, "skills-10");
  await writeDocumentSkills(few, 10);
  await writeDocumentSkills(many, 1000);
  const baseline = await kilobytesOfTurn(mock, few);
  const ours = await kilobytesOfTurn(mock, many);
  const name = "Request of a turn with 1,000 skills against 10";
  return [relative({ name, ours, baseline, target: 1.3, unit: "KB" })];
}

async function kilobytesOfTurn(mock: MockModel, skills: string): Promise<number> {
  const log = createMemoryTurnLog();
  const running = await createBenchApp({
    baseUrl: mock.url,
    log,
    store: createMemoryKeyValue(),
    skills: [skills],
  });
  running.start();
  await mock.received();
  await ask(running.app, "thread", question(1));
  const { bytes } = await mock.received();
  await running.stop(1000);
  await log.close();
  return bytes / 1024;
}
