import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { importsOf } from "../../../src/server/browser-modules.ts";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { send, startServer } from "./start-server.ts";

/** A source folder with these files. */
async function sourceWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-assets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

describe("the console's page", () => {
  it("the console's page carries an import map that its content security policy allows, and no other inline script", async () => {
    const { url } = await startServer();
    const response = await send(url);
    expect(response.status).toBe(200);
    const inline = [...response.text.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]*)<\/script>/g)].map(
      ([, code]) => code ?? "",
    );
    expect(inline).toHaveLength(1);
    const hash = createHash("sha256")
      .update(inline[0] ?? "")
      .digest("base64");
    const policy = String(response.headers["content-security-policy"]);
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it("the console's page loads and calls nothing of other hosts", async () => {
    const { url } = await startServer();
    const policy = String((await send(url)).headers["content-security-policy"]);
    const sources = Object.fromEntries(policy.split("; ").map((each) => each.split(/ (.*)/)));
    expect(sources).toMatchObject({
      ...{ "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'" },
      ...{ "img-src": "'self' data:", "style-src": "'self'", "connect-src": "'self'" },
      "script-src": expect.stringMatching(/^'self'( 'sha256-[\w+/]+=*')*$/),
    });
  });

  it("the console's page is sent with headers that keep other sites away, like every answer", async () => {
    const { url } = await startServer();
    for (const path of ["/", "/api/v1/about", "/api/v1/nothing", "/assets/client/api-client.ts"]) {
      expect((await send(url + path)).headers, path).toMatchObject({
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": path.startsWith("/api") ? "no-store" : "no-cache",
      });
    }
  });
});

describe("the console's modules", () => {
  it("the console's modules are all found by the names they import each other by", async () => {
    const { url } = await startServer();
    const page = (await send(url)).text;
    const { imports } = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(page)?.[1] ?? "{}");
    const waiting = [`${url}/assets/client/api-client.ts`, `${url}/assets/core/log/turn-view.ts`];
    waiting.push(...[...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => url + name));
    const seen = new Set<string>();
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
      if (seen.has(address)) continue;
      seen.add(address);
      const response = await send(address);
      expect(response.status, address).toBe(200);
      if (response.headers["content-type"] !== "text/javascript; charset=utf-8") continue;
      for (const specifier of importsOf(response.text)) {
        waiting.push(new URL(resolve(specifier, imports), address).href);
      }
    }
    expect([...seen].filter((address) => address.includes("/vendor/eventsource-parser/"))).toHaveLength(1);
  });

  it("the console's modules arrive without types, each statement in its place", async () => {
    const source = await sourceWith({
      "console/app.ts": 'import type { A } from "node:fs";\nexport const a: number = 1;\n',
    });
    const asset = await loadConsoleAssets(source).file("console/app.ts");
    expect(asset).toMatchObject({ type: "text/javascript; charset=utf-8" });
    expect(String(asset?.body).split("\n")[1]).toBe("export const a         = 1;");
  });

  it.each([
    ["one of Node", 'import { readFile } from "node:fs/promises";'],
    ["a package browsers do not get", 'import { z } from "zod";'],
    ["one of Node when asked", 'export const load = () => import("node:fs");'],
    ["one that is passed on", 'export { z } from "zod";'],
  ])("the console's modules are not served when they import %s", async (_what, code) => {
    const source = await sourceWith({
      "core/room/a.ts": code,
      "core/room/b.ts": 'export const text = "zod";',
    });
    const assets = loadConsoleAssets(source);
    expect(await assets.file("core/room/a.ts")).toBeUndefined();
    expect(await assets.file("core/room/b.ts")).toBeDefined();
  });

  it("the console's modules are read again when they change", async () => {
    const source = await sourceWith({ "console/app.ts": "export const a = 1;" });
    const assets = loadConsoleAssets(source);
    const before = await assets.file("console/app.ts");
    expect(await assets.file("console/app.ts")).toBe(before);
    await writeFile(path.join(source, "console/app.ts"), "export const a = 2;");
    await utimes(path.join(source, "console/app.ts"), 1, 2);
    const after = await assets.file("console/app.ts");
    expect(after?.body).toBe("export const a = 2;");
    expect(after?.etag).not.toBe(before?.etag);
  });

  it("the console's modules are not sent again to clients that have them", async () => {
    const { url } = await startServer();
    const address = `${url}/assets/core/log/turn-view.ts`;
    const first = await send(address);
    const second = await send(address, { headers: { "If-None-Match": String(first.headers.etag) } });
    expect(second).toMatchObject({ status: 304, text: "" });
    expect((await send(address, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  it("the console's modules cause no warning of Node", async () => {
    const source = await sourceWith({ "console/app.ts": "export const a: number = 1;" });
    const module = new URL("../../../src/server/console-assets.ts", import.meta.url);
    const script = `import { loadConsoleAssets } from ${JSON.stringify(module.href)};
      const asset = await loadConsoleAssets(${JSON.stringify(source)}).file("console/app.ts");
      process.stdout.write(asset.body);`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      script,
    ]);
    expect(stdout).toBe("export const a         = 1;");
    expect(stderr).toBe("");
  });
});

describe("other files", () => {
  it.each([
    "/assets/server/server.ts",
    "/assets/console/tsconfig.json",
    "/assets/console/index.html",
    "/assets/console/../server/server.ts",
    "/assets/console/..%2fserver%2fserver.ts",
    "/assets/console/%2e%2e/%2e%2e/package.json",
    "/assets/vendor/lit-html/package.json",
    "/assets/vendor/lit-html/../hono/package.json",
    "/assets/vendor/hono/dist/index.js",
    "/assets/vendor/",
    "/package.json",
  ])("other files are not served: %s", async (name) => {
    const { url } = await startServer();
    // As is: `fetch` and `URL` would take the dots out first.
    expect((await send(url, { path: name })).status).toBe(404);
  });
});

function resolve(specifier: string, imports: Record<string, string>): string {
  if (imports[specifier] !== undefined) return imports[specifier];
  const folder = Object.keys(imports).find((name) => name.endsWith("/") && specifier.startsWith(name));
  return folder === undefined ? specifier : imports[folder] + specifier.slice(folder.length);
}
