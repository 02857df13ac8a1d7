/** A worker as a process of its own. Arguments: the name of its engine, the address of the database, its id. Tells its parent of every job. */
import { setTimeout as sleep } from "node:timers/promises";
import { contestants } from "./engines.ts";
import { now, type Report } from "./reports.ts";

const slots = 8;
const jobMs = 30;

const [name = "", url = "", id = ""] = process.argv.slice(2);

function report(what: Report["what"], number?: number): void {
  process.send?.({ what, number, worker: id, at: now() } satisfies Report);
}

const engine = await contestants.find((contestant) => contestant.name === name)?.load();
if (engine === undefined) throw new Error(`No engine is called ${name}`);
await engine.work({
  url,
  id,
  slots,
  async run({ number }) {
    report("started", number);
    await sleep(jobMs);
    report("ended", number);
  },
});
report("ready");
process.on("disconnect", () => process.exit(0));
