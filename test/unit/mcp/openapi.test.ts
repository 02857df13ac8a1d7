import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Json } from "../../../src/core/values/json.ts";
import { DocumentError, readDocument } from "../../../src/mcp/openapi/read-document.ts";
import { type McpBench, openBench } from "../../support/skills/mcp-bench.ts";

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

/** A shop with each way to pass an argument. */
const shop = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "2.1", description: "Orders of a shop." },
  servers: [{ url: "http://{place}.private.test/v1", variables: { place: { default: "shop" } } }],
  paths: {
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: {
        operationId: "getOrder",
        summary: "One order",
        parameters: [
          { name: "id", in: "query", schema: { type: "string" }, description: "another id" },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
        ],
      },
      delete: { operationId: "deleteOrder" },
    },
    "/orders": {
      post: { operationId: "add order", requestBody: { required: true, ...json(reference("Order")) } },
    },
    "/photos": {
      post: { requestBody: { required: true, content: { "image/png": { schema: { type: "string" } } } } },
    },
  },
  components: {
    schemas: {
      Order: {
        type: "object",
        properties: { name: { type: "string", nullable: true }, next: reference("Order") },
      },
    },
  },
};

describe("an OpenAPI document", () => {
  const named = (name: string, document: unknown = shop) =>
    readDocument(JSON.stringify(document)).operations.find(({ tool }) => tool.name === name);

  it("each operation is a tool with its arguments; the account is none of them", () => {
    expect(named("getOrder")?.tool).toMatchObject({
      description: "One order",
      inputSchema: {
        required: ["id"],
        properties: {
          id: { type: "string" },
          query_id: { type: "string", description: "another id" },
          tags: { type: "array", items: { type: "string" } },
          "X-Trace": { type: "string" },
        },
      },
    });
    expect(Object.keys(named("getOrder")?.arguments ?? {})).not.toContain("Authorization");
  });

  it.each([
    ["getOrder", { readOnlyHint: true, destructiveHint: false }],
    ["deleteOrder", { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ["add_order", { readOnlyHint: false, idempotentHint: false }],
  ])("the effect of %s is that of its method", (name, hints) => {
    expect(named(name)?.tool.annotations).toMatchObject(hints);
  });

  it("a circle of references ends, and the schema is written out until there", () => {
    expect(named("add_order")?.tool.inputSchema).toMatchObject({
      required: ["body"],
      properties: { body: { properties: { name: { type: ["string", "null"] }, next: {} } } },
    });
  });

  it("what cannot be sent is left out and named", () => {
    expect(readDocument(JSON.stringify(shop)).leftOut).toEqual([
      "POST /photos: it takes image/png, which cannot be sent here.",
    ]);
  });

  it("YAML and Swagger 2.0 are read too", () => {
    const old = {
      swagger: "2.0",
      info: { title: "Old" },
      host: "old.test",
      basePath: "/api",
      schemes: ["http", "https"],
      paths: {
        "/search": { get: { parameters: [{ name: "q", in: "query", type: "string", required: true }] } },
        "/note": { post: { parameters: [{ name: "text", in: "formData", type: "string" }] } },
        "/new": { post: { parameters: [{ name: "order", in: "body", schema: { type: "object" } }] } },
      },
    };
    const read = readDocument(stringify(old));
    expect(read).toMatchObject({ title: "Old", server: "https://old.test/api" });
    expect(
      read.operations.map(({ tool, bodyType }) => [tool.name, tool.inputSchema.properties, bodyType]),
    ).toEqual([
      ["get_search", { q: { type: "string" } }, undefined],
      [
        "post_note",
        { body: { type: "object", properties: { text: { type: "string" } } } },
        "application/x-www-form-urlencoded",
      ],
      ["post_new", { body: { type: "object" } }, "application/json"],
    ]);
  });

  it("600 operations that refer to each other are read, each with a name of its own", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [
        `S${at}`,
        {
          type: "object",
          properties: { a: reference(`S${(at + 1) % 600}`), b: reference(`S${(at * 7) % 600}`) },
        },
      ]),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [
        `/p${at}`,
        { post: { operationId: "same", requestBody: json(reference(`S${at}`)) } },
      ]),
    );
    const { operations } = readDocument(JSON.stringify({ openapi: "3.0.0", paths, components: { schemas } }));
    expect(new Set(operations.map(({ tool }) => tool.name)).size).toBe(600);
    expect(Math.max(...operations.map(({ tool }) => JSON.stringify(tool).length))).toBeLessThan(20_000);
  });

  it.each([
    ["nothing", ""],
    ["a list", "[]"],
    ["another format", '{"nodes": [], "connections": {}}'],
    ["no paths", '{"openapi": "3.1.0"}'],
    ["broken YAML", "a: [1"],
    ["a bomb of aliases", `a: &a [x]\nb: &b [${"*a,".repeat(2_000)}]\nopenapi: 3.1.0\npaths: {}`],
  ])("%s is refused in words", (_what, text) => {
    expect(() => readDocument(text)).toThrow(DocumentError);
  });
});

