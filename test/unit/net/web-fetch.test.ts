import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createWeb } from "../../../src/net/create-web.ts";
import { startServer } from "./local-server.ts";

const allow = ["127.0.0.1", "localhost"];

describe("fetching through the guarded web", () => {
  it("fetching sends method, headers and body, and answers status, headers and text", async () => {
    await using server = await startServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.writeHead(201, { "content-type": "application/json", "x-answer": "yes" });
      response.end(
        JSON.stringify({
          method: request.method,
          body,
          key: request.headers["x-key"],
          host: request.headers.host,
        }),
      );
    });
    const web = createWeb({ allow, userAgent: "Knack test" });
    const headers = { "X-Key": "k", Host: "evil.example", "Content-Type": "text/plain" };
    const response = await web.fetch(`${server.origin}/a?b=c`, { method: "post", headers, body: "grüße" });
    expect(response).toMatchObject({
      url: `${server.origin}/a?b=c`,
      status: 201,
      headers: { "x-answer": "yes" },
    });
    expect(JSON.parse(response.body)).toEqual({
      method: "POST",
      body: "grüße",
      key: "k",
      host: `127.0.0.1:${server.port}`,
    });
    expect(server.requests[0]?.headers["user-agent"]).toBe("Knack test");
  });

  it("fetching answers error statuses as responses", async () => {
    await using server = await startServer((_request, response) => response.writeHead(404).end("nothing"));
    expect(await createWeb({ allow }).fetch(server.origin)).toMatchObject({ status: 404, body: "nothing" });
  });

  it("fetching follows redirects, keeps credentials within the origin and drops them outside", async () => {
    await using other = await startServer((_request, response) => response.end("there"));
    await using server = await startServer((request, response) => {
      if (request.url === "/a") response.writeHead(307, { location: "/b" }).end();
      else response.writeHead(303, { location: `${other.origin}/c` }).end();
    });
    const headers = { authorization: "Bearer s", "x-api-key": "s", cookie: "s", accept: "text/plain" };
    const response = await createWeb({ allow }).fetch(`${server.origin}/a`, {
      method: "POST",
      body: "x",
      headers,
    });
    expect(response).toMatchObject({ url: `${other.origin}/c`, body: "there" });
    expect(server.requests.map(({ method, headers: got }) => [method, got.authorization])).toEqual([
      ["POST", "Bearer s"],
      ["POST", "Bearer s"],
    ]);
    expect(other.requests[0]).toMatchObject({ method: "GET", headers: { accept: "text/plain" } });
    expect(JSON.stringify(other.requests[0]?.headers)).not.toMatch(/"s"|Bearer/);
  });

  it("fetching gives up after too many redirects", async () => {
    let count = 0;
    await using server = await startServer((_request, response) => {
      count += 1;
      response.writeHead(302, { location: `/${count}` }).end();
    });
    await expect(createWeb({ allow, maxRedirects: 10 }).fetch(server.origin)).rejects.toMatchObject({
      code: "too_many_redirects",
    });
    expect(count).toBe(11);
  });

  it("fetching refuses a redirect to another scheme, or one with credentials", async () => {
    for (const location of ["file:///etc/passwd", "http://user:secret@127.0.0.1/"]) {
      await using server = await startServer((_request, response) =>
        response.writeHead(302, { location }).end(),
      );
      await expect(createWeb({ allow }).fetch(server.origin)).rejects.toMatchObject({ code: "invalid_url" });
    }
  });

  it("fetching unpacks compressed answers", async () => {
    await using server = await startServer((request, response) => {
      const encoding = request.url === "/br" ? "br" : "gzip";
      const packed = encoding === "br" ? brotliCompressSync("packed") : gzipSync("packed");
      response.writeHead(200, { "content-encoding": encoding }).end(packed);
    });
    const web = createWeb({ allow });
    expect((await web.fetch(`${server.origin}/br`)).body).toBe("packed");
    expect((await web.fetch(`${server.origin}/gzip`)).body).toBe("packed");
  });

  it("fetching stops at the size limit: a gzip bomb, an endless body, a declared length", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    let sent = 0;
    await using server = await startServer((request, response) => {
      response.setHeader("content-type", "text/plain");
      if (request.url === "/bomb") return void response.setHeader("content-encoding", "gzip").end(bomb);
      if (request.url === "/declared") return void response.setHeader("content-length", "5000000").write("x");
      const more = () => {
        sent += 1;
        if (!response.destroyed) response.write("x".repeat(16_384), more);
      };
      more();
    });
    const web = createWeb({ allow, maxBytes: 200_000 });
    for (const path of ["/bomb", "/endless", "/declared"]) {
      await expect(web.fetch(server.origin + path), path).rejects.toMatchObject({
        code: "too_large",
        message: expect.stringContaining("larger than 200 kB"),
      });
    }
    expect(sent).toBeLessThan(5_000);
  });

  it("fetching stops at the time limit: no answer, a body that drips, redirects that dawdle", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/silent") return;
      if (request.url === "/drip") {
        const drip = setInterval(() => response.write("x"), 20);
        response.on("close", () => clearInterval(drip));
        return;
      }
      setTimeout(() => response.writeHead(302, { location: "/slow" }).end(), 60);
    });
    const web = createWeb({ allow, timeoutMs: 200, maxRedirects: 100 });
    for (const path of ["/silent", "/drip", "/slow"]) {
      const started = Date.now();
      await expect(web.fetch(server.origin + path), path).rejects.toMatchObject({ code: "timed_out" });
      expect(Date.now() - started).toBeLessThan(5_000);
    }
  });

  it("fetching lets a call shorten the time limit but not lengthen it", async () => {
    await using server = await startServer(() => {});
    const message = expect.stringContaining("within 0.1 s");
    await expect(
      createWeb({ allow, timeoutMs: 9_000 }).fetch(server.origin, { timeout_ms: 100 }),
    ).rejects.toMatchObject({ message });
    await expect(
      createWeb({ allow, timeoutMs: 100 }).fetch(server.origin, { timeout_ms: 9_000 }),
    ).rejects.toMatchObject({ message });
  });

  it("fetching ends with the caller's reason when aborted, and closes the connection", async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write("begun", () => controller.abort(new Error("stopped")));
    });
    await expect(createWeb({ allow }).fetch(server.origin, { signal: controller.signal })).rejects.toThrow(
      "stopped",
    );
    await closed.promise;
    await expect(createWeb({ allow }).fetch(server.origin, { signal: controller.signal })).rejects.toThrow(
      "stopped",
    );
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["image/png", "text"],
    ["application/pdf", "%PDF-1.7"],
    ["application/octet-stream", "x"],
    ["text/plain", "a\0b"],
    ["", "PK\u0003\u0004\0\0"],
  ])("fetching refuses binary content of type '%s'", async (type, body) => {
    await using server = await startServer((_request, response) => {
      if (type !== "") response.setHeader("content-type", type);
      response.end(body);
    });
    await expect(createWeb({ allow }).fetch(server.origin)).rejects.toMatchObject({
      code: "unsupported_content",
    });
  });

  it.each([
    ["text/plain; charset=iso-8859-1", Buffer.from("Grüße", "latin1"), "Grüße"],
    [
      "text/html",
      Buffer.from("<meta charset='windows-1252'>Preis: 5 \x80", "latin1"),
      "<meta charset='windows-1252'>Preis: 5 €",
    ],
    ["text/plain", Buffer.from("Grüße", "latin1"), "Grüße"],
    ["text/plain; charset=utf-9000", Buffer.from("Grüße"), "Grüße"],
    ["text/plain", Buffer.from("\ufeffGrüße", "utf16le"), "Grüße"],
    ["text/plain; charset=shift_jis", Buffer.from([0x93, 0xfa, 0x96, 0x7b]), "日本"],
    [
      "application/xml",
      Buffer.from("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>", "latin1"),
      "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>",
    ],
  ])("fetching decodes %s", async (type, bytes, expected) => {
    await using server = await startServer((_request, response) =>
      response.setHeader("content-type", type).end(bytes),
    );
    expect((await createWeb({ allow }).fetch(server.origin)).body).toBe(expected);
  });

  it("fetching says that a host does not answer, and that an answer is damaged", async () => {
    const server = await startServer((_request, response) =>
      response.setHeader("content-encoding", "gzip").end("not packed"),
    );
    await expect(createWeb({ allow }).fetch(server.origin)).rejects.toMatchObject({ code: "unreachable" });
    await server[Symbol.asyncDispose]();
    await expect(createWeb({ allow }).fetch(server.origin)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("refused the connection"),
    });
  });

  it("fetching refuses requests that cannot be sent", async () => {
    const web = createWeb({ allow });
    for (const request of [{ body: "x" }, { method: "A B" }, { headers: { "x-a": "b\r\nc: d" } }]) {
      await expect(web.fetch("http://127.0.0.1/", request)).rejects.toMatchObject({ code: "invalid_url" });
    }
  });
});
