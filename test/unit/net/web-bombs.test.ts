import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createWeb } from "../../../src/net/create-web.ts";
import { startServer } from "./local-server.ts";

const allow = ["127.0.0.1"];
const zeros = Buffer.alloc(100_000_000);
const megabyte = 1_048_576;
/** Quickly: the best quality takes seconds for so much. */
const brotli = (data: Buffer) =>
  brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const gzipped = gzipSync(zeros, { level: 1 });
const deflated = deflateSync(zeros, { level: 1 });

/** A server that speaks for itself on the socket. */
async function rawServer(speak: (socket: Socket) => void): Promise<{ origin: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).resume();
    speak(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

describe("an answer that unpacks to far more than it weighs", () => {
  it.each([
    ["gzip", gzipped],
    ["br", brotli(zeros)],
    ["deflate", deflated],
    ["gzip, gzip", gzipSync(gzipped)],
    ["deflate, br, gzip", gzipSync(brotli(deflated))],
    ["zstd", zstdCompressSync(zeros)],
  ])(
    "an answer that unpacks to too much is left at the size limit when packed with %s, by fetch and by read [address-11]",
    async (encoding, body) => {
      await using server = await startServer((_request, response) =>
        response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding }).end(body),
      );
      const web = createWeb({ allow, maxBytes: 500_000 });
      const before = process.memoryUsage().rss;
      for (const get of [web.fetch, web.read]) {
        await expect(get(server.origin)).rejects.toMatchObject({ code: "too_large" });
      }
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte);
    },
  );

  it("an answer is not unpacked as often as it says", async () => {
    const encoding = Array.from({ length: 50 }, () => "gzip").join(", ");
    await using server = await startServer((_request, response) =>
      response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": encoding })
        .end(gzipSync("x")),
    );
    await expect(createWeb({ allow }).fetch(server.origin)).rejects.toMatchObject({ code: "unreachable" });
  });
});

describe("a server that wears out who asks", () => {
  it.each([
    [
      "headers without end",
      (socket: Socket) => {
        const more = () => socket.writable && socket.write(`x-a: ${"b".repeat(1_000)}\r\n`, more);
        socket.write("HTTP/1.1 200 OK\r\n");
        more();
      },
    ],
    [
      "one header without end",
      (socket: Socket) => {
        const more = () => socket.writable && socket.write("b".repeat(10_000), more);
        socket.write("HTTP/1.1 200 OK\r\nx-a: ");
        more();
      },
    ],
    ["an answer that is no HTTP", (socket: Socket) => socket.end("\0\x01\x02 hello")],
    [
      "two lengths",
      (socket: Socket) =>
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 5\r\n\r\nhello"),
    ],
    ["half an answer", (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhello")],
    ["nothing", (socket: Socket) => socket.destroy()],
  ])("a hostile server is left when it sends %s", async (_name, speak) => {
    await using server = await rawServer(speak);
    await expect(createWeb({ allow, timeoutMs: 10_000 }).fetch(server.origin)).rejects.toMatchObject({
      code: "unreachable",
    });
  });

  it.each([
    ["the status line", "HTTP/1.1 200 O"],
    ["headers", "HTTP/1.1 200 OK\r\nx"],
    [
      "the length of a chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/plain\r\n\r\n1;x=",
    ],
    ["the body", "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\ncontent-type: text/plain\r\n\r\n"],
  ])(
    "a hostile server is left at the time limit when it drips %s, by fetch and by read [address-11]",
    async (_name, beginning) => {
      await using server = await rawServer((socket) => {
        socket.write(beginning);
        const drip = setInterval(() => socket.write("x"), 10);
        socket.once("close", () => clearInterval(drip));
      });
      const web = createWeb({ allow, timeoutMs: 150 });
      for (const get of [web.fetch, web.read]) {
        await expect(get(server.origin)).rejects.toMatchObject({ code: "timed_out" });
      }
    },
  );
});
