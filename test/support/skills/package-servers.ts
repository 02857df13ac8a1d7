import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import type { SandboxOptions } from "../../../src/sandbox/create-sandbox.ts";
import { type LocalServer, resolverOf, startServer } from "../../unit/net/local-server.ts";
import { type TarEntry, tgzOf, type ZipEntry, zipOf } from "../../unit/packages/build-archives.ts";

/** The response for a path. */
type Answer = Buffer | string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A Python index and an npm registry on the loopback; `files` can be changed while they run. */
export interface PackageServers extends AsyncDisposable {
  server: LocalServer;
  files: Map<string, Answer>;
  /** Options of a sandbox that takes packages from here, through the guarded proxy. */
  options: Pick<SandboxOptions, "openProxy" | "openPackageProxy" | "packages">;
  /** A wheel of one module, on the index. */
  wheel(name: string, version: string, wheel?: Partial<Wheel>): void;
  /** A package of one module on the registry; answers the hash by which it is pinned. */
  npm(name: string, version: string, made?: Partial<NpmPackage>): void;
}

interface Wheel {
  code: string;
  /** Lines of METADATA. */
  requires: readonly string[];
  /** Entries in addition to the module's. */
  more: readonly ZipEntry[];
}

interface NpmPackage {
  code: string;
  manifest: object;
  more: readonly TarEntry[];
}

const host = "packages.example.com";

export async function startPackageServers(): Promise<PackageServers> {
  const files = new Map<string, Answer>();
  const server = await startServer((request, response) => {
    const answer = files.get(decodeURIComponent(request.url ?? ""));
    if (answer === undefined) response.writeHead(404).end("not here");
    else if (typeof answer === "function") answer(request, response);
    else response.setHeader("content-type", contentType(request.url)).end(answer);
  });
  const origin = `http://${host}:${server.port}`;
  // The registry is public in life; here it is a server of the test, which the operator allowed.
  const proxy = createGuardedProxy({ allow: [host], lookup: resolverOf(["127.0.0.1"]) });
  const packuments = new Map<string, Record<string, object>>();
  const index = new Map<string, string[]>();
  return {
    server,
    files,
    options: {
      openProxy: proxy.open,
      openPackageProxy: proxy.open,
      packages: {
        pythonIndex: `${origin}/simple`,
        npmRegistry: `${origin}/npm/`,
        hosts: [],
        maxBytes: 50_000_000,
        maxMs: 60_000,
      },
    },
    wheel(name, version, made = {}) {
      const file = `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
      const data = wheelOf(name, version, made);
      files.set(`/files/${file}`, data);
      const link = `<a href="/files/${file}#sha256=${sha256(data)}">${file}</a>`;
      const others = (index.get(name) ?? []).filter((each) => !each.includes(`>${file}<`));
      index.set(name, [...others, link]);
      files.set(
        `/simple/${name}/`,
        `<!DOCTYPE html><html><body>${index.get(name)?.join("\n")}</body></html>`,
      );
    },
    npm(name, version, { code = `module.exports = "${name} ${version}";`, manifest = {}, more = [] } = {}) {
      const described = { name, version, main: "index.js", ...manifest };
      const data = tgzOf([
        { name: "package/package.json", data: JSON.stringify(described) },
        { name: "package/index.js", data: code },
        ...more,
      ]);
      const path = `/npm/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
      files.set(path, data);
      const integrity = `sha512-${createHash("sha512").update(data).digest("base64")}`;
      const versions = {
        ...packuments.get(name),
        [version]: { ...described, dist: { tarball: origin + path, integrity } },
      };
      packuments.set(name, versions);
      files.set(`/npm/${name}`, JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function contentType(url = ""): string {
  return url.startsWith("/simple/") ? "text/html" : "application/octet-stream";
}

function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** https://packaging.python.org/en/latest/specifications/binary-distribution-format/ */
function wheelOf(name: string, version: string, made: Partial<Wheel> = {}): Buffer {
  const module = name.replaceAll("-", "_");
  const { code = `version = "${version}"\n`, requires = [], more = [] } = made;
  const info = `${module}-${version}.dist-info`;
  const needed = requires.map((each) => `Requires-Dist: ${each}\n`).join("");
  const entries = [
    { name: `${module}/__init__.py`, data: code },
    {
      name: `${info}/METADATA`,
      data: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needed}`,
    },
    {
      name: `${info}/WHEEL`,
      data: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    },
    ...more,
  ];
  const record = [...entries.map((entry) => `${entry.name},,\n`), `${info}/RECORD,,\n`].join("");
  return zipOf([...entries, { name: `${info}/RECORD`, data: record }]);
}
