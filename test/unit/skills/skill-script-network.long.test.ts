import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { approve } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { needs } from "../../support/needs.ts";
import { ada, ben, createTestApp } from "../../support/test-app.ts";
import { type LocalServer, resolverOf, startServer } from "../net/local-server.ts";
import { skillText, sourceOf, temporaryFolder } from "./temporary-folder.ts";

const dataDir = mkdtempSync(join(tmpdir(), "knack-network-"));
let sandbox: Sandbox;
let server: LocalServer;
let host: string;

beforeAll(async () => {
  server = await startServer((request, response) => response.end(`hello from ${request.url}`));
  host = `api.example.com:${server.port}`;
  // Granted hosts are public in life; here they are a server of the test, which the operator allowed.
  const proxy = createGuardedProxy({ allow: ["api.example.com"], lookup: resolverOf(["127.0.0.1"]) });
  sandbox = await createSandbox({ dataDir, openProxy: proxy.open });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

const ask = `import sys, urllib.request
try: print(urllib.request.urlopen(sys.argv[1]).read().decode())
except OSError as error: sys.exit(f"failed {error}")`;

function setUp() {
  const root = temporaryFolder({ "probe/SKILL.md": skillText("probe"), "probe/ask.py": ask });
  const call = (id: string) => ({
    id,
    call: "run_skill_script",
    with: { skill_name: "probe", script: "ask.py", args: [`http://${host}/${id}`] },
  });
  const model = scriptedModel([
    [{ call: "activate_skill", with: { skill_name: "probe" } }],
    [call("one")],
    [call("two")],
    "Done.",
  ]);
  const app = createTestApp(model, { sources: [sourceOf(root)], scripts: sandbox.scripts });
  return { app, results: () => toolResults(model.requests.at(-1)?.messages ?? []).slice(1) };
}

test(
  "a host that a script turns out to need is asked about once, of an operator; then the asker confirms its arguments [host-2]",
  needs("bubblewrap", "python3"),
  async () => {
    const { app, results } = setUp();
    const turnId = await app.say("go", { by: ben });
    const asked = await app.until(turnId, "approval_requested");
    expect(asked).toMatchObject({ approver: "operator", skill_id: "probe", input: { hosts: [host] } });
    await approve(app.app, asked.approval_id, true, ada);
    const requested: unknown[] = [];
    for await (const event of follow(app.app, turnId, { after: asked.seq })) {
      if (event.type !== "approval_requested") continue;
      requested.push([event.tool, event.approver, event.reason]);
      await approve(app.app, event.approval_id, true, ben);
    }
    const reason = `The code of the skill probe did not ship with the bot, and it can reach ${host}.`;
    expect(requested).toEqual([["run_skill_script", "asker", reason]]);
    expect(results().map((text) => text.trim())).toEqual(["hello from /one", "hello from /two"]);
    const ends = (await app.events(turnId)).filter((event) => event.type === "tool_finished");
    expect(ends.map(({ hosts }) => hosts)).toEqual([undefined, [host], [host]]);
  },
);

test(
  "a script without a grant fails, and the model reads which host was refused and how it is granted",
  needs("bubblewrap", "python3"),
  async () => {
    const { app, results } = setUp();
    const before = server.requests.length;
    const turnId = await app.say("go", { by: ben });
    const asked = await app.until(turnId, "approval_requested");
    await approve(app.app, asked.approval_id, false, ada);
    for await (const event of follow(app.app, turnId, { after: asked.seq })) {
      if (event.type === "approval_requested") await approve(app.app, event.approval_id, false, ada);
    }
    expect(server.requests).toHaveLength(before);
    expect(results()[0]).toContain("script_failed");
    expect(results()[0]).toContain(`/skill grant probe ${host}`);
  },
);