/** By a part of the address: the type, and the bytes in hex. */
const oddAnswers: readonly [name: string, type: string, hex: string][] = [
  ["latin", "text/plain; charset=iso-8859-1", "4772f6df65"],
  ["kanji", "", "d0d5c3fb2cb2bfc3c50ad5c5ceb02ccffacadbb2bfc3c50a"],
  ["report.pdf", "application/pdf", "255044460001ff"],
];

describe("an API as a server", () => {
  let api: Server;
  let bench: McpBench;
  let address: string;
  let seen: string[];
  beforeEach(async () => {
    seen = [];
    api = createServer((request, response) => {
      const body: Buffer[] = [];
      request.on("data", (chunk: Buffer) => body.push(chunk));
      request.on("end", () => {
        const { authorization = "", "x-trace": trace = "" } = request.headers;
        seen.push([request.method, request.url, authorization, trace, Buffer.concat(body)].join(" ").trim());
        const odd = oddAnswers.find(([name]) => request.url?.includes(name));
        if (request.url?.includes("away")) response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
        else if (odd !== undefined)
          response.writeHead(200, { "content-type": odd[1] }).end(Buffer.from(odd[2], "hex"));
        else if (request.method === "DELETE") response.writeHead(403).end('{"error":"not yours"}');
        else
          response.writeHead(200, { "content-type": "application/json" }).end('{"id":12345678901234567890}');
      });
    });
    api.listen(0, "127.0.0.1");
    await once(api, "listening");
    const { port } = api.address() as { port: number };
    address = `http://127.0.0.1:${port}/v1/`;
  });
  afterEach(async () => {
    await bench.close();
    api.close();
  });
  const open = async (entry: Record<string, unknown>, document: unknown = shop) => {
    bench = await openBench({});
    await writeFile(join(bench.folder, "shop.yaml"), stringify(document));
    await bench.write({ shop: { openapi: "shop.yaml", ...entry } });
    return bench;
  };
  const account = { headers: { Authorization: "Bearer secret-token-1" } };

  it("its operations are tools, called with the account of the entry", async () => {
    const { servers, call } = await open({ url: address, ...account });
    expect(await servers.start("shop")).toMatchObject({ state: "running", transport: "openapi" });
    const input = { id: "../7?x", query_id: "b c", tags: ["a", "b"], "X-Trace": "t\r\nx: y" };
    expect(await call("shop", "getOrder", input)).toMatchObject({ status: "ok" });
    expect(await call("shop", "add_order", { body: { name: "tea" } })).toMatchObject({ status: "ok" });
    expect(seen).toEqual([
      "GET /v1/orders/..%2F7%3Fx?id=b+c&tags=a&tags=b Bearer secret-token-1 t x: y",
      'POST /v1/orders Bearer secret-token-1  {"name":"tea"}',
    ]);
  });

  it("an answer is read in its character set, and one that is not text is a file", async () => {
    const { servers, call } = await open({ url: address });
    await servers.start("shop");
    expect(await call("shop", "getOrder", { id: "latin" })).toMatchObject({ output: "Größe" });
    expect(await call("shop", "getOrder", { id: "kanji" })).toMatchObject({
      output: "姓名,部门\n张伟,销售部门\n",
    });
    const files: unknown[] = [];
    const more = { file: async (file: unknown) => String(files.push(file)) };
    expect(await call("shop", "getOrder", { id: "report.pdf" }, more)).toMatchObject({
      output: "[The person gets the file report.pdf: application/pdf, 7 bytes.]",
    });
    expect(files).toMatchObject([{ name: "report.pdf", media_type: "application/pdf" }]);
  });

  it("a document in UTF-16, as Windows shells write it, is read", async () => {
    bench = await openBench({});
    await writeFile(join(bench.folder, "shop.yaml"), Buffer.from(`\ufeff${stringify(shop)}`, "utf16le"));
    await bench.write({ shop: { openapi: "shop.yaml", url: address } });
    expect(await bench.servers.start("shop")).toMatchObject({ state: "running" });
  });

  it.each(["..", ".", ""])("an argument of the path cannot lead to another operation: “%s”", async (id) => {
    const { servers, call } = await open({ url: address, ...account });
    await servers.start("shop");
    for (const operation of ["getOrder", "deleteOrder"])
      expect(await call("shop", operation, { id })).toMatchObject({ status: "error" });
    expect(seen).toEqual([]);
  });

  it("reading runs unasked and writing asks, as with other servers", async () => {
    const { servers, tool } = await open({ url: address });
    await servers.start("shop");
    const effects = await Promise.all(
      ["getOrder", "deleteOrder", "add_order"].map(async (name) =>
        (await tool("shop", name)).effect({} as Json),
      ),
    );
    expect(effects).toEqual(["read_only", "idempotent", "side_effect"]);
  });

  it("what the API refuses is told with its words, and its redirect elsewhere is not followed", async () => {
    const { servers, call } = await open({ url: address, ...account });
    await servers.start("shop");
    expect(await call("shop", "deleteOrder", { id: "7" })).toMatchObject({
      status: "error",
      message: expect.stringContaining('403: {"error":"not yours"}'),
    });
    expect(await call("shop", "getOrder", { id: "away" })).toMatchObject({
      message: expect.stringContaining("302"),
    });
  });

  it("an address that only the document names has to be public", async () => {
    const { servers, call } = await open({}, { ...shop, servers: [{ url: address }] });
    await servers.start("shop");
    expect(await call("shop", "getOrder", { id: "7" })).toMatchObject({
      status: "error",
      message: expect.stringMatching(/not a public address/),
    });
    expect(seen).toEqual([]);
  });

  it("a host that only the document names gets no account", async () => {
    const { servers } = await open(account, { ...shop, servers: [{ url: "https://api.example.com/v1" }] });
    expect(await servers.start("shop")).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(
        /its API is at https:\/\/api\.example\.com\/v1\. If the headers .* set url/,
      ),
    });
  });

  it("the account is not sent where the document's address leads to", async () => {
    const { servers } = await open({ openapi: `${address}away.json`, ...account });
    expect(await servers.start("shop")).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(/it leads to http:\/\/127\.0\.0\.1:9\/\. Name that address/),
    });
  });

  it.each([
    ["a document that is not there", { openapi: "none.yaml" }, /none\.yaml cannot be used/],
    ["a document without an address", {}, /does not say where its API is\. Set url/],
  ])("%s is told in words", async (_what, entry, message) => {
    const { servers } = await open(entry, { ...shop, servers: [] });
    expect(await servers.start("shop")).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(message),
    });
  });
});
