import { expect, it } from "vitest";
import { events, hello, json, openForeign, ping, plain, resultFor } from "./foreign-server.ts";

it.each([
  [
    "nulls",
    { ...plain, instructions: null, _meta: null, serverInfo: { name: "x", title: null, icons: null } },
  ],
  ["null capabilities", { ...plain, capabilities: { tools: { listChanged: null }, prompts: null } }],
  ["tools that are null", { ...plain, capabilities: { tools: null } }],
  ["nothing", {}],
  ["no server, and unknown members", { ...plain, serverInfo: null, extra: [1], protocolVersion: null }],
])("an introduction with %s is read", async (_what, initialize) => {
  const { status } = await openForeign({ initialize });
  expect(status).toMatchObject({ state: "running", tools: [{ name: "ping" }] });
});

const deed = (name: string, description?: string) => ({ ...ping, name, description });
const many = ["read_graph", "add", "list", "drop"].map((name) => deed(name));
const markdown = "# Everything Server – Server Instructions\n\nAudience: These instructions are for an LLM.";

it.each<[string, object, object[], string]>([
  [
    "its own description",
    {
      instructions: "Use it well.",
      serverInfo: { name: "x", title: "Wiki", description: "Searches **pages**. Fast." },
    },
    [ping],
    "Wiki: Searches pages. (1 tool of the server web)",
  ],
  [
    "what its tools do, not Markdown",
    { instructions: markdown },
    [deed("echo", "Echoes `text` back.\nMore."), deed("sum", "Adds two numbers")],
    "Echoes text back; Adds two numbers (2 tools of the server web)",
  ],
  ["some names in words", {}, many, "read graph; add; list; … (4 tools of the server web)"],
])("the line of a server has %s", async (_what, introduction, tools, line) => {
  const { bench } = await openForeign({
    initialize: { ...plain, ...introduction },
    pages: () => ({ tools }),
  });
  expect((await bench.skill("mcp_web")).description).toBe(line);
});

it.each([
  [
    "an unknown part",
    { content: [hello, { type: "json", json: { a: 1 } }] },
    'hello\n[A part of type json: {"json":{"a":1}}]',
  ],
  [
    "nulls",
    {
      content: [{ ...hello, annotations: null, _meta: null }],
      structuredContent: null,
      isError: null,
      _meta: null,
    },
    "hello",
  ],
  [
    "a part that is null, and one that is broken",
    { content: [null, { type: "image" }, hello] },
    "[A part without a type: null]\n[A part of type image: {}]\nhello",
  ],
  ["a list as structured content", { content: [], structuredContent: [1, null] }, [1, null]],
  ["a number beside a text", { content: [hello], structuredContent: 7 }, { text: "hello", result: 7 }],
  ["no content but a structured one", { content: null, structuredContent: { a: null } }, { a: null }],
  ["a text in place of a list", { content: "hello" }, "hello"],
  ["a form of its own", { toolResult: { a: 1 } }, { toolResult: { a: 1 } }],
  ["no object at all", "hello", { result: "hello" }],
  ["nothing", null, ""],
])("a result with %s is read", async (_what, call, output) => {
  for (const stream of [false, true]) {
    const { bench } = await openForeign({ call, stream });
    expect(await bench.call("web", "ping")).toMatchObject({ status: "ok", output });
  }
});

it.each([
  ["repeats its cursor", () => ({ tools: [ping], nextCursor: "again" })],
  ["has a new cursor each time", (at: unknown = "0") => ({ tools: [ping], nextCursor: `${Number(at) + 1}` })],
])("a list of tools that %s is ended", async (_what, pages) => {
  const { asked, status } = await openForeign({ pages });
  expect(status?.tools.map(({ name }) => name)).toEqual(["ping"]);
  expect(asked.filter((method) => method === "tools/list").length).toBeLessThan(6);
});

it.each([2, { offset: 2 }])("a list of tools with the cursor %j is read to its end", async (nextCursor) => {
  const pong = { ...ping, name: "pong" };
  const { status } = await openForeign({
    pages: (cursor) => (cursor === undefined ? { tools: [ping], nextCursor } : { tools: [pong] }),
  });
  expect(status?.tools.map(({ name }) => name)).toEqual(["ping", "pong"]);
});

it("a server that announces new tools with each answer is not asked for them each time", async () => {
  const notice = () => '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const { asked, bench } = await openForeign({ call: { content: [hello] }, notice });
  for (let calls = 0; calls < 20; calls += 1) await bench.call("web", "ping");
  expect(asked.filter((method) => method === "tools/list").length).toBeLessThan(6);
});

