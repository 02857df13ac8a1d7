import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coversHost } from "../../../src/core/skill/network-grants.ts";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { resolverOf } from "../net/local-server.ts";
import { makeAuthority } from "./authority.ts";
import { onlinePrograms } from "./online-programs.ts";
import { type OnlineServer, startOnlineServer } from "./online-server.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

const host = "api.example.com";
const kinds = ["http", "https"] as const;

describe("programs in the sandbox", needs("bubblewrap", "openssl", "git", "python3"), () => {
  const fixture = new ScriptFixture();
  const skill = fixture.skill({ "SKILL.md": "Asks." });
  let server: OnlineServer;
  let sandbox: Sandbox;

  beforeAll(async () => {
    const folder = join(fixture.root, "server");
    mkdirSync(folder);
    const authority = makeAuthority(folder, host);
    server = await startOnlineServer(folder, authority);
    cpSync("node_modules/ws", join(skill.origin.path, "node_modules/ws"), { recursive: true });
    const proxy = createGuardedProxy({
      allow: [host, "other.example.com"],
      lookup: resolverOf(["127.0.0.1"]),
    });
    sandbox = await createSandbox({
      ...{ dataDir: fixture.dataDir, openProxy: proxy.open },
      // One variable of one program; all of them trust what it names.
      certificates: { NODE_EXTRA_CA_CERTS: authority.file, CURL_CA_BUNDLE: "/nowhere.pem" },
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    fixture[Symbol.dispose]();
  });
  const ask = (line: string, origin: string) => {
    const granted = kinds.map((kind) => `${host}:${server[kind]}`);
    const request = scriptRequest(skill, "", {
      ...{ work: { kind: "command", line }, args: [origin], timeout_ms: 30_000 },
      network: { permits: (name) => coversHost(granted, name) },
    });
    return runToEnd(sandbox.scripts, request);
  };

  for (const { name, needs: own, line } of onlinePrograms) {
    const options = needs("bubblewrap", ...own);

    it.for(kinds)(`the way out leads ${name} to a granted host over %s`, options, async (kind) => {
      const { exit_code, stdout, stderr } = await ask(line, `${kind}://${host}:${server[kind]}`);
      expect({ exit_code, stdout, stderr }).toMatchObject({
        exit_code: 0,
        stdout: expect.stringContaining("hello"),
      });
    });

    it.for(kinds)(
      `the way out tells ${name} why another host is not reached over %s`,
      options,
      async (kind) => {
        const before = server.requests.length;
        const { stdout, stderr } = await ask(line, `${kind}://other.example.com:${server[kind]}`);
        expect(stdout).not.toContain("hello");
        expect(stderr).toContain(`other.example.com:${server[kind]} is not granted`);
        expect(server.requests).toHaveLength(before);
      },
    );
  }
});
