import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coversHost } from "../../../src/core/skill/network-grants.ts";
import type { NetworkAccess } from "../../../src/core/skill/programs.ts";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { type LocalServer, resolverOf, startServer } from "../net/local-server.ts";
import { startProgram, writeModule } from "./program-fixture.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

/** Each asks for the addresses in its arguments with what people use, and prints status and text. */
const askers = {
  "fetch.mjs": `for (const url of process.argv.slice(2)) {
  const answer = await fetch(url).then(
    async (response) => [response.status, await response.text()],
    (error) => ["failed", error.cause?.message ?? error.message],
  );
  console.log(...answer);
}`,
  "ask.py": `import sys, urllib.request, urllib.error
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url) as response: print(response.status, response.read().decode())
    except urllib.error.HTTPError as error: print(error.code, error.read().decode())
    except OSError as error: print("failed", error)`,
  "curl.sh": `curl --silent --show-error --write-out ' %{http_code}\\n' "$@" 2>&1`,
  "tunnel.sh": `curl --silent --show-error --proxytunnel --write-out ' %{http_code}\\n' "$@" 2>&1`,
  "agent.mjs": `import http from "node:http";
const agent = new http.Agent({ keepAlive: true });
for (const url of process.argv.slice(2)) {
  const { promise, resolve } = Promise.withResolvers();
  http.get(url, { agent }, async (response) => {
    console.log(response.statusCode, (await response.setEncoding("utf8").toArray()).join(""));
    resolve();
  }).on("error", (error) => { console.log("failed", error.message); resolve(); });
  await promise;
}
process.exit();`,
  "http.mjs": `import { get } from "node:http";
for (const url of process.argv.slice(2)) get(url, async (response) => {
  console.log(response.statusCode, (await response.setEncoding("utf8").toArray()).join(""));
}).on("error", (error) => console.log("failed", error.message));`,
};

describe("the way out of the sandbox", needs("bubblewrap", "python3"), () => {
  const fixture = new ScriptFixture();
  const skill = fixture.skill(askers, "managed");
  let sandbox: Sandbox;
  let server: LocalServer;
  const asked: string[] = [];
  const grant = (...hosts: string[]): NetworkAccess => ({
    permits(host) {
      asked.push(host);
      return coversHost(hosts, host);
    },
  });
  const ask = async (script: string, url: string | readonly string[], network?: NetworkAccess) => {
    const changes = { args: [url].flat(), ...(network === undefined ? {} : { network }) };
    return (await runToEnd(sandbox.scripts, scriptRequest(skill, script, changes))).stdout;
  };

  beforeAll(async () => {
    server = await startServer((request, response) => response.end(`hello from ${request.url}`));
    // Granted hosts are public in life; here they are a server of the test, which the operator allowed.
    const proxy = createGuardedProxy({
      allow: ["api.example.com", "other.example.com"],
      lookup: resolverOf(["127.0.0.1"]),
    });
    sandbox = await createSandbox({ dataDir: fixture.dataDir, openProxy: proxy.open });
    expect(sandbox.describe()).toMatchObject({ isolation: "bubblewrap" });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    fixture[Symbol.dispose]();
  });

  it.each(Object.keys(askers))(
    "the way out of the sandbox leads %s to a granted host, unmodified, and to no other",
    async (script) => {
      const before = server.requests.length;
      const host = `api.example.com:${server.port}`;
      const other = `other.example.com:${server.port}`;
      asked.length = 0;
      const answers = await ask(script, [`http://${host}/x`, `http://${other}/x`], grant(host));
      expect(answers.match(/hello from \/x/g)).toHaveLength(1);
      expect(answers).toMatch(/403|failed/);
      expect(new Set(asked)).toEqual(new Set([host, other]));
      expect(server.requests).toHaveLength(before + 1);
    },
  );

  it.each(["fetch.mjs", "ask.py", "curl.sh"])(
    "the way out of the sandbox does not exist for %s without a grant",
    async (script) => {
      const before = server.requests.length;
      expect(await ask(script, `http://api.example.com:${server.port}/x`)).toMatch(/failed|000/);
      expect(server.requests).toHaveLength(before);
    },
  );

  it.each(["fetch.mjs", "ask.py", "tunnel.sh"])(
    "the way out of the sandbox does not lead %s to private addresses, although every host is granted",
    async (script) => {
      const before = server.requests.length;
      const addresses = [
        `http://private.example:${server.port}/`,
        "http://169.254.169.254/",
        `http://2130706433:${server.port}/`,
        `http://0x7f.1:${server.port}/`,
      ];
      const answers = (await ask(script, addresses, grant("*"))).trim().split("\n");
      expect(answers.length).toBeGreaterThanOrEqual(addresses.length);
      expect(answers.join()).not.toContain("hello");
      expect(server.requests).toHaveLength(before);
    },
  );

  it("the way out of the sandbox serves a program for as long as it runs", async () => {
    const module = writeModule(fixture.root, {
      "ask.mjs": `import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const text = await fetch(JSON.parse(line)).then((response) => response.text(), (error) => error.cause?.message);
  console.log(JSON.stringify(text));
}`,
    });
    const host = `api.example.com:${server.port}`;
    const granted = new Set<string>();
    const network = { permits: (name: string) => granted.has(name) };
    const program = await startProgram(sandbox.programs, { skill, module, network });
    program.send(`http://${host}/first`);
    expect(String(await program.next())).not.toContain("hello");
    granted.add(host);
    program.send(`http://${host}/second`);
    expect(await program.next()).toBe("hello from /second");
    program.kill();
    expect(await program.ended).toBe("It was stopped.");
  });
});
