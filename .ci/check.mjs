// `npm run check`: runs all checks, as many at a time as there are processors, and prints what each said when it ends. The last line
// names those that failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";

/** What takes longest comes first. */
const waiting = [
  "tsc --noEmit",
  "knip",
  "depcruise --config .dependency-cruiser.cjs src skills",
  "tsc --noEmit -p src/console",
  "biome ci --colors=off .",
];
const failed = [];

async function runNext() {
  const check = waiting.shift();
  if (check === undefined) return;
  const child = spawn(check, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const parts = [text(child.stdout), text(child.stderr), once(child, "close")];
  const [said, complained, [code]] = await Promise.all(parts);
  console.log(`> ${check}\n${said}${complained}`);
  if (code !== 0) failed.push(check);
  await runNext();
}

await Promise.all(Array.from({ length: availableParallelism() }, runNext));
if (failed.length > 0) {
  console.log(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
