import { describe, expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { startServer } from "./start-server.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const address = (name: string) => `/api/v1/turns/turn-1/files/${encodeURIComponent(name)}`;

describe("a file of a turn", () => {
  it("a turn's file is a download that may do nothing in the page, byte for byte", async () => {
    const { url, files } = await startServer();
    const data = Uint8Array.from({ length: 256 }, (_, at) => at);
    files.set("page.html", { media_type: "text/html", data });
    const response = await fetch(url + address("page.html"));
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(data);
    expect(response.headers.get("content-disposition")).toBe(
      "attachment; filename=\"page.html\"; filename*=UTF-8''page.html",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; sandbox/);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it.each(["image/png", "image/jpeg", "image/gif", "image/webp"])(
    "a turn's file is shown in place as %s",
    async (media_type) => {
      const { url, files } = await startServer();
      files.set("picture", { media_type, data: bytes("x") });
      const { headers } = await fetch(url + address("picture"));
      expect(headers.get("content-type")).toBe(media_type);
      expect(headers.get("content-disposition")).toMatch(/^inline;/);
      expect(headers.get("content-security-policy")).toContain("sandbox");
    },
  );

  it.each(["image/svg+xml", "text/html", "application/xhtml+xml", "text/xml", "application/pdf"])(
    "a turn's file is never shown in place as %s",
    async (media_type) => {
      const { url, files } = await startServer();
      files.set("a", { media_type, data: bytes("<script>1</script>") });
      const { headers } = await fetch(url + address("a"));
      expect(headers.get("content-disposition")).toMatch(/^attachment;/);
    },
  );

  it("a turn's file keeps its name, whatever the letters", async () => {
    const { url, files } = await startServer();
    const name = `Übersicht "Q3" 報告'(1).csv`;
    files.set(name, { media_type: "text/csv", data: bytes("a;b") });
    const { headers } = await fetch(url + address(name));
    const told = headers.get("content-disposition") ?? "";
    expect(told).toMatch(/filename="[\w. -]+"/);
    expect(decodeURIComponent(/filename\*=UTF-8''([\w%.-]+)$/.exec(told)?.[1] ?? "")).toBe(name);
  });

  it("a turn's file is not found under another name, nor without the token", async () => {
    const { url, files } = await startServer({ security: { token: "secret" } });
    files.set("a.txt", { media_type: "text/plain", data: bytes("text") });
    const client = createApiClient({ fetch, baseUrl: url, token: "secret" });
    expect(await (await client.file(address("a.txt"))).text()).toBe("text");
    await expect(client.file(address("b.txt"))).rejects.toMatchObject({ status: 404 });
    await expect(client.file(address("../a.txt"))).rejects.toMatchObject({ status: 404 });
    expect((await fetch(url + address("a.txt"))).status).toBe(401);
  });

  it("every other answer has the headers of the console", async () => {
    const { url } = await startServer();
    const { headers } = await fetch(`${url}/api/v1/about`);
    expect(headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(headers.get("content-security-policy")).not.toContain("sandbox");
    expect(headers.get("x-frame-options")).toBe("DENY");
  });
});