it("progress that is no number is shown", async () => {
  const notice = (_method: string, params = {}) =>
    JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: {
        progressToken: 0,
        ...("_meta" in params && Object(params._meta)),
        progress: "50%",
        message: "half",
      },
    });
  const { bench } = await openForeign({ call: { content: [hello] }, notice });
  const notes: string[] = [];
  await bench.call("web", "ping", {}, { progress: (note) => void notes.push(note) });
  expect(notes).toEqual(["half"]);
});

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it.each([
  ["its type", { data: png, mimeType: "image/png" }],
  ["no type", { data: png }],
  ["a wrong type", { data: png, mimeType: "image/jpeg" }],
  ["the address of a page's data", { data: `data:image/png;base64,${png}`, mimeType: "image/png" }],
])("a picture with %s is a picture", async (_what, part) => {
  const { bench } = await openForeign({ call: { content: [{ type: "image", ...part }] } });
  const files: unknown[] = [];
  await bench.call("web", "ping", {}, { file: async (file) => String(files.push(file)) });
  const data = Buffer.from(png, "base64");
  expect(files).toEqual([{ name: "ping-1.png", media_type: "image/png", data }]);
});

it("a picture that is only an address is no file", async () => {
  const data = "https://example.com/a.png";
  const { bench } = await openForeign({ call: { content: [{ type: "image", data }] } });
  expect(await bench.call("web", "ping")).toMatchObject({
    output: `[A part of type image: {"data":"${data}"}]`,
  });
});

it("an error's additional data is reported in short", async () => {
  const data = { retry_after: 30, hint: "x".repeat(900) };
  const { bench } = await openForeign({ error: { code: -32000, message: "Rate limited", data } });
  const result = await bench.call("web", "ping");
  expect(result).toMatchObject({ status: "error", code: "tool_failed" });
  const { message } = result as { message: string };
  expect(message).toContain('Rate limited ({"retry_after":30,');
  expect(message.length).toBeLessThan(600);
});

it("a call whose answer cannot be read is reported as possibly done", async () => {
  const { bench } = await openForeign({ answer: (response) => response.writeHead(200, json).end("<html>") });
  const result = await bench.call("web", "ping");
  expect(result).toMatchObject({ status: "error", code: "invalid_answer" });
  expect(result).toMatchObject({ message: expect.stringMatching(/Whether it took effect is not known\.$/) });
});

const lost = { status: "error", code: "server_lost", message: expect.stringContaining("not known") };

it("a stream that ends before its result is given up at once", async () => {
  const { bench } = await openForeign({
    answer: (response) => response.writeHead(200, events).end(": hi\n\n"),
  });
  expect(await bench.call("web", "ping")).toMatchObject(lost);
  expect(bench.servers.list()[0]).toMatchObject({ state: "running" });
});

it("a result that lacks the end of its event is read", async () => {
  const { bench } = await openForeign({
    answer: (response, id) => response.writeHead(200, events).end(`data: ${resultFor(id)}`),
  });
  expect(await bench.call("web", "ping")).toEqual({ status: "ok", output: "hello" });
});

const odd = (properties: unknown, more = {}) => ({
  name: "odd",
  inputSchema: { type: "object", properties, ...more },
});

it.each<[string, unknown[], string]>([
  ["without a name", [odd({ "": { type: "string" }, a: { type: "string" } }, { required: ["", "a"] })], "a"],
  ["that is null", [odd({ a: { type: "string" }, b: null })], "a"],
  ["that is a text", [odd({ a: true, b: "string" })], "a"],
  ["in place of all", [odd("none")], ""],
])("an argument %s is left out of its tool alone, and named", async (_what, tools, kept) => {
  const { bench } = await openForeign({ pages: () => ({ tools: [...tools, ping, {}] }) });
  const { tools: made } = await bench.skill("mcp_web");
  expect(made.map(({ name }) => name)).toEqual(["web__odd", "web__ping"]);
  expect(Object.keys(made[0]?.parameters.properties ?? {}).join()).toBe(kept);
  const [problem, ...others] = bench.servers.problems();
  expect(others).toEqual([]);
  expect(problem?.message).toMatch(/^Server web: .* as a whole: 1 tool left out, odd \(without /);
  expect(bench.errors.map(String)).toEqual([`Error: ${problem?.message}`]);
  expect((await bench.source.load()).diagnostics).toEqual(bench.servers.problems());
});

it("a server whose 300 tools are all odd harms no other and says so in one line", async () => {
  const tools = Array.from({ length: 300 }, (_, at) => ({ ...odd({ "": null }), name: `odd-${at}` }));
  const { bench } = await openForeign({ pages: () => ({ tools }) });
  expect((await bench.source.load()).skills.length).toBe(301);
  expect(bench.servers.problems().map(({ message }) => message)).toEqual([
    expect.stringMatching(/odd-4 .*, and 295 more\. /),
  ]);
});

it("a request of a session that is answered with 400 in its own name is not made again", async () => {
  const { asked, bench } = await openForeign({
    answer: (response, id) =>
      void response
        .writeHead(400, json)
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32602, message: "Wrong colour" } })),
  });
  expect(await bench.call("web", "ping")).toMatchObject({
    code: "tool_failed",
    message: expect.stringContaining("Wrong colour"),
  });
  expect(asked.filter((method) => method === "tools/call").length).toBe(1);
});
