import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import { fillAddress } from "../../../src/flows/flow-request.ts";
import { json, run, start, startApi } from "./flow-app.ts";

const api = "https://api.test/v1";

/** A variable. */
const at = (name: string) => `\${${name}}`;

/** An address with values from elsewhere, `own` ones apart. */
function fill(text: string, values: Record<string, Json>, own: Record<string, Json> = {}) {
  const variables = new Map([...Object.entries(values), ...Object.entries(own)]);
  return fillAddress(text, { variables, own: new Set(Object.keys(own)) });
}

describe("a value from elsewhere", () => {
  it.each<[text: string, value: Json, expected: string]>([
    [`${api}/users/\${a}`, "42", `${api}/users/42`],
    [`${api}/users/\${a}/posts`, "a/b?c#d", `${api}/users/a%2Fb%3Fc%23d/posts`],
    [`${api}/users/\${a}`, "../../admin/all?force=1#", `${api}/users/..%2F..%2Fadmin%2Fall%3Fforce%3D1%23`],
    [`${api}/users/\${a}`, "..\\admin", `${api}/users/..%5Cadmin`],
    [`${api}/users/\${a}`, "%2e%2e", `${api}/users/%252e%252e`],
    [`${api}/files/v\${a}.json`, "1.2", `${api}/files/v1.2.json`],
    [`${api}?q=\${a}`, 'Ada "L" & O', `${api}?q=Ada%20%22L%22%20%26%20O`],
    [`${api}?q=\${a}`, { b: [1] }, `${api}?q=%7B%22b%22%3A%5B1%5D%7D`],
    [`${api}#\${a}`, "x y", `${api}#x%20y`],
    [`${api}/\${missing}`, "x", `${api}/\${missing}`],
  ])("a value in the address %s: %j gives %s", (text, value, expected) => {
    const { url, chosen_by } = fill(text, { a: value });
    expect(url).toBe(expected);
    expect(chosen_by).toBeUndefined();
    expect(URL.parse(url)?.pathname.startsWith("/v1")).toBe(true);
  });

  it.each<[text: string, value: string]>([
    ["https://${a}/v1", "evil.test"],
    ["https://${a}.api.test/v1", "evil.test/"],
    ["https://api.test${a}", ".evil.test/steal"],
    ["https://api.test${a}", "@evil.test/"],
    ["https://api.test:${a}/v1", "80@evil.test"],
    ["https://${a}@api.test/v1", "user"],
    ["${a}/v1", "https://evil.test"],
    ["${a}://api.test/v1", "http"],
    [`${api}/users/\${a}`, ".."],
    [`${api}/users/\${a}/posts`, "."],
    [`${api}/users/.\${a}/posts`, "."],
    [`${api}/x/\${b}/\${a}`, ".."],
    [`${api}/users/%2e\${a}`, "."],
  ])("a value cannot make %s lead elsewhere with %j [address-8]", (text, value) => {
    expect(() => fill(text, { a: value, b: "b" })).toThrow(
      expect.objectContaining({ code: "address_changed", message: expect.stringContaining("variable a ") }),
    );
  });

  it("a value may be a whole address, which is reported", () => {
    expect(fill("${a}", { a: "https://x.test/y?z=1" })).toEqual({
      url: "https://x.test/y?z=1",
      chosen_by: "a",
    });
    expect(fill("${r.next}", { r: { next: "https://x.test" } }).chosen_by).toBe("r");
    expect(fill("${missing}", {}).chosen_by).toBeUndefined();
  });

  it("filling an address takes time in proportion to its length", () => {
    const { url } = fill(`${api}/${"${a}/".repeat(100_000)}`, { a: "x".repeat(30) });
    expect(url).toHaveLength(api.length + 1 + 31 * 100_000);
  });
});

it.each<[text: string, own: Record<string, string>, expected: string]>([
  ["${base}/users/${a}", { base: api }, `${api}/users/a%2Fb`],
  ["https://${sub}.test/${a}", { sub: "api" }, "https://api.test/a%2Fb"],
  ["${base}&q=${a}", { base: `${api}?x=1` }, `${api}?x=1&q=a%2Fb`],
  ["${base}", { base: api }, api],
])("a part that the flow itself fixes stays unchanged in %s", (text, own, expected) => {
  expect(fill(text, { a: "a/b" }, own)).toEqual({ url: expected, chosen_by: undefined });
});

describe("a step", () => {
  const headers = [{ key: "Authorization", value: "Bearer secret" }];
  const call = (url: string, more: object = {}) => ({ type: "apiCall", config: { url, headers, ...more } });

  it("a step that a value would lead elsewhere sends nothing, and names the variable", async () => {
    const server = await startApi(json(1));
    const flow = [start([{ name: "id" }]), call(`${server.origin}/v1/users/\${id}`, { method: "DELETE" })];
    const { output } = await run(flow, { id: ".." });
    expect(output).toMatchObject({
      code: "address_changed",
      error: expect.stringMatching(/step 2 .*variable id /),
    });
    expect(server.received).toEqual([]);

    await run(flow, { id: "../../admin/all?force=1#" });
    expect(server.received[0]?.url).toBe("/v1/users/..%2F..%2Fadmin%2Fall%3Fforce%3D1%23");
  });

  it("a step reaches its default host where no argument replaces it, and no other", async () => {
    const server = await startApi(json(1));
    const flow = [start([{ name: "base", value: server.origin }]), call("${base}/a")];
    await run(flow);
    expect(server.received.map(({ url }) => url)).toEqual(["/a"]);
    const { output } = await run(flow, { base: "http://evil.test" });
    expect(output).toMatchObject({ code: "address_changed" });
  });

  it("a step sends credentials to no other origin, redirects included [address-8]", async () => {
    const other = await startApi(json({ next: "" }));
    const whole = [start([{ name: "url" }, { name: "key", value: "fixed-secret", category: "static" }])];
    for (const step of [
      call(at("url")),
      call(at("url"), { headers: [], method: "POST", bodyType: "text", body: `key=${at("key")}` }),
    ]) {
      const { output } = await run([...whole, step], { url: `${other.origin}/steal` });
      expect(output).toMatchObject({ code: "address_refused", error: expect.stringContaining(other.origin) });
    }
    expect(other.received).toEqual([]);
    const server = await startApi((_request, response) => {
      response.writeHead(307, { location: `${other.origin}/steal` });
      response.end();
    });
    await run([start([]), call(`${server.origin}/a`)]);
    expect(server.received[0]?.headers.authorization).toBe("Bearer secret");
    expect(other.received.map(({ headers: got }) => got.authorization)).toEqual([undefined]);
  });

  it("a step continues with the pages of its own API, key included", async () => {
    const server = await startApi((request, response) =>
      json({ next: request.url === "/a" ? `${server.origin}/a?page=2` : null })(request, response),
    );
    const pages = [call(`${server.origin}/a`, { responseVariable: "r" }), call(at("r.next"))];
    await run([start([]), ...pages]);
    expect(server.received.map(({ url, headers: got }) => [url, got.authorization])).toEqual([
      ["/a", "Bearer secret"],
      ["/a?page=2", "Bearer secret"],
    ]);
  });
});
