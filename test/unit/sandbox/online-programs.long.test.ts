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
const other = "other.example.com";
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
      allow: [host, other],
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
  /** What a line does with a granted host, and in another folder of the same sandbox with one that is not. */
  const ask = async (line: string, kind: (typeof kinds)[number]) => {
    const port = server[kind];
    const both = `(\n${line}\n) && echo it worked; mkdir other; cd other; shift; (\n${line}\n)`;
    const hosts = [host, other].map((name) => `${kind}://${name}:${port}`);
    const request = scriptRequest(skill, "", {
      ...{ work: { kind: "command", line: both }, args: hosts, timeout_ms: 60_000 },
      network: { permits: (name) => coversHost([`${host}:${port}`], name) },
    });
    const { stdout, stderr } = await runToEnd(sandbox.scripts, request);
    const [granted = "", refused] = stdout.split("it worked\n");
    return { granted, refused, stderr };
  };

  for (const { name, needs: own, line } of onlinePrograms)
    it.for(kinds)(
      `the way out leads ${name} to a granted host over %s, and tells it why another is not reached`,
      needs("bubblewrap", ...own),
      async (kind) => {
        const { granted, refused, stderr } = await ask(line, kind);
        expect(refused, stderr).toBeTypeOf("string");
        expect({ granted, refused, stderr }).toEqual({
          granted: expect.stringContaining("hello"),
          refused: expect.not.stringContaining("hello"),
          stderr: expect.stringContaining(`${other}:${server[kind]} is not granted`),
        });
        expect(server.hosts).not.toContain(`${other}:${server[kind]}`);
      },
    );
});
