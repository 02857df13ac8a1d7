import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create } from "tar";
import { WebSocketServer } from "ws";
import type { Authority } from "./authority.ts";

/** What programs ask servers for, on one: "hello" everywhere, also from a web socket, in a Git repository, a wheel and an npm package. */
export interface OnlineServer extends AsyncDisposable {
  http: number;
  https: number;
  /** The hosts, with their ports, that it was asked as. */
  hosts: Set<string>;
}

/** Starts it on two free ports of the loopback; `folder` is for its files. */
export async function startOnlineServer(folder: string, { key, cert }: Authority): Promise<OnlineServer> {
  const hosts = new Set<string>();
  const wheel = makeWheel(folder);
  const npm = await makePackage(folder);
  makeRepository(folder);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search } = new URL(request.url ?? "", "http://here");
    hosts.add(request.headers.host ?? "");
    if (pathname.startsWith("/git/")) return answerGit(folder, request, response, pathname.slice(4), search);
    request.resume().once("end", () => {
      if (pathname === "/simple/greeting/")
        response
          .setHeader("content-type", "text/html")
          .end('<a href="/greeting-1.0-py3-none-any.whl">greeting</a>');
      else if (pathname.endsWith(".whl")) response.end(wheel);
      else if (pathname.endsWith(".tgz")) response.end(npm);
      else if (pathname === "/greeting") response.end(npmDocument(request, npm));
      else response.end("hello");
    });
  };
  const servers = [createHttp(answer), createHttps({ key, cert }, answer)] as const;
  for (const server of servers) {
    new WebSocketServer({ server }).on("connection", (socket) => socket.send("hello"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  const port = (server: Server) => (server.address() as AddressInfo).port;
  return {
    http: port(servers[0]),
    https: port(servers[1]),
    hosts,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** `git http-backend` is a CGI program: headers, an empty line, the body. */
function answerGit(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  search: string,
): void {
  const env = {
    ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: "1", PATH_INFO: path },
    ...{ QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
    ...{
      CONTENT_TYPE: request.headers["content-type"],
      GIT_PROTOCOL: request.headers["git-protocol"] as string,
    },
    ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
  };
  const backend = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  backend.once("close", () => {
    const said = Buffer.concat(chunks);
    const end = said.indexOf("\r\n\r\n");
    for (const line of said.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(said.subarray(end + 4));
  });
}

function makeRepository(folder: string): void {
  const work = join(folder, "work");
  mkdirSync(work);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: work, stdio: "pipe" });
  git("init", "--initial-branch=main");
  writeFileSync(join(work, "greeting"), "hello\n");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--message=first");
  git("clone", "--bare", ".", "../greeting.git");
}

/** The smallest wheel there is, packed by Python as every tester has it. */
function makeWheel(folder: string): Buffer {
  const code = `import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1], "w")
info = "greeting-1.0.dist-info/"
wheel.writestr("greeting.py", "word = 'hello'\\n")
wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n")
wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
wheel.writestr(info + "RECORD", "greeting.py,,\\n%sMETADATA,,\\n%sWHEEL,,\\n%sRECORD,,\\n" % (info, info, info))
wheel.close()`;
  const path = join(folder, "greeting-1.0-py3-none-any.whl");
  execFileSync("python3", ["-c", code, path]);
  return readFileSync(path);
}

async function makePackage(folder: string): Promise<Buffer> {
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name: "greeting", version: "1.0.0" }));
  writeFileSync(join(folder, "package/index.js"), 'module.exports = "hello";\n');
  const file = join(folder, "greeting.tgz");
  await create({ cwd: folder, gzip: true, file }, ["package"]);
  return readFileSync(file);
}

function npmDocument({ headers, socket }: IncomingMessage, tarball: Buffer): string {
  const scheme = "encrypted" in socket ? "https" : "http";
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const dist = { tarball: `${scheme}://${headers.host}/greeting-1.0.0.tgz`, shasum };
  const version = { name: "greeting", version: "1.0.0", dist };
  return JSON.stringify({
    name: "greeting",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": version },
  });
}
