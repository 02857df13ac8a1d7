import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { createFlowSource } from "../src/flows/flow-source.ts";
import { openSqliteTurnLog } from "../src/storage/sqlite/sqlite-turn-log.ts";
import { type Line, scriptedModel } from "../test/support/models/scripted-model.ts";
import { testSkill, testSource } from "../test/support/skills/test-skill.ts";
import { createTestApp } from "../test/support/test-app.ts";
import { shippedSkills } from "./bench-app.ts";
import { limited, type Measure } from "./measure.ts";

/** Measured turns, after one that stores their shared data. */
const turns = 200;

const script: readonly Line[] = [
  [{ call: "act", with: { text: "order 17" } }],
  [{ call: "note" }],
  [{ call: "list_skills" }],
  "Order 17 is on its way, and these are the skills of this channel.",
];

/**
 * Bytes of the turn log's file for each turn, in threads of their own: the turn runs a tool and a flow and lists the skills that ship
 * with the bot.
 */
export async function measureTurnDisk(folder: string): Promise<Measure[]> {
  const root = path.join(folder, "flows-on-disk");
  await mkdir(root, { recursive: true });
  const start = { type: "start", config: { variables: [{ name: "name", value: "x" }] } };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the flow.
  const check = { type: "condition", config: { if: { value: "${name}", is: "equals", to: "x" } } };
  await writeFile(path.join(root, "note.json"), JSON.stringify({ name: "note", steps: [start, check] }));
  const file = path.join(folder, "disk.db");
  const log = await openSqliteTurnLog(file);
  let round = 0;
  const model = scriptedModel(() => script[round++ % script.length] ?? "");
  const flows = createFlowSource({ source: "workspace", precedence: 4, root });
  const act = testSkill("act", [{ name: "act", effect: "read_only" }]);
  const test = createTestApp(model, {
    log,
    sources: [shippedSkills(), flows, testSource([act])],
    limits: { tool_output_tokens: 20_000, transcript_tokens: 200_000 },
  });
  const ask = async (turn: number) => {
    const { end } = await test.ask(`Where is order ${turn}?`, { thread: `thread-${turn}` });
    if (end.outcome !== "completed") throw new Error(`A turn ended ${end.outcome}: ${end.text}`);
  };
  const sizeOf = async () => {
    await log.scrub();
    return (await stat(file)).size;
  };
  await ask(0);
  const before = await sizeOf();
  for (let turn = 1; turn <= turns; turn += 1) await ask(turn);
  const kilobytes = ((await sizeOf()) - before) / turns / 1_000;
  await test.stop(1_000);
  await log.close();
  return [limited({ name: "Turn log on the disk, a turn", ours: kilobytes, target: 13, unit: "KB" })];
}
