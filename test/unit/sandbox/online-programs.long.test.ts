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
/** With TLS and without, the way out is another one: `CONNECT`, and requests of whole addresses. */
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
  /** What a line prints with a granted host and with one that is not, over both protocols, each in a folder of its own. */
  const ask = async (line: string) => {
    const urls = kinds.flatMap((kind) => [host, other].map((name) => `${kind}://${name}:${server[kind]}`));
    const each = urls.map(
      (_, at) => `mkdir ${at}; (cd ${at}\n${line}\n) && echo it worked; echo next; shift`,
    );
    const granted = kinds.map((kind) => `${host}:${server[kind]}`);
    const request = scriptRequest(skill, "", {
      ...{ work: { kind: "command", line: each.join("\n") }, args: urls, timeout_ms: 60_000 },
      network: { permits: (name) => coversHost(granted, name) },
    });
    const { stdout, stderr } = await runToEnd(sandbox.scripts, request);
    return { printed: stdout.split("next\n").slice(0, urls.length), stderr };
  };

  for (const { name, needs: own, line } of onlinePrograms)
    it(`the way out leads ${name} to a granted host over http and https, and tells it why another is not reached`, {
      ...needs("bubblewrap", ...own),
    }, async () => {
      const { printed, stderr } = await ask(line);
      const worked = expect.stringMatching(/hello[\s\S]*it worked/);
      const refused = expect.not.stringContaining("hello");
      expect({ printed, stderr }).toEqual({
        printed: [worked, refused, worked, refused],
        stderr: expect.any(String),
      });
      for (const kind of kinds) {
        expect(stderr).toContain(`${other}:${server[kind]} is not granted`);
        expect(server.hosts).not.toContain(`${other}:${server[kind]}`);
      }
    });
});
