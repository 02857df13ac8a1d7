import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PackageLanguage } from "../../../../src/core/skill/packages.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../../support/needs.ts";
import { type PackageServers, startPackageServers } from "../../../support/skills/package-servers.ts";
import { tgzOf } from "../../packages/build-archives.ts";
import { ScriptFixture } from "../script-fixture.ts";

const longest = 60_000;

describe("hostile packages", { ...needs("bubblewrap", "python3-pip", "npm"), timeout: longest }, () => {
  const fixture = new ScriptFixture();
  let servers: PackageServers;
  let sandbox: Sandbox;
  const open = (packages: Partial<NonNullable<SandboxOptions["packages"]>> = {}) => {
    const { packages: from, ...options } = servers.options;
    if (from === undefined) throw new Error("there are no servers");
    return createSandbox({ dataDir: fixture.dataDir, ...options, packages: { ...from, ...packages } });
  };
  const add = async (language: PackageLanguage, ...packages: string[]) => {
    const outcome = await sandbox.prepared.add(language, packages, "ada");
    return outcome.ok ? outcome.value.message : outcome.message;
  };
  const printed = async (language: "python" | "javascript", code: string) => {
    const limits = { timeout_ms: 20_000, max_output_bytes: 10_000 };
    const signal = new AbortController().signal;
    const outcome = await sandbox.code.run({ language, code, signal, ...limits });
    return outcome.status === "exited" ? outcome.stdout + outcome.stderr : outcome.status;
  };
  const address = (path: string) => `http://packages.example.com:${servers.server.port}${path}`;

  beforeAll(async () => {
    servers = await startPackageServers();
    servers.wheel("good", "1.0");
    sandbox = await open();
    expect(sandbox.describe()).toMatchObject({ isolation: "bubblewrap" });
    expect(await add("python", "good")).toContain("1 package");
  });
  afterAll(async () => {
    // Whatever was tried, what was there before serves on.
    expect(await printed("python", "import good\nprint(good.version)")).toBe("1.0\n");
    await servers[Symbol.asyncDispose]();
    fixture[Symbol.dispose]();
  });

  it.each(["../../escaped.py", "/tmp/escaped.py", "good/../../../escaped.py"])(
    "a hostile wheel does not write %s",
    async (name) => {
      servers.wheel("climber", "1.0", { more: [{ name, data: "x" }] });
      expect(await add("python", "climber")).toMatch(/failed|Error|No version fits/);
      expect(globSync(join(fixture.root, "**/escaped.py"))).toEqual([]);
      expect(existsSync("/tmp/escaped.py")).toBe(false);
    },
  );

  it("a source distribution is not taken, and the reason is given", async () => {
    const setup = { name: "source-1.0/setup.py", data: "raise SystemExit('ran')" };
    servers.files.set("/files/source-1.0.tar.gz", tgzOf([setup]));
    servers.files.set("/simple/source/", '<a href="/files/source-1.0.tar.gz">source-1.0.tar.gz</a>');
    expect(await add("python", "source")).toMatch(
      /^source: the index has no wheel .* only source distributions/,
    );
  });

  it.each(["source.tar.gz", "direct-1.0-py3-none-any.whl"])(
    "a wheel that needs an address is not followed (%s)",
    async (file) => {
      servers.wheel("direct", "1.0");
      servers.files.set(
        "/files/source.tar.gz",
        tgzOf([{ name: "direct-1.0/setup.py", data: "raise SystemExit('ran')" }]),
      );
      servers.wheel("leads", "1.0", { requires: [`direct @ ${address(`/files/${file}`)}`] });
      expect(await add("python", "leads")).toMatch(
        /is not available as a wheel|needs a package that would have to be built/,
      );
    },
  );

  it("another file under a pinned version is refused [package-6]", async () => {
    servers.wheel("good", "1.0", { code: "version = 'evil'\n" });
    servers.wheel("other", "1.0");
    expect(await add("python", "other")).toMatch(/another file for good 1\.0 than the one pinned/);
    expect(await printed("python", "import good\nprint(good.version)")).toBe("1.0\n");
    servers.wheel("good", "1.0");
  });

  it("a file that is not what the index says is refused", async () => {
    servers.wheel("liar", "1.0");
    servers.files.set(
      "/simple/liar/",
      `<a href="/files/liar-1.0-py3-none-any.whl#sha256=${"0".repeat(64)}">liar-1.0-py3-none-any.whl</a>`,
    );
    expect(await add("python", "liar")).toMatch(/another file for liar|HASH/i);
  });

  it("a hanging index is not waited for", async () => {
    servers.files.set("/simple/slow/", () => undefined);
    sandbox = await open({ maxMs: 3_000 });
    const began = Date.now();
    expect(await add("python", "slow")).toContain("The installer was stopped after");
    expect(Date.now() - began).toBeLessThan(20_000);
    sandbox = await open();
  });

  it("the password of the index is told to nobody", async () => {
    const index = new URL(address("/nothing"));
    Object.assign(index, { username: "reader", password: "TOP%2FSECRET" });
    sandbox = await open({ pythonIndex: index.href });
    const said = (await add("python", "other")) + JSON.stringify(await sandbox.prepared.list());
    expect(said).toContain("other");
    expect(said).not.toMatch(/TOP.{1,3}SECRET|reader/);
    const sent = servers.server.requests.at(-1)?.headers.authorization;
    expect(sent).toBe(`Basic ${Buffer.from("reader:TOP/SECRET").toString("base64")}`);
    sandbox = await open();
  });

  it("a package larger than the limit is not taken in", async () => {
    servers.wheel("huge", "1.0");
    servers.files.set("/files/huge-1.0-py3-none-any.whl", (_, response) => {
      response.writeHead(200, { "content-length": 5_000_000_000 });
      const chunk = Buffer.alloc(1_000_000);
      const more = () => {
        while (response.write(chunk));
        response.once("drain", more);
      };
      response.on("error", () => undefined);
      more();
    });
    sandbox = await open({ maxBytes: 20_000_000 });
    expect(await add("python", "huge")).not.toContain("Using them needs no network");
    sandbox = await open();
    servers.files.delete("/simple/huge/");
  });

  it("other hosts than those of the packages are not reached", async () => {
    servers.files.set("/simple/moved/", (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${servers.server.port}/secret` }).end(),
    );
    const before = servers.server.requests.length;
    expect(await add("python", "moved")).not.toContain("Using them needs no network");
    expect(servers.server.requests.slice(before).map(({ url }) => url)).not.toContain("/secret");
  });

  it("a script of an npm package is not run [package-6]", async () => {
    const script = "node -e \"require('fs').writeFileSync('/workspace/node_modules/ran', 'x')\"";
    const scripts = { preinstall: script, install: script, postinstall: script, prepare: script };
    servers.npm("runner", "1.0.0", {
      manifest: { scripts },
      code: "module.exports = require('fs').existsSync('/node_modules/ran')",
    });
    expect(await add("node", "runner")).toContain("1 package");
    expect(await printed("javascript", 'import ran from "runner"; console.log(ran);')).toBe("false\n");
  });

  it("a link of an npm package is not unpacked", async () => {
    const more = [
      { name: "package/out", type: "2", link: "/etc" },
      { name: "package/up", type: "2", link: "../../../.." },
      { name: "package/hard", type: "1", link: "/etc/passwd" },
      { name: "package/../../../climbed.js", data: "x" },
    ];
    servers.npm("linker", "1.0.0", { more });
    await add("node", "linker");
    const code = `import { readdirSync } from "node:fs"; console.log(readdirSync("/node_modules/linker").sort().join());`;
    expect(await printed("javascript", code)).not.toMatch(/out|up|hard/);
    expect(globSync(join(fixture.root, "**/climbed.js"))).toEqual([]);
  });

  it.each(["git+http://packages.example.com/x.git", "file:/etc", "http://other.example.com/x.tgz"])(
    "an npm package that needs %s is not taken",
    async (spec) => {
      servers.npm("seeker", "1.0.0", { manifest: { dependencies: { sought: spec } } });
      expect(await add("node", "seeker")).not.toContain("Using them needs no network");
    },
  );

  it("another npm file under a pinned version is refused", async () => {
    servers.npm("stable", "1.0.0");
    expect(await add("node", "stable")).toContain("Using them needs no network");
    servers.npm("stable", "1.0.0", { code: "module.exports = 'evil';" });
    servers.npm("beside", "1.0.0");
    expect(await add("node", "beside")).toMatch(/another file than the one pinned/);
    expect(await printed("javascript", 'import s from "stable"; console.log(s);')).toBe("stable 1.0.0\n");
  });
});
