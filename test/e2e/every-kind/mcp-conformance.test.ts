/** MCP's own conformance suite for clients, on the bot's tool servers and logins. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const require = createRequire(import.meta.url);
const suite = join(require.resolve("@modelcontextprotocol/conformance/package.json"), "../dist/index.js");
const client = join(import.meta.dirname, "../../conformance/client.ts");

/** How long the suite waits for the client, and a test for the suite, ms: several run at once, perhaps on a busy machine. */
const patience_ms = 90_000;

/** Timing is judged in one of these: they run alone. */
const core = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];
const logins = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/cross-app-access-complete-flow",
];

/** What the suite says, and whether it is content. */
function runSuite(...args: string[]): Promise<{ passed: boolean; output: string }> {
  const command = [suite, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      resolve({ passed: error === null, output: stdout + stderr });
    });
  });
}

async function judge(scenario: string): Promise<void> {
  const { passed, output } = await runSuite(
    "client",
    "--command",
    `${process.execPath} ${client}`,
    "--scenario",
    scenario,
    "--timeout",
    `${patience_ms}`,
  );
  // That a reconnection came a little late may be the machine's doing.
  const clean = scenario === "sse-retry" ? /, 0 failed/ : /, 0 failed, 0 warnings/;
  expect(passed && clean.test(output), output).toBe(true);
}

describe("the MCP client of the bot", () => {
  it.each(core)("the MCP client does %s as MCP says", judge, patience_ms);
  it.concurrent.each(logins)("the MCP client logs in with %s as MCP says", judge, patience_ms);

  it("the MCP client is judged in everything the suite has for clients", async () => {
    const { output } = await runSuite("list", "--client");
    const listed = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...core, ...logins].sort());
  });
});
