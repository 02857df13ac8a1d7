import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDownload } from "../../../src/net/create-download.ts";
import { startServer } from "./local-server.ts";

const limits = { maxBytes: 1_000_000, timeoutMs: 5_000, signal: new AbortController().signal };
const download = createDownload({ allow: ["127.0.0.1"] });

describe("a download", () => {
  it("a download is the file, byte for byte, with the name in its address", async () => {
    const file = randomBytes(50_000);
    await using server = await startServer((_request, response) => response.end(file));
    const got = await download(`${server.origin}/packages/tool.zip?raw=1`, limits);
    expect(got).toEqual({ ok: true, data: file, name: "tool.zip" });
  });

  it("a download has the name the server gives it", async () => {
    await using server = await startServer((_request, response) => {
      response.setHeader("content-disposition", 'attachment; filename="skill.tar.gz"');
      response.end("x");
    });
    expect(await download(`${server.origin}/latest`, limits)).toMatchObject({ name: "skill.tar.gz" });
  });

  it("a download stops at the limit, even if the server does not give the size", async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(200);
      response.on("drain", () => response.write(Buffer.alloc(65_536)));
      response.write(Buffer.alloc(65_536));
      response.write(Buffer.alloc(65_536));
    });
    const got = await download(server.origin, { ...limits, maxBytes: 100_000 });
    expect(got).toMatchObject({ ok: false, reason: expect.stringContaining("100") });
  });

  it("a download is refused with the status when there is no such file", async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(404);
      response.end("<html>no</html>");
    });
    expect(await download(server.origin, limits)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("404"),
    });
  });

  it("a download is refused at private addresses, even behind a redirect", async () => {
    const guarded = createDownload({ allow: [] });
    expect(await guarded("http://127.0.0.1:1/x.zip", limits)).toMatchObject({ ok: false });
    await using server = await startServer((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" });
      response.end();
    });
    const got = await download(server.origin, limits);
    expect(got).toMatchObject({ ok: false, reason: expect.stringContaining("169.254.169.254") });
  });

  it("a download rejects when it is given up", async () => {
    const stop = new AbortController();
    await using server = await startServer(() => stop.abort(new Error("given up")));
    await expect(download(server.origin, { ...limits, signal: stop.signal })).rejects.toThrow("given up");
  });
});
