import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Git repositories over HTTP on loopback, served by git's own `http-backend`. */
export async function gitServer() {
  const root = await mkdtemp(join(tmpdir(), "git-server-"));
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    serve(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(root, { recursive: true, force: true });
  });
  const { port } = server.address() as AddressInfo;
  return {
    root,
    paths,
    address: (name: string) => `http://127.0.0.1:${port}/${name}.git`,
    /** Lets clients leave out files, as the forges do. */
    async allowFilter(name: string) {
      await writeFile(join(root, `${name}.git`, "config"), "[uploadpack]\n\tallowFilter = true\n");
    },
    /** A commit with these files on a branch, after those on `main`; a value that begins with `->` is a link. */
    async commit(name: string, files: Record<string, string | Buffer>, branch = "main") {
      const folder = join(root, `${name}.git`);
      const heads = join(folder, "refs/heads");
      const isFirst = (await mkdir(heads, { recursive: true })) !== undefined;
      if (isFirst) {
        await mkdir(join(folder, "objects"));
        await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
      }
      const data = (content: string | Buffer) => [`data ${Buffer.byteLength(content)}\n`, content, "\n"];
      const changes = Object.entries(files).flatMap(([path, content]) =>
        typeof content === "string" && content.startsWith("->")
          ? [`M 120000 inline ${path}\n`, ...data(content.slice(2))]
          : [`M 100644 inline ${path}\n`, ...data(content)],
      );
      const head = [`commit refs/heads/${branch}\ncommitter t <t@example.com> 0 +0000\n`, ...data("files")];
      const after = isFirst ? [] : ["from refs/heads/main^0\n"];
      const input = Buffer.concat([...head, ...after, ...changes].map((part) => Buffer.from(part)));
      execFileSync("git", ["-C", folder, "fast-import", "--quiet"], { input });
    },
  };
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const child = spawn("git", ["http-backend"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => response.destroy());
  let start: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (start === undefined) {
      response.write(chunk);
      return;
    }
    start = Buffer.concat([start, chunk]);
    const end = start.indexOf("\r\n\r\n");
    if (end === -1) return;
    for (const line of start.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.write(start.subarray(end + 4));
    start = undefined;
  });
  child.on("close", () => response.end());
}
