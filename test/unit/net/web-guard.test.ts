import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import { createAddressPolicy } from "../../../src/net/address-policy.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { AddressRefusedError, guardConnector } from "../../../src/net/guarded-connector.ts";
import { resolverOf, startServer } from "./local-server.ts";

const refused = expect.objectContaining({ code: "address_refused" });

describe("the guarded web", () => {
  it.each([
    "http://127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7f.0.0.1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://0:PORT/",
    "http://0.0.0.0:PORT/",
    "http://[::1]:PORT/",
    "http://[::]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[0:0:0:0:0:ffff:7f00:1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://localhost:PORT/",
    "http://１２７.0.0.1:PORT/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/",
    "http://[fe80::1]/",
    "http://017700000001:PORT/",
    "http://0x7f.1:PORT/",
    "http://127.0.1:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://[::ffff:0:127.0.0.1]:PORT/",
    "http://127。0。0。1:PORT/",
    "http://①②⑦.0.0.1:PORT/",
    "http://LocalHost:PORT/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://168.63.129.16/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
  ])("the guarded web refuses %s and sends nothing [address-11]", async (template) => {
    await using server = await startServer((_request, response) => response.end("secret"));
    const web = createWeb({ allow: [] });
    await expect(web.fetch(template.replace("PORT", String(server.port)))).rejects.toEqual(refused);
    expect(server.requests).toEqual([]);
  });

  it("the guarded web reaches a private host that the operator listed", async () => {
    await using server = await startServer((_request, response) => response.end("inside"));
    for (const allow of [["127.0.0.1"], ["127.0.0.0/8"]]) {
      expect((await createWeb({ allow }).fetch(server.origin)).body).toBe("inside");
    }
    const byName = createWeb({ allow: ["wiki.internal"], lookup: resolverOf(["127.0.0.1"]) });
    expect((await byName.fetch(`http://wiki.internal:${server.port}/`)).body).toBe("inside");
  });

  it("the guarded web never reaches the bot itself, by no notation, name or redirect, whatever is allowed [address-12]", async () => {
    await using bot = await startServer((_request, response) => response.end("the API"));
    const away = { location: `${bot.origin}/api` };
    await using server = await startServer((_request, response) => response.writeHead(307, away).end());
    const lookup = resolverOf(["127.0.0.1"]);
    const allow = ["127.0.0.0/8", "0.0.0.0", "*.example.com"];
    const web = createWeb({ allow, lookup, own: new Set([bot.port]) });
    const hosts = ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0", "api.example.com"];
    const addresses = [...hosts.map((host) => `http://${host}:${bot.port}/`), server.origin];
    for (const address of addresses) await expect(web.fetch(address)).rejects.toEqual(refused);
    expect(bot.requests).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it("the guarded web never reaches the bot at an outer address of its machine [address-12]", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const outer = addresses.filter(({ family, internal }) => family === "IPv4" && !internal);
    const bot = createHttpServer((_request, response) => response.end("the API")).listen(0, "0.0.0.0");
    await once(bot, "listening");
    const { port } = bot.address() as AddressInfo;
    const allow = ["0.0.0.0/0"];
    const [open, closed] = [createWeb({ allow }), createWeb({ allow, own: new Set([port]) })];
    for (const { address } of outer) {
      const url = `http://${address}:${port}/`;
      expect((await open.fetch(url)).body).toBe("the API");
      await expect(closed.fetch(url)).rejects.toEqual(refused);
    }
    bot.close();
    bot.closeAllConnections();
  });

  it("the guarded web refuses a name that resolves to a private address, and says how to allow it", async () => {
    await using server = await startServer((_request, response) => response.end("secret"));
    const web = createWeb({ allow: [], lookup: resolverOf(["127.0.0.1"]) });
    const message = expect.stringMatching(/harmless\.example leads to 127\.0\.0\.1.*KNACK_NET_ALLOW/);
    await expect(web.fetch(`http://harmless.example:${server.port}/`)).rejects.toMatchObject({
      code: "address_refused",
      message,
    });
    expect(server.requests).toEqual([]);
  });

  it("the guarded web leaves private addresses out of a mixed answer", async () => {
    await using server = await startServer((_request, response) => response.end("secret"));
    const web = createWeb({ allow: [], lookup: resolverOf(["127.0.0.1", "::1", "10.0.0.1"]) });
    await expect(web.fetch(`http://mixed.example:${server.port}/`)).rejects.toEqual(refused);
    expect(server.requests).toEqual([]);
  });

  it("the guarded web judges every hop of a redirect [address-11]", async () => {
    await using inner = await startServer((_request, response) => response.end("secret"));
    await using outer = await startServer((request, response) => {
      const target =
        request.url === "/ip" ? `http://127.0.0.2:${inner.port}/` : `http://inner.example:${inner.port}/`;
      response.writeHead(302, { location: target }).end();
    });
    const web = createWeb({ allow: ["outer.example"], lookup: resolverOf(["127.0.0.1"]) });
    for (const path of ["/ip", "/name"]) {
      await expect(web.fetch(`http://outer.example:${outer.port}${path}`)).rejects.toMatchObject({
        code: "address_refused",
        message: expect.stringContaining("redirected there"),
      });
    }
    expect(outer.requests).toHaveLength(2);
    expect(inner.requests).toEqual([]);
  });

  it("the guarded web resolves a name once per connection, so that no second answer can differ from the judged one", async () => {
    await using server = await startServer((_request, response) => response.end("inside"));
    let lookups = 0;
    const lookup: LookupFunction = (hostname, options, callback) => {
      lookups += 1;
      resolverOf(["127.0.0.1"])(hostname, options, callback);
    };
    await createWeb({ allow: ["127.0.0.1"], lookup }).fetch(`http://rebind.example:${server.port}/`);
    expect(lookups).toBe(1);
  });

  it("the guarded web judges the address a socket is connected to, and sends no byte when it is refused [address-11]", async () => {
    const received: Buffer[] = [];
    const server = createServer((socket) =>
      socket.on("data", (bytes) => received.push(bytes)).on("error", () => {}),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const connect = guardConnector(buildConnector({}), createAddressPolicy({ allow: [] }));
    const closed = new Promise((done) => server.once("connection", (socket) => socket.once("close", done)));
    const error = await new Promise((resolve) => {
      connect({ hostname: "localhost", protocol: "http:", port }, (...outcome) => resolve(outcome[0]));
    });
    await closed;
    server.close();
    expect(error).toBeInstanceOf(AddressRefusedError);
    expect(received).toEqual([]);
  });

  it.each([
    ["ftp://files.example/x", "http and https"],
    ["file:///etc/passwd", "http and https"],
    ["javascript:alert(1)", "http and https"],
    ["not an address", "https://example.com/page"],
    ["http://", "not a web address"],
    [`http://x.example/${"a".repeat(9_000)}`, "longer than"],
  ])("the guarded web explains why %s is not a web address", async (url, reason) => {
    const web = createWeb({ allow: [] });
    await expect(web.fetch(url)).rejects.toMatchObject({
      code: "invalid_url",
      message: expect.stringContaining(reason),
    });
  });

  it("the guarded web echoes no credentials, query values or fragments in its messages", async () => {
    const web = createWeb({ allow: [], lookup: resolverOf(["10.0.0.1"]) });
    for (const url of [
      "http://me:hunter2@x.example/",
      "http://x.example/a?token=hunter2#hunter2",
      "htp//me:hunter2@x?k=hunter2 y",
    ]) {
      const error: unknown = await web.fetch(url).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain("hunter2");
    }
  });
});
