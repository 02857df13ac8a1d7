import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NetworkAccess } from "../../../src/core/skill/programs.ts";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { resolverOf } from "../net/local-server.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

const host = "api.example.com";

/** Each asks for the address in its argument, and prints the text. */
const programs = ["curl.sh", "ask.py", "fetch.mjs", "agent.mjs", "agent.cjs", "absolute.mjs"];

describe("HTTPS in the sandbox", needs("bubblewrap", "python3", "openssl"), () => {
  const fixture = new ScriptFixture();
  const skill = fixture.skill({
    "curl.sh": `curl --silent --show-error "$1"`,
    "ask.py": "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())",
    "agent.mjs": `import https from "node:https";
https.get(process.argv[2], { agent: new https.Agent({ keepAlive: true }) }, async (response) => {
  console.log((await response.setEncoding("utf8").toArray()).join(""));
  process.exit();
}).on("error", (error) => { console.error(error.message); process.exit(1); });`,
    "agent.cjs": `const https = require("https");
const request = https.request(process.argv[2], { agent: new https.Agent(), timeout: 5000, method: "POST" }, (response) => {
  let text = "";
  response.on("data", (chunk) => { text += chunk; }).on("end", () => console.log(text));
});
request.on("error", (error) => { console.error(error.message); process.exit(1); });
request.setNoDelay(true);
request.end("x".repeat(300000));`,
    "socket.cjs": `const tls = require("tls");
const { hostname, port } = new URL(process.argv[2]);
const socket = tls.connect(Number(port), hostname, () => socket.write("GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"));
let text = "";
socket.on("data", (chunk) => { text += chunk; }).on("end", () => console.log(text.split("\\r\\n").at(-1)));
socket.on("error", (error) => { console.error(error.message); process.exit(1); });`,
    "absolute.mjs": `import http from "node:http";
const proxy = new URL(process.env.HTTPS_PROXY);
http.request({ hostname: proxy.hostname, port: proxy.port, path: process.argv[2], headers: { host: new URL(process.argv[2]).host }, agent: new http.Agent() }, async (response) => {
  console.log((await response.setEncoding("utf8").toArray()).join(""));
}).on("error", (error) => { console.error(error.message); process.exit(1); }).end();`,
    "fetch.mjs": "console.log(await fetch(process.argv[2]).then((response) => response.text()));",
    "store.py": "import ssl; print(len(ssl.create_default_context().get_ca_certs()))",
    "private.sh": "ls /etc/ssl/private /etc/pki/tls/private 2>/dev/null; echo $?",
    "names.py": `import socket
print({address[4][0] for address in socket.getaddrinfo("localhost", 80)})
listener = socket.create_server(("localhost", 0))
socket.create_connection(("localhost", listener.getsockname()[1]), 2)
try: socket.getaddrinfo("api.example.com", 80)
except socket.gaierror: print("unknown")`,
  });
  const file = join(fixture.root, "authority.pem");
  let server: Server;
  let url: string;
  let sandbox: Sandbox;
  let without: Sandbox;

  beforeAll(async () => {
    const key = join(fixture.root, "key.pem");
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${host}`];
    const files = ["-addext", `subjectAltName=DNS:${host}`, "-keyout", key, "-out", file];
    execFileSync("openssl", [...request, ...files], { stdio: "pipe" });
    server = createServer({ key: readFileSync(key), cert: readFileSync(file) }, (request, response) =>
      request.resume().once("end", () => response.end("hello")),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `https://${host}:${(server.address() as AddressInfo).port}/`;
    const proxy = createGuardedProxy({ allow: [host], lookup: resolverOf(["127.0.0.1"]) });
    sandbox = await createSandbox({
      ...{ dataDir: fixture.dataDir, openProxy: proxy.open },
      certificates: { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file, REQUESTS_CA_BUNDLE: "/nowhere.pem" },
    });
    without = await createSandbox({ dataDir: fixture.dataDir, openProxy: proxy.open });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    fixture[Symbol.dispose]();
  });
  const run = (script: string, options: { in?: Sandbox; network?: NetworkAccess } = {}) => {
    const { in: where = sandbox, network = { permits: () => true } } = options;
    return runToEnd(where.scripts, scriptRequest(skill, script, { args: [url], network }));
  };

  it.each([...programs, "socket.cjs"])(
    "HTTPS in the sandbox works in %s with a certificate the operator trusts",
    async (script) => {
      const { stdout, stderr } = await run(script);
      expect([stdout.trim(), stderr]).toEqual(["hello", ""]);
    },
  );

  it.each([...programs, "socket.cjs"])(
    "HTTPS in the sandbox does not work in %s without a trusted certificate",
    async (script) => {
      const { exit_code, stderr } = await run(script, { in: without });
      expect(exit_code).not.toBe(0);
      expect(stderr).toMatch(/self.signed|unable to get local issuer/i);
    },
  );

  it.each(["agent.mjs", "agent.cjs", "socket.cjs", "absolute.mjs"])(
    "HTTPS in the sandbox leads %s to granted hosts only",
    async (script) => {
      const { exit_code, stderr } = await run(script, { network: { permits: () => false } });
      expect([exit_code, stderr]).toEqual([1, expect.stringMatching(/api\.example\.com:\d+.* 403/)]);
    },
  );

  it("the sandbox knows the authorities of the machine, and none of its keys [sandbox-1]", async () => {
    const known = await runToEnd(without.scripts, scriptRequest(skill, "store.py"));
    expect(Number(known.stdout)).toBeGreaterThan(50);
    const { stdout } = await runToEnd(without.scripts, scriptRequest(skill, "private.sh"));
    expect(stdout).toBe("2\n");
  });

  it("the sandbox resolves localhost, and no other name without a way out", async () => {
    const { stdout, stderr } = await runToEnd(without.scripts, scriptRequest(skill, "names.py"));
    expect([stdout, stderr]).toEqual([expect.stringMatching(/127\.0\.0\.1.*\nunknown\n/), ""]);
  });
});
