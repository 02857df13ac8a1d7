/** A process of its own that runs one script in the sandbox: `script-process.ts REQUEST`, JSON; prints the outcome as JSON. */
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import type { BotRequest } from "./bot-as-user.ts";
import { ScriptFixture, scriptRequest } from "./script-fixture.ts";

const { files, script, timeoutMs, limits = {} }: BotRequest = JSON.parse(process.argv[2] ?? "{}");
using fixture = new ScriptFixture();
const sandbox = await createSandbox({ dataDir: fixture.dataDir, limits });
const request = scriptRequest(fixture.skill(files), script, { timeout_ms: timeoutMs });
const outcome = await sandbox.scripts.run(request);
process.stdout.write(JSON.stringify({ isolation: sandbox.describe(), outcome }));
