/** A bot that runs scripts in its sandbox: see `startBot`. */
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { answerLines, type RanScript, type ScriptRun } from "./bot-as-user.ts";
import { ScriptFixture, scriptRequest } from "./script-fixture.ts";

using fixture = new ScriptFixture();
/** By their limits. */
const sandboxes = new Map<string, Sandbox>();
await answerLines<ScriptRun>(async ({ files, script, timeoutMs, limits = {} }): Promise<RanScript> => {
  const key = JSON.stringify(limits);
  const sandbox = sandboxes.get(key) ?? (await createSandbox({ dataDir: fixture.dataDir, limits }));
  sandboxes.set(key, sandbox);
  const request = scriptRequest(fixture.skill(files), script, { timeout_ms: timeoutMs });
  const outcome = await sandbox.scripts.run(request);
  return { isolation: sandbox.describe(), outcome };
});
