import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundlePage } from "../../../src/server/bundle-page.ts";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { send, startServer } from "./start-server.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** A page with one script, in a folder of sources with these files and the packages of the bot. */
async function pageWith(files: Record<string, string>) {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-assets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  };
  await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  const page = '<script type="module" src="app.ts"></script>';
  for (const [name, text] of Object.entries({ "console/console.html": page, ...files }))
    await write(name, text);
  return { page: path.join(folder, "console/console.html"), write };
}

/** The addresses of the files that a page names. */
function addressesIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
}

describe("the console's page", () => {
  it("the console's page has no inline script, and its content security policy allows none [access-2]", async () => {
    const { url } = await startServer();
    const response = await send(url);
    expect(response.status).toBe(200);
    expect(response.text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(response.headers["content-security-policy"]).toContain("script-src 'self';");
  });

  it("the console's page loads and calls nothing of other hosts [access-2]", async () => {
    const { url } = await startServer();
    const policy = String((await send(url)).headers["content-security-policy"]);
    const sources = Object.fromEntries(policy.split("; ").map((each) => each.split(/ (.*)/)));
    expect(sources).toMatchObject({
      ...{ "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'" },
      ...{ "img-src": "'self' data:", "style-src": "'self'", "connect-src": "'self'" },
      "script-src": "'self'",
    });
  });

  it("the console's page is sent with headers that keep other sites away, like every answer", async () => {
    const { url } = await startServer();
    const page = await send(url);
    const caching = { "/": "no-cache", "/api/v1/about": "no-store", "/api/v1/nothing": "no-store" };
    const file = addressesIn(page.text)[0] ?? "";
    for (const [name, cached] of Object.entries({ ...caching, [file]: "max-age=31536000, immutable" })) {
      expect((await send(url + name)).headers, name).toMatchObject({
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": cached,
      });
    }
  });

  it("the console's page is not sent again to clients that have it", async () => {
    const { url } = await startServer();
    const { headers } = await send(url);
    const again = await send(url, { headers: { "If-None-Match": String(headers.etag) } });
    expect(again).toMatchObject({ status: 304, text: "" });
    expect((await send(url, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });
});

describe("the console's files", () => {
  it.each([
    ["a build", loadConsoleAssets()],
    ["the sources", loadConsoleAssets(path.join(repository, "src/console/console.html"))],
  ])(
    "the console's files of %s are an icon, a style sheet, and two scripts with their source maps",
    async (_, assets) => {
      const { url } = await startServer({ assets });
      const files = [];
      for (const address of addressesIn((await send(url)).text)) {
        expect(address).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.\w+$/);
        const { status, text, headers } = await send(url + address);
        expect(status).toBe(200);
        expect(text).not.toMatch(/^\s*(?:import|@import)\b/m);
        files.push(headers["content-type"]);
        const map = /^\/\/# sourceMappingURL=(.+)$/m.exec(text)?.[1];
        if (map === undefined) continue;
        const { sourcesContent } = JSON.parse((await send(`${url}/assets/${map}`)).text);
        expect(sourcesContent.join()).toContain("theme");
      }
      const script = "text/javascript; charset=utf-8";
      expect(files).toEqual(["image/svg+xml", "text/css; charset=utf-8", script, script]);
    },
  );

  it("the console's files are compressed for a browser that asks for it", async () => {
    const { url } = await startServer();
    const script = url + addressesIn((await send(url)).text).at(-1);
    const compressed = await send(script, { headers: { "Accept-Encoding": "gzip" } });
    expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    const whole = await send(script);
    expect(whole.headers["content-encoding"]).toBeUndefined();
    expect(await (await fetch(script)).text()).toBe(whole.text);
  });

  it("the console's style sheet has the ones it imports, in their order and layers", async () => {
    const { page } = await pageWith({
      "console/console.html": '<link rel="stylesheet" href="app.css"><script src="app.ts"></script>',
      "console/app.ts": "",
      "console/app.css": '@import url("one.css") layer(parts);\n@import url("two.css");\nb { top: 3px }',
      "console/one.css": "b { top: $1 }",
      "console/two.css": "b { top: 2px }",
    });
    const { files } = await bundlePage(page);
    const [, styles] = [...files].find(([name]) => name.endsWith(".css")) ?? [];
    expect(styles).toBe("@layer parts {\nb { top: $1 }}\nb { top: 2px }\nb { top: 3px }");
  });

  it.each([
    ["one of Node", 'import { readFile } from "node:fs/promises";\nreadFile("a");'],
    ["a package browsers do not get", 'import { z } from "zod";\nz.string();'],
    ["a package that is not there", 'import { a } from "nowhere";\na();'],
    ["one of Node when asked", 'export const load = () => import("node:fs");'],
    ["one that is passed on", 'export { z } from "zod";'],
    ["one of the server", 'import { a } from "../server/a.ts";\na();'],
  ])("the console is not bundled when a module it shares with the bot imports %s", async (_, code) => {
    const { page } = await pageWith({
      "console/app.ts": 'export * from "../core/room/a.ts";\nexport * from "../core/room/b.ts";',
      "core/room/a.ts": code,
      "core/room/b.ts": 'import { marked } from "marked";\nexport const text = marked("zod");',
      "server/a.ts": "export const a = () => undefined;",
    });
    await expect(bundlePage(page)).rejects.toThrow(/core\/room\/a\.ts imports .* which browsers do not get/);
  });

  it("the console's files have other names when the sources change, and keep them otherwise", async () => {
    const { page, write } = await pageWith({
      "console/app.ts": 'import { b } from "./b.ts";\nconsole.log(b);',
      "console/b.ts": "export const b: number = 1;",
    });
    const assets = loadConsoleAssets(page);
    const script = async () => {
      const body = String((await assets.page())?.body);
      const name = path.basename(addressesIn(body)[0] ?? "");
      return { name, code: String((await assets.file(name))?.body) };
    };
    const before = await script();
    expect(before.code).toContain("console.log(1)");
    expect(await script()).toEqual(before);
    await write("console/b.ts", "export const b: number = 2;");
    const after = await script();
    expect(after.code).toContain("console.log(2)");
    expect(after.name).not.toBe(before.name);
  });
});

describe("other files", () => {
  it.each([
    "/assets/index.html",
    "/assets/console.html",
    "/assets/app.ts",
    "/assets/console/app.ts",
    "/assets/../server/server.ts",
    "/assets/..%2fserver%2fserver.ts",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/../console-12345678.json",
    "/assets/",
    "/package.json",
  ])("other files are not served: %s", async (name) => {
    const { url } = await startServer();
    // As is: `fetch` and `URL` would take the dots out first.
    expect((await send(url, { path: name })).status).toBe(404);
  });
});
