import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { coversHost } from "../../../src/core/skill/network-grants.ts";
import { createCertificateAuthority } from "../../../src/net/keyed-hosts.ts";
import { type ListeningProxy, openProxy, resolverOf, startServer } from "./local-server.ts";

const host = "api.example.com";
const other = "other.example.com";
const key = "planted-key-4711";
const placeholder = "placeholder-0815";

describe("a host with a key", () => {
  const folder = mkdtempSync(join(tmpdir(), "knack-keys-"));
  const certificates = [join(folder, "authority.pem"), join(folder, "nothing.pem")];
  /** What a server got: headers, and the length of the body. */
  const got: { url: string; headers: IncomingMessage["headers"]; bytes: number }[] = [];
  /** Bytes of bodies that servers got. */
  let arrived = 0;
  const open: { close(): Promise<void> }[] = [];
  let upstream: Server;
  let foreign: Server;
  let authority: string;

  const serve = async (trusted: boolean) => {
    const own = await createCertificateAuthority();
    if (trusted) {
      authority = own.certificate;
      writeFileSync(certificates[0] ?? "", own.certificate);
    }
    const server = createServer(
      { SNICallback: (name, done) => done(null, own.serverOf(name)) },
      async (request, response) => {
        const { url = "", headers } = request;
        const early = url === "/refuse" ? 413 : url.startsWith("/redirect/") ? 302 : undefined;
        if (early !== undefined) {
          response.writeHead(early, { connection: "close", location: url.slice(10) }).end("early");
          return;
        }
        let bytes = 0;
        for await (const chunk of request) {
          bytes += chunk.length;
          arrived += chunk.length;
        }
        got.push({ url, headers, bytes });
        response.end(`${url} ${bytes}`);
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  beforeAll(async () => {
    [upstream, foreign] = [await serve(true), await serve(false)];
  });
  afterAll(() => {
    for (const server of [upstream, foreign]) server.closeAllConnections();
    for (const server of [upstream, foreign]) server.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    got.length = 0;
    arrived = 0;
    for (const each of open.splice(0)) await each.close();
  });

  /** A proxy that has the key for the host at this port; names lead to the loopback. */
  const proxyWith = async (header: string, port = portOf(upstream), allow = [host, other]) => {
    const keys = [{ host: `${host}:${port}`, header, key, placeholder }];
    const granted = [`${host}:${port}`, `${other}:${port}`];
    const settings = { allow, certificates, lookup: resolverOf(["127.0.0.1"]) };
    const permits = (name: string) => coversHost(granted, name);
    const proxy = await openProxy(settings, { permits, keys });
    open.push(proxy);
    return proxy;
  };
  const tunnel = async (proxy: ListeningProxy, to: string): Promise<Socket | number> => {
    const asked = requestHttp({ socketPath: proxy.socket, method: "CONNECT", path: to, agent: false }).end();
    const [response, socket] = await once(asked, "connect");
    return response.statusCode === 200 ? socket : response.statusCode;
  };
  /** TLS with the host, as a program has it that trusts `ca`. */
  const secured = async (
    proxy: ListeningProxy,
    to = `${host}:${portOf(upstream)}`,
    ca = proxy.authority ?? "",
  ) => {
    const socket = await tunnel(proxy, to);
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    const tls = connectTls({ socket, servername: to.split(":")[0] ?? "", ca });
    open.push({ close: async () => void tls.destroy() });
    await once(tls, "secureConnect");
    return tls;
  };
  const ask = async (
    socket: TLSSocket,
    path: string,
    {
      headers = {},
      method = "GET",
      body,
    }: { headers?: OutgoingHttpHeaders; method?: string; body?: Readable } = {},
  ) => {
    const request = requestHttp({ createConnection: () => socket, path, method, headers });
    request.on("error", () => undefined);
    if (body === undefined) request.end();
    else body.pipe(request);
    const [response] = await once(request, "response");
    return { status: response.statusCode, location: response.headers.location, body: await text(response) };
  };
  const basic = (user: string) => `Basic ${Buffer.from(`${user}:`).toString("base64")}`;

  it.each<[string, string, OutgoingHttpHeaders, OutgoingHttpHeaders]>([
    ["in place of the placeholder", "X-Api-Key", { "x-api-key": placeholder }, { "x-api-key": key }],
    [
      "within what the program wrote",
      "Authorization: Bearer {key}",
      { authorization: `token ${placeholder}` },
      { authorization: `token ${key}` },
    ],
    [
      "as the name of a user",
      "Authorization: Bearer {key}",
      { authorization: basic(placeholder) },
      { authorization: basic(key) },
    ],
    ["in a header that was not sent", "Authorization: Bearer {key}", {}, { authorization: `Bearer ${key}` }],
    ["not in place of another value", "X-Api-Key", { "x-api-key": "own" }, { "x-api-key": "own" }],
    [
      "not in another header",
      "X-Api-Key",
      { "x-trace": placeholder },
      { "x-trace": placeholder, "x-api-key": key },
    ],
    ["with the host's own name", "X-Api-Key", { host: "other.example.com" }, { "x-api-key": key }],
  ])("a host with a key gets it %s", async (_where, header, sent, expected) => {
    await ask(await secured(await proxyWith(header)), "/a?b=c", { headers: sent });
    const wanted = { ...expected, host: `${host}:${portOf(upstream)}` };
    expect(got).toMatchObject([{ url: "/a?b=c", headers: wanted }]);
  });

  it("a host with a key is the only one that gets it: another host is reached through a tunnel, after a redirect too [host-3]", async () => {
    const proxy = await proxyWith("X-Api-Key");
    const to = `${other}:${portOf(upstream)}`;
    const first = await ask(await secured(proxy), `/redirect/https://${to}/next`);
    expect(first).toMatchObject({ status: 302, location: `https://${to}/next` });
    // The certificate is the host's own: a program that trusts only the proxy's authority does not talk to it.
    await ask(await secured(proxy, to, authority), "/next", { headers: { "x-api-key": placeholder } });
    expect(got).toMatchObject([{ url: "/next", headers: { "x-api-key": placeholder } }]);
    await expect(secured(proxy, to)).rejects.toThrow(/certificate/);
  });

  it("a host with a key does not get it without TLS [host-3]", async () => {
    await using plain = await startServer((_request, response) => response.end("plain"));
    const proxy = await proxyWith("X-Api-Key", plain.port);
    const headers = { "x-api-key": placeholder };
    const path = `http://${host}:${plain.port}/`;
    const request = requestHttp({ socketPath: proxy.socket, path, headers, agent: false }).end();
    const [response] = await once(request, "response");
    expect(await text(response)).toBe("plain");
    expect(plain.requests).toMatchObject([{ headers }]);
  });

  it("a host with a key gets several requests on one connection, and answers them in their order", async () => {
    const socket = await secured(await proxyWith("X-Api-Key"));
    const head = (path: string, more = "") => `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}`;
    socket.write(
      [
        head("/1", "Content-Length: 3\r\n\r\nabc"),
        head("/2", "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"),
        `GET /3 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      ].join(""),
    );
    const answers = await text(socket);
    expect(answers.match(/\/\d \d/g)).toEqual(["/1 3", "/2 5", "/3 0"]);
    expect(got.map(({ headers }) => headers["x-api-key"])).toEqual([key, key, key]);
  });

  it("a host with a key gets the body of a GET that comes in chunks as one request", async () => {
    const body = Readable.from(["GET /hidden HTTP/1.1\r\n\r\n"]);
    const socket = await secured(await proxyWith("X-Api-Key"));
    const headers = { "transfer-encoding": "chunked" };
    expect((await ask(socket, "/one", { headers, body })).body).toBe("/one 24");
    expect(got).toHaveLength(1);
  });

  it("a host with a key gets 40 MB as they come, of which few are on their way", async () => {
    const [piece, count] = [Buffer.alloc(1_000_000), 40];
    let ahead = 0;
    const body = Readable.from(
      (function* () {
        for (let at = 0; at < count; at += 1) {
          ahead = Math.max(ahead, at * piece.length - arrived);
          yield piece;
        }
      })(),
    );
    const socket = await secured(await proxyWith("X-Api-Key"));
    expect(await ask(socket, "/all", { method: "POST", body })).toMatchObject({ body: "/all 40000000" });
    expect(ahead).toBeLessThan(15_000_000);
  });

  it("a host with a key may answer before it has read everything", async () => {
    const socket = await secured(await proxyWith("X-Api-Key"));
    const body = Readable.from([Buffer.alloc(1_000), Buffer.alloc(1_000)]);
    expect(await ask(socket, "/refuse", { method: "POST", body })).toMatchObject({
      status: 413,
      body: "early",
    });
  });

  it("a host with a key that is not reached is a 502 that says why", async () => {
    const dead = await proxyWith("X-Api-Key", 9);
    const gone = await ask(await secured(dead, `${host}:9`), "/a?secret=1");
    expect(gone).toMatchObject({
      status: 502,
      body: `https://${host}:9/a could not be reached (ECONNREFUSED).\n`,
    });
    const port = portOf(foreign);
    const wrong = await ask(await secured(await proxyWith("X-Api-Key", port), `${host}:${port}`), "/");
    expect(wrong).toMatchObject({
      status: 502,
      body: expect.stringMatching(/\((UNABLE_TO|SELF_SIGNED)[A-Z_]+\)/),
    });
    expect(got).toEqual([]);
  });

  it("a host with a key is subject to grants and addresses as every other", async () => {
    const proxy = await proxyWith("X-Api-Key", portOf(upstream), []);
    expect(await ask(await secured(proxy), "/")).toMatchObject({
      status: 403,
      body: expect.stringContaining("not public"),
    });
    expect(await tunnel(proxy, `${host}:${portOf(upstream) + 1}`)).toBe(403);
  });
});
