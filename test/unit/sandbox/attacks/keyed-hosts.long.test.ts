import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedProxy } from "../../../../src/net/guarded-proxy.ts";
import { createCertificateAuthority } from "../../../../src/net/keyed-hosts.ts";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../../support/needs.ts";
import { resolverOf } from "../../net/local-server.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "../script-fixture.ts";

const host = "api.example.com";
const key = "planted-key-0123456789abcdef";

/** Each sends a request to its argument with its variable in a header, and prints the text. */
const programs = {
  "curl.sh": `curl --silent --show-error --header "X-Api-Key: $API_KEY" "$1"`,
  "ask.py": `import os, sys, urllib.request as u
print(u.urlopen(u.Request(sys.argv[1], headers={"X-Api-Key": os.environ["API_KEY"]})).read().decode())`,
  "fetch.mjs": `console.log(await fetch(process.argv[2], { headers: { "x-api-key": process.env.API_KEY } }).then((response) => response.text()));`,
  "agent.cjs": `require("https").get(process.argv[2], { headers: { "x-api-key": process.env.API_KEY } }, async (response) => {
  console.log((await response.setEncoding("utf8").toArray()).join(""));
});`,
};

/** After a request, looks for the key in variables, files and the memory of all processes, by a pattern that is not the key itself. */
const search = `import os, re, sys, urllib.request as u
key, placeholder = re.compile(rb"planted[-]key-0123456789abcdef"), re.compile(rb"knack[-]placeholder-[0-9a-f]{32}")
print(u.urlopen(u.Request(sys.argv[1], headers={"X-Api-Key": os.environ["API_KEY"]})).read().decode().strip())
places, looked = [], {"files": 0, "memory": 0}
for name, value in os.environ.items():
    if key.search(value.encode()): places.append("variable " + name)
for top in ["/skill", "/workspace", "/tmp", "/etc", "/opt", "/run", os.environ["HOME"], os.environ["KNACK_SKILL_DIR"]]:
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file: data = file.read(20_000_000)
            except OSError: continue
            looked["files"] += 1
            if key.search(data): places.append(path)
proof = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ["environ", "cmdline"]:
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                if key.search(file.read()): places.append(f"{name} of {pid}")
        except OSError: pass
    try:
        maps = open(f"/proc/{pid}/maps").read().splitlines()
        memory = open(f"/proc/{pid}/mem", "rb", 0)
    except OSError: continue
    for line in maps:
        area, rights = line.split()[:2]
        if "r" not in rights or "[v" in line: continue
        start, end = (int(each, 16) for each in area.split("-"))
        if end - start > 200_000_000: continue
        try:
            memory.seek(start)
            data = memory.read(end - start)
        except (OSError, OverflowError, ValueError): continue
        looked["memory"] += len(data)
        if placeholder.search(data): proof += 1
        if key.search(data): places.append(f"memory of {pid}")
print(places, proof > 0, looked["files"] > 50, looked["memory"] > 10_000_000)
`;

describe("a key that is put in outside the sandbox", needs("bubblewrap", "python3"), () => {
  const fixture = new ScriptFixture();
  const certificate = join(fixture.root, "authority.pem");
  const skill = fixture.skill({ ...programs, "search.py": search, "variables.sh": "env" });
  const got: unknown[] = [];
  let server: Server;
  let url: string;
  let sandbox: Sandbox;

  beforeAll(async () => {
    const own = await createCertificateAuthority();
    writeFileSync(certificate, own.certificate);
    server = createServer(
      { SNICallback: (name, done) => done(null, own.serverOf(name)) },
      (request, response) => {
        got.push(request.headers["x-api-key"]);
        response.end("hello\n");
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    url = `https://${host}:${port}/`;
    skill.requires = {
      ...skill.requires,
      env: ["API_KEY", "OTHER_KEY"],
      keys: { API_KEY: { host: `${host}:${port}`, header: "X-Api-Key" } },
    };
    const lookup = resolverOf(["127.0.0.1"]);
    const proxy = createGuardedProxy({ allow: [host], certificates: [certificate], lookup });
    sandbox = await createSandbox({ dataDir: fixture.dataDir, openProxy: proxy.open });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    fixture[Symbol.dispose]();
  });
  const run = (script: string, network: object = { network: { permits: () => true } }) => {
    const env = { API_KEY: `${key}\n`, OTHER_KEY: "inside" };
    const more = { args: [url], env, timeout_ms: 60_000, ...network };
    return runToEnd(sandbox.scripts, scriptRequest(skill, script, more));
  };

  it.each(Object.keys(programs))(
    "a key reaches its host from %s, which has a placeholder",
    async (script) => {
      got.length = 0;
      const { stdout, stderr } = await run(script);
      expect([stdout.trim(), stderr]).toEqual(["hello", ""]);
      expect(got).toEqual([key]);
    },
  );

  it("a key is in no variable, no file and no memory inside [host-3]", async () => {
    got.length = 0;
    const { stdout, stderr } = await run("search.py");
    expect([stdout, stderr]).toEqual(["hello\n[] True True True\n", ""]);
    expect(got).toEqual([key]);
  });

  it.each([
    ["with network", undefined],
    ["without network", {}],
  ])(
    "a key is a placeholder %s, another one in each run; other variables are as they were",
    async (_how, network) => {
      const runs = [await run("variables.sh", network), await run("variables.sh", network)];
      const values = runs.map(({ stdout }) => /^API_KEY=(.*)$/m.exec(stdout)?.[1] ?? "");
      for (const value of values) expect(value).toMatch(/^knack-placeholder-[0-9a-f]{32}$/);
      expect(new Set(values).size).toBe(2);
      for (const { stdout } of runs) expect(stdout).toContain("OTHER_KEY=inside\n");
    },
  );
});
