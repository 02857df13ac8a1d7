import { once } from "node:events";
import { existsSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { connect, createServer, type LookupFunction, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { coversHost } from "../../../src/core/skill/network-grants.ts";
import { createGuardedProxy, type GuardedProxyOptions } from "../../../src/net/guarded-proxy.ts";
import { type ListeningProxy, openProxy, resolverOf, startServer } from "./local-server.ts";

const open: ListeningProxy[] = [];
afterEach(async () => {
  for (const proxy of open.splice(0)) await proxy.close();
});

/** A proxy that may reach these hosts, on a machine where every name resolves to the loopback. */
async function proxyTo(
  granted: string[],
  options: Partial<GuardedProxyOptions> = {},
): Promise<ListeningProxy> {
  const settings = { allow: [], lookup: resolverOf(["127.0.0.1"]), ...options };
  const proxy = await openProxy(settings, { permits: (host) => coversHost(granted, host) });
  open.push(proxy);
  return proxy;
}

interface Reply {
  status: number;
  phrase: string;
  body: string;
}

/** An absolute-form request, as programs send it for http addresses. */
async function get(
  proxy: ListeningProxy,
  url: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  const method = body === undefined ? "GET" : "POST";
  const request = requestHttp({ socketPath: proxy.socket, path: url, method, headers, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  return { status: response.statusCode, phrase: response.statusMessage, body: await text(response) };
}

/** A CONNECT request; answers the tunnel where there is one. */
async function tunnel(proxy: ListeningProxy, authority: string): Promise<Reply & { socket: Socket }> {
  const request = requestHttp({ socketPath: proxy.socket, method: "CONNECT", path: authority, agent: false });
  request.end();
  const [response, socket, head] = await once(request, "connect");
  const status = response.statusCode;
  const body = status === 200 ? "" : head.toString() + (await text(socket));
  return { status, phrase: response.statusMessage, body, socket };
}

const private_ = /not public/;

describe("the guarded proxy", () => {
  it("the guarded proxy forwards requests and tunnels to granted hosts, and nothing of the hop", async () => {
    await using server = await startServer(async (request, response) => {
      response
        .writeHead(201, { "x-answer": "yes" })
        .end(`${request.method} ${request.url} ${await text(request)}`);
    });
    const host = `api.example.com:${server.port}`;
    const proxy = await proxyTo([host], { allow: ["127.0.0.1"] });
    const headers = {
      "proxy-authorization": "secret",
      host: "other.example",
      "x-key": "k",
      connection: "x-hop",
      "x-hop": "1",
    };
    expect(await get(proxy, `http://${host}/a?b=c`, headers, "body")).toMatchObject({
      status: 201,
      body: "POST /a?b=c body",
    });
    const { "x-key": key, host: sent, ...rest } = server.requests[0]?.headers ?? {};
    expect([key, sent]).toEqual(["k", host]);
    expect(Object.keys(rest)).not.toContain("proxy-authorization");
    expect(Object.keys(rest)).not.toContain("x-hop");
    const { status, socket } = await tunnel(proxy, host);
    expect(status).toBe(200);
    socket.end(`GET /tunnel HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toContain("GET /tunnel");
  });

  it("the guarded proxy never reaches the bot itself, whatever is granted and allowed, tunnelled or not [address-12]", async () => {
    await using server = await startServer((_request, response) => response.end("the bot"));
    const proxy = await proxyTo(["*"], { allow: ["127.0.0.1", "api.example"], own: new Set([server.port]) });
    for (const host of ["127.0.0.1", "api.example"]) {
      expect((await get(proxy, `http://${host}:${server.port}/`)).status).toBe(403);
      expect((await tunnel(proxy, `${host}:${server.port}`)).status).toBe(403);
    }
  });

  it("the guarded proxy of another program is out of reach too, as long as it listens [address-12]", async () => {
    const own = new Set<number>();
    const options = { allow: ["127.0.0.1"], own };
    const { url, close } = await createGuardedProxy(options).openOnLoopback({ permits: () => true });
    const port = Number(new URL(url).port);
    const proxy = await proxyTo(["*"], options);
    expect((await tunnel(proxy, `127.0.0.1:${port}`)).status).toBe(403);
    await close();
    expect([...own]).toEqual([]);
  });

  it("the guarded proxy refuses what is not granted, names it, and says who can grant it [host-1]", async () => {
    await using server = await startServer((_request, response) => response.end("secret"));
    const proxy = await proxyTo(["api.example.com", "*.example.org"], { allow: ["127.0.0.1"] });
    const refusals: [string, string][] = [
      ["other.example.com:80", "other.example.com"],
      ["API.EXAMPLE.COM.evil.example:443", "api.example.com.evil.example"],
      [`api.example.com:${server.port}`, `api.example.com:${server.port}`],
      [`deep.example.org:${server.port}`, `deep.example.org:${server.port}`],
      ["example.org:80", "example.org"],
    ];
    for (const [authority, named] of refusals) {
      const refusal = {
        status: 403,
        phrase: `${named} is not granted`,
        body: expect.stringMatching(/operator can grant/),
      };
      expect(await tunnel(proxy, authority), authority).toMatchObject(refusal);
      expect(await get(proxy, `http://${authority}/`), authority).toMatchObject(
        authority.endsWith(":443") ? { status: 403 } : refusal,
      );
    }
    expect(server.requests).toEqual([]);
  });

  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "innocent.example",
    "169.254.169.254",
    "2852039166",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "10.0.0.1",
    "100.64.0.1",
    "192.168.0.1",
    "255.255.255.255",
    "224.0.0.1",
  ])(
    "the guarded proxy refuses %s although every host is granted, in both forms, and sends nothing [host-1]",
    async (host) => {
      await using server = await startServer((_request, response) => response.end("secret"));
      const proxy = await proxyTo(["*"]);
      expect(await get(proxy, `http://${host}:${server.port}/`)).toMatchObject({
        status: 403,
        body: expect.stringMatching(private_),
      });
      expect(await tunnel(proxy, `${host}:${server.port}`)).toMatchObject({
        status: 403,
        body: expect.stringMatching(private_),
      });
      expect(server.requests).toEqual([]);
    },
  );

  it("the guarded proxy judges the address it connected to when a resolver gives another one than it was asked for", async () => {
    await using server = await startServer((_request, response) => response.end("secret"));
    let asked = 0;
    const rebinding: LookupFunction = (hostname, options, callback) => {
      asked += 1;
      resolverOf(asked === 1 ? ["93.184.216.34", "127.0.0.1"] : ["127.0.0.1"])(hostname, options, callback);
    };
    const proxy = await proxyTo(["*"], { lookup: rebinding, limits: { connectMs: 300 } });
    const first = await tunnel(proxy, `rebind.example:${server.port}`);
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect(await tunnel(proxy, `rebind.example:${server.port}`)).toMatchObject({ status: 403 });
    expect(server.requests).toEqual([]);
  });

  it.each([
    "/relative",
    "https://api.example.com/",
    "ftp://api.example.com/",
    "http://user:pw@api.example.com/",
    "http://",
  ])("the guarded proxy takes no request for %s", async (url) => {
    expect(await get(await proxyTo(["*"]), url)).toMatchObject({ status: 400 });
  });

  it.each([
    "api.example.com",
    "api.example.com:x",
    "a b:443",
    "user@api.example.com:443",
    "api.example.com/x:443",
    "h:99999",
    ":443",
  ])("the guarded proxy opens no tunnel to %j", async (authority) => {
    const proxy = await proxyTo(["*"]);
    const socket = connect(proxy.socket);
    socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`);
    expect((await text(socket)).slice(0, 12)).not.toBe("HTTP/1.1 200");
  });

  it("the guarded proxy ends a connection at its limit of bytes, and all of them at the hour's", async () => {
    await using server = await startServer((_request, response) => response.end("x".repeat(300_000)));
    const host = `big.example:${server.port}`;
    const one = await proxyTo(["*"], { allow: ["127.0.0.1"], limits: { connectionBytes: 200_000 } });
    await expect(get(one, `http://${host}/`)).rejects.toThrow("aborted");
    const all = await proxyTo(["*"], { allow: ["127.0.0.1"], limits: { hourlyBytes: 400_000 } });
    expect((await get(all, `http://${host}/`)).body).toHaveLength(300_000);
    await expect(get(all, `http://${host}/`)).rejects.toThrow("aborted");
  });

  it("the guarded proxy ends what is idle, says that nobody answers, and survives answers that are not HTTP", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
    const rude = createServer((socket) => socket.resume().end("\0".repeat(100))).listen(0, "127.0.0.1");
    await Promise.all([once(silent, "listening"), once(rude, "listening")]);
    const portOf = (server: typeof silent) => {
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : 0;
    };
    const proxy = await proxyTo(["*"], { allow: ["127.0.0.1"], limits: { idleMs: 100 } });
    expect(await get(proxy, `http://silent.example:${portOf(silent)}/`)).toMatchObject({ status: 502 });
    expect(await get(proxy, `http://rude.example:${portOf(rude)}/`)).toMatchObject({ status: 502 });
    const { socket } = await tunnel(proxy, `silent.example:${portOf(silent)}`);
    expect(await text(socket)).toBe("");
    const port = portOf(rude);
    silent.close();
    rude.close();
    await once(rude, "close");
    expect(await tunnel(proxy, `gone.example:${port}`)).toMatchObject({
      status: 502,
      body: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("the guarded proxy refuses a server's flood of headers", async () => {
    const flood = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(10_000)}\r\n`);
    }).listen(0, "127.0.0.1");
    await once(flood, "listening");
    const address = flood.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const proxy = await proxyTo(["*"], { allow: ["127.0.0.1"] });
    expect(await get(proxy, `http://flood.example:${port}/`)).toMatchObject({ status: 502 });
    flood.close();
  });

  it("the guarded proxy closes its tunnels and its socket when it is closed", async () => {
    await using server = await startServer(() => undefined);
    const proxy = await proxyTo(["*"], { allow: ["127.0.0.1"] });
    const { socket } = await tunnel(proxy, `api.example.com:${server.port}`);
    const closed = once(socket, "close");
    await proxy.close();
    await closed;
    expect(existsSync(proxy.socket)).toBe(false);
    open.pop();
  });
});
