/**
 * `npm run bench`: the cost of Knack, as ratios within one run wherever a comparison exists.
 *
 * 1. Client CPU of a turn (three tool calls in sequence, then a streamed answer of 100 chunks) against a bare loop on the
 *    same SDK and the same mock server, with the turn log in memory and in SQLite, and of the first turn of a process.
 * 2. The same in a thread that has 1,000 messages.
 * 3. Tokens of the first request of a thread with 1,000 skills installed.
 * 4. Loading 1,000 skill folders, cold and again.
 * 5. Start of the bot until it is ready, its memory when idle, and how long `knack --help` takes.
 * 6. How long Slack waits for an acknowledgement while 200 turns run.
 * 7. The first answer of a bot with 200 imported and 200 document skills: with 20 unused tool servers, against none.
 * 8. How much of the input comes from the vendors' caches in a thread whose skills change.
 * 9. The longest time for which one person's input blocks the event loop of a whole bot.
 * 10. Message to claim, CPU and time of a turn, and an idle bot with the data in PostgreSQL, beside SQLite files.
 *
 * A missed target prints MISSED; the exit code stays 0. `--json` prints the measures as JSON, `--only 1,4` measures some.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { measureAcknowledgement } from "./acknowledgement.ts";
import { measureCachedShare } from "./cached-share.ts";
import { type MockModel, startMockModel } from "./child.ts";
import { measureEventLoop } from "./event-loop.ts";
import { measureFirstAnswer } from "./first-answer.ts";
import { formatTable, type Measure } from "./measure.ts";
import { measureOpening } from "./opening-size.ts";
import { measurePostgres } from "./postgres.ts";
import { measureSkillLoading } from "./skill-loading.ts";
import { measureStartUp } from "./start-up.ts";
import { freshThread, longThread, measureFirstTurn, measureTurns } from "./turn-overhead.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const measurements: ((mock: MockModel, folder: string) => Promise<Measure[]>)[] = [
  async (mock, folder) => [
    ...(await measureTurns(freshThread, mock, folder)),
    ...(await measureFirstTurn(mock)),
  ],
  (mock, folder) => measureTurns(longThread, mock, folder),
  (_, folder) => measureOpening(folder),
  (_, folder) => measureSkillLoading(folder),
  (_, folder) => measureStartUp(folder),
  measureAcknowledgement,
  measureFirstAnswer,
  measureCachedShare,
  measureEventLoop,
  measurePostgres,
];

const folder = await mkdtemp(path.join(tmpdir(), "knack-bench-"));
const mock = await startMockModel();
try {
  await measure();
} finally {
  await mock.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const chosen = options.only?.split(",").map((number) => Number(number) - 1) ?? measurements.keys();
  const measures: Measure[] = [];
  for (const at of chosen) measures.push(...((await measurements[at]?.(mock, folder)) ?? []));
  console.log(options.json ? JSON.stringify(measures, null, 2) : formatTable(measures));
}
