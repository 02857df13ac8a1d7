import { describe, expect, it } from "vitest";
import { createServer } from "../../../src/server/server.ts";
import { createFakeApp } from "./fake-app.ts";
import { json, send, startServer } from "./start-server.ts";

const hash = "a".repeat(64);
const operator = { id: "operator", name: "operator", trust: "operator" };
const noAssets = { page: async () => undefined, file: async () => undefined };

function form(fields: Record<string, string | File>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}
const archive = () => new File([new Uint8Array([80, 75, 0, 255])], "weather.zip");
const post = (url: string, body: object | FormData, headers: Record<string, string> = {}) =>
  body instanceof FormData
    ? fetch(url, { method: "POST", body, headers })
    : fetch(url, { method: "POST", body: JSON.stringify(body), headers: { ...json, ...headers } });
const read = async (response: Response) => JSON.parse(await response.text());
const codeOf = async (response: Response) => [response.status, (await read(response)).code];

describe("a package", () => {
  it("a package is reviewed and installed from an address, exactly what was seen", async () => {
    const { url, asked } = await startServer();
    const source = { url: "https://example.com/weather.zip" };
    const reviewed = await post(`${url}/api/v1/packages/review`, source);
    expect((await read(reviewed)).reviews[0]).toMatchObject({ skill_id: "weather", hash });
    const done = await post(`${url}/api/v1/packages`, { ...source, expected: [hash] });
    expect((await read(done)).installed[0].review.hash).toBe(hash);
    expect(asked).toEqual([
      { run: "package.review", ...source, by: operator },
      { run: "package.install", ...source, by: operator, expected: [hash] },
    ]);
  });

  it("a package is uploaded with every byte unchanged", async () => {
    const { url, asked } = await startServer();
    const body = form({ file: archive(), expected: `${hash}, ${hash}`, user: "ada" });
    expect((await post(`${url}/api/v1/packages`, body)).status).toBe(200);
    expect(asked).toEqual([
      {
        run: "package.install",
        files: [{ name: "weather.zip", data: new Uint8Array([80, 75, 0, 255]) }],
        by: { id: "ada", name: "ada", trust: "operator" },
        expected: [hash, hash],
      },
    ]);
  });

  it.each([
    ["a hash that is none", { url: "https://a.example/x.zip", expected: ["abc"] }],
    ["a field nobody knows", { url: "https://a.example/x.zip", force: true }],
    ["a form without a file", form({ user: "ada" })],
    ["a form whose file is text", form({ file: "PK" })],
  ])("a package is refused with %s", async (_name, body) => {
    const { url, asked } = await startServer();
    expect(await codeOf(await post(`${url}/api/v1/packages`, body))).toEqual([400, "invalid_request"]);
    expect(asked).toEqual([]);
  });

  it("a package is refused when it is too large to be one", async () => {
    const { url, asked } = await startServer();
    const length = String(52 * 1024 * 1024);
    const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": length };
    const { status, text } = await send(url, { method: "POST", path: "/api/v1/packages", headers });
    expect([status, JSON.parse(text).code]).toEqual([413, "too_large"]);
    expect(asked).toEqual([]);
  });

  it("a package is removed and updated, and a missing one is said to be missing", async () => {
    const { url } = await startServer();
    const remove = (id: string) => fetch(`${url}/api/v1/packages/${id}`, { method: "DELETE" });
    expect((await read(await remove("weather"))).removed.skill_id).toBe("weather");
    expect((await remove("wether")).status).toBe(404);
    expect((await post(`${url}/api/v1/packages/weather/update`, {})).status).toBe(200);
    expect((await fetch(`${url}/api/v1/skills/weather/review`)).status).toBe(200);
    expect((await read(await fetch(`${url}/api/v1/packages`))).packages).toHaveLength(1);
  });
});

describe("a form", () => {
  it("a form is taken only for packages and messages", async () => {
    const { url, asked } = await startServer();
    for (const path of ["skills/x/run", "packages/weather/update"]) {
      expect((await post(`${url}/api/v1/${path}`, form({ file: archive() }))).status).toBe(415);
    }
    expect(asked).toEqual([]);
  });

  it("a form of a page of another site is refused, though browsers send it without asking", async () => {
    const { url, asked } = await startServer();
    const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK\r\n--x--\r\n`;
    const type = { "Content-Type": "multipart/form-data; boundary=x" };
    for (const from of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
    ]) {
      const options = { method: "POST", headers: { ...type, ...from }, body };
      expect((await send(`${url}/api/v1/packages`, options)).status).toBe(403);
    }
    expect(asked).toEqual([]);
    expect((await send(`${url}/api/v1/packages`, { method: "POST", headers: type, body })).status).toBe(200);
  });
});

describe("a path of the bot's machine", () => {
  const path = { path: "/home/me/skills/weather" };

  it("a path of the bot's machine is taken while the bot listens only for its own machine", async () => {
    const { url, asked } = await startServer();
    expect((await post(`${url}/api/v1/packages/review`, path)).status).toBe(200);
    expect(asked).toEqual([{ run: "package.review", ...path, by: operator }]);
  });

  it.each([
    [
      "through a proxy",
      { token: "secret" },
      { "X-Forwarded-For": "203.0.113.7", Authorization: "Bearer secret" },
    ],
    [
      "through a proxy that tells the host alone",
      { token: "secret" },
      { "X-Forwarded-Host": "knack.example.com", Authorization: "Bearer secret" },
    ],
    ["at another name", { allowedHosts: ["knack.example.com"] }, {}],
    ["from other machines", { host: "0.0.0.0", token: "secret" }, { Authorization: "Bearer secret" }],
  ])(
    "a path of the bot's machine is refused where the bot is reached %s",
    async (_name, security, headers) => {
      const { url, asked } = await startServer({ security });
      const response = await post(`${url.replace("0.0.0.0", "127.0.0.1")}/api/v1/packages`, path, headers);
      expect(await codeOf(response)).toEqual([403, "path_refused"]);
      expect(asked).toEqual([]);
    },
  );

  it("a path of the bot's machine is taken from the same process, wherever the bot would listen", async () => {
    const { app, asked } = createFakeApp();
    const server = createServer({
      app,
      assets: noAssets,
      version: "1",
      logger: { error: () => {} },
      security: { host: "0.0.0.0", port: 0, token: "secret" },
    });
    const headers = { ...json, Authorization: "Bearer secret" };
    const request = { method: "POST", body: JSON.stringify(path), headers };
    const response = await server.app.fetch(new Request("http://127.0.0.1/api/v1/packages/review", request));
    expect([response.status, asked.length]).toEqual([200, 1]);
  });
});
