/** Servers of both eras of MCP: those of 2026-07-28 without a handshake, and older ones. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import type { ServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";
import { openBench, testServer } from "../../support/skills/mcp-bench.ts";
import { serveModern } from "../../support/skills/mcp-modern-http.ts";
import { json as asJson, openForeign } from "./foreign-server.ts";

const ok = (output: unknown) => ({ status: "ok", output });
const modernServer = {
  command: process.execPath,
  args: [new URL("../../support/skills/mcp-modern-server.ts", import.meta.url).pathname],
};

/** The same server on Streamable HTTP. */
async function modernUrl(): Promise<string> {
  const served = await serveModern();
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served.url;
}

const requests: ServerRequests = {
  capabilities: { elicitation: { form: {} } },
  elicit: async (_server, { message }) => ({ action: "accept", content: { name: `Ada (${message})` } }),
  sample: () => Promise.reject(new Error("not in this test")),
};

describe.each(["stdio", "http"])("a modern server on %s", (transport) => {
  it(`a server of MCP 2026-07-28 on ${transport} is called, shows progress, asks and is given up`, async () => {
    const entry = transport === "stdio" ? modernServer : { url: await modernUrl() };
    await using bench = await openBench({ new: entry }, { requests, call_ms: 2_000 });
    expect(await bench.servers.start("new")).toMatchObject({ state: "running", problem: undefined });
    expect((await bench.skill("mcp_new")).version).toBe("3.0.0");
    expect(await bench.call("new", "greet", { name: "Ada" })).toEqual(ok("Hello Ada"));
    const notes: unknown[] = [];
    const progress = (...note: unknown[]) => void notes.push(note);
    expect(await bench.call("new", "work", {}, { progress })).toEqual(ok("done"));
    // On stdio a note may come in one piece with the result, which ends the interest in notes.
    if (transport === "http") expect(notes).toEqual([["half", 1, 2]]);
    expect(await bench.call("new", "ask")).toEqual(ok("You are Ada (Your name?)"));
    expect(await bench.call("new", "silent")).toMatchObject({ code: "timed_out" });
    expect(await bench.call("new", "greet", { name: "Ben" })).toEqual(ok("Hello Ben"));
  });
});

it("a server of MCP 2026-07-28 may change its tools while it runs", async () => {
  await using bench = await openBench({ new: modernServer });
  await bench.servers.start("new");
  await bench.call("new", "more");
  while (!(await bench.skill("mcp_new")).tools.some(({ name }) => name === "new__added"))
    await new Promise((resolve) => setTimeout(resolve, 5));
});

it("a server that speaks another version says which, in its own words", async () => {
  const http = createServer(async (request, response) => {
    const { id } = (await json(request)) as { id: number };
    const error = { code: -32022, message: "Too old a client", data: { supported: ["2099-01-01"] } };
    response.writeHead(400, asJson).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void http.close());
  await using bench = await openBench({
    far: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` },
  });
  expect(await bench.servers.start("far")).toMatchObject({
    state: "failed",
    problem: expect.stringMatching(/refused: “Too old a client”\. It speaks MCP 2099-01-01\./),
  });
});

it("an older server is asked for its version once, and not after it was remembered", async () => {
  const { asked, bench } = await openForeign({});
  expect(asked.slice(0, 2)).toEqual(["server/discover", "initialize"]);
  asked.length = 0;
  await bench.servers.restart("web");
  expect(asked.slice(0, 2)).toEqual(["initialize", "notifications/initialized"]);
});

it.each(["stdio", "http"])(
  "a server on %s that was updated to MCP 2026-07-28 is reached although it is remembered as an older one",
  async (transport) => {
    const entry = transport === "stdio" ? modernServer : { url: await modernUrl() };
    await using bench = await openBench({ new: entry });
    await bench.servers.start("new");
    const known = (await bench.store.get("mcp-tools:new")) as { hash: string; remote: object };
    expect(known.remote).toMatchObject({ era: "modern" });
    await bench.store.set("mcp-tools:new", { ...known, remote: { ...known.remote, era: "legacy" } } as Json);
    await using later = await openBench({ new: entry }, { store: bench.store });
    expect(await later.servers.start("new")).toMatchObject({ state: "running", problem: undefined });
    expect(await later.call("new", "greet", { name: "Ada" })).toEqual(ok("Hello Ada"));
  },
);

it("an older server that ends at a question it does not know is started again without it", async () => {
  const real = testServer.args.at(-1) ?? "";
  const strict = `process.stdin.once("data", (first) => {
    if (!String(first).includes("initialize")) process.exit(3);
    process.stdin.pause();
    process.stdin.unshift(first);
    import(${JSON.stringify(real)}).then(() => process.stdin.resume());
  })`;
  await using bench = await openBench({ old: { command: process.execPath, args: ["-e", strict] } });
  expect(await bench.servers.start("old")).toMatchObject({ state: "running" });
  expect(await bench.call("old", "echo", { text: "hello" })).toEqual(ok("hello"));
});
