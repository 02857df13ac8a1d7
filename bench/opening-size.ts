import path from "node:path";
import { configSchema } from "../src/config/schema.ts";
import { createMemoryKeyValue } from "../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../src/storage/memory-turn-log.ts";
import { inputTokens } from "../test/support/vendors/recording.ts";
import { startVendors } from "../test/support/vendors/vendors.ts";
import { ask } from "./ask.ts";
import { createBenchApp, shippedSkills } from "./bench-app.ts";
import { settingsFor } from "./cached-models.ts";
import { writeDocumentSkills } from "./document-skills.ts";
import { limited, type Measure } from "./measure.ts";

/** Tokens for the instructions and the agent's own tools. */
const rest = 2_000;

/**
 * What the first request of a thread has when 1,000 document skills are installed beside the shipped ones: no more than the list
 * of skills and the open tools may take, and the rest.
 */
export async function measureOpening(folder: string): Promise<Measure[]> {
  const skills = path.join(folder, "skills-1000");
  await writeDocumentSkills(skills, 1000);
  const vendors = await startVendors();
  const running = await createBenchApp({
    model: settingsFor({ choice: "anthropic/claude-sonnet-5-5", in_place: true }, vendors),
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
    skills: [skills],
    sources: [shippedSkills()],
  });
  running.start();
  try {
    await ask(running.app, "thread", "Hello");
    const usage = vendors.requests()[0]?.usage;
    if (usage === undefined) throw new Error("The model was not asked");
    const { skill_list_tokens, open_tools_tokens } = configSchema.parse({}).prompt;
    return [
      limited({
        name: "First request of a thread with 1,000 skills",
        ours: inputTokens(usage),
        target: skill_list_tokens + open_tools_tokens + rest,
        unit: "tokens",
      }),
    ];
  } finally {
    await running.stop(1_000);
    await vendors.stop();
  }
}
