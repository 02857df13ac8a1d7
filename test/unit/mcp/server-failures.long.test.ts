import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { isAlive } from "../../support/bot/is-alive.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";
import { createTestApp } from "../../support/test-app.ts";

const ok = (output: unknown) => ({ status: "ok", output });
let bench: McpBench;
afterEach(() => bench.close());

describe("a server that fails", () => {
  it("a server that dies in a call gives an error that says why, and comes back after a pause", async () => {
    const env = { TEST_TOKEN: "a-very-secret-value" };
    bench = await openBench({ test: { ...testServer, env } });
    await bench.servers.start("test");
    const result = await bench.call("test", "die");
    expect(result).toMatchObject({ status: "error", code: "server_lost" });
    expect(JSON.stringify(result)).toMatch(/ended with code 7.*last words with \[secret\]/);
    const problem = expect.stringMatching(/^The server ended: .*\[secret\]/);
    expect(bench.servers.list()[0]).toMatchObject({ state: "failed", problem });
    // Its tools stay offered, and the next call waits for the pause.
    expect((await bench.skill("mcp_test")).problems).toBeUndefined();
    expect(await bench.call("test", "echo", { text: "again" })).toEqual(ok("again"));
    expect((await bench.skill("mcp_test")).problems).toBeUndefined();
  });

  it("a server that hangs in a call is killed with all its processes", async () => {
    bench = await openBench({ test: { ...testServer, knack: { timeout_seconds: 0.3 } } });
    await bench.servers.start("test");
    const { output } = (await bench.call("test", "pid")) as never as {
      output: { server: number; grandchild: number };
    };
    expect(await bench.call("test", "hang")).toMatchObject({ status: "error", code: "timed_out" });
    await expect.poll(() => [isAlive(output.server), isAlive(output.grandchild)]).toEqual([false, false]);
  });

  it("a server that is only slow in one call stays", async () => {
    bench = await openBench({ test: { ...testServer, knack: { timeout_seconds: 0.3 } } });
    await bench.servers.start("test");
    expect(await bench.call("test", "silent")).toMatchObject({ code: "timed_out" });
    expect(bench.servers.list()[0]).toMatchObject({ state: "running" });
    await expect.poll(() => bench.call("test", "cancelled")).toEqual(ok("1"));
  });

  it("a server that fails is tried again with growing pauses, and not for ever", async () => {
    const clock = createFakeClock();
    bench = await openBench({ gone: { command: "knack-no-such-program" } }, { clock });
    const started: number[] = [];
    const failed = async () => {
      await bench.until("gone", "failed");
      started.push(clock.now() - 1_000_000);
    };
    bench.start();
    await failed();
    clock.advance(1_000);
    await failed();
    clock.advance(2_000);
    await failed();
    clock.advance(3_600_000);
    expect(bench.servers.list()[0]?.state).toBe("failed");
    expect(started).toEqual([0, 1_000, 3_000]);
    expect(bench.servers.list()[0]?.problem).toBe(
      "The program knack-no-such-program was not found; install it, or give its whole path.",
    );
  });

  it("a server that fails says why once, wherever that is read", async () => {
    bench = await openBench({ dead: { command: "sh", args: ["-c", "echo no key >&2; exit 3"] } });
    const why = "It ended with code 3. It wrote last: no key.";
    expect(await bench.servers.start("dead")).toMatchObject({ state: "failed", problem: why });
    const { ask } = createTestApp(scriptedModel([]), { sources: [bench.source], servers: bench.servers });
    expect((await ask("/mcp list")).end.text).toContain(
      `✖ **dead** (stdio, skill \`mcp_dead\`) failed: ${why}`,
    );
    expect((await ask("/mcp restart dead")).end.text).toMatch(`**dead** does not run. ${why}\n\nNext:`);
    expect((await ask("/skill info mcp_dead")).end.text).toContain(`— Its server failed. ${why}`);
  });

  it("a server that never introduces itself is given up", async () => {
    bench = await openBench({ mute: { command: "sleep", args: ["600"] } }, { connect_ms: 200 });
    const status = await bench.servers.start("mute");
    expect(status?.state).toBe("failed");
    expect(status?.problem).toMatch(/did not introduce itself in time/);
  });

  it("a server that is something else is reported as such, not with schema errors", async () => {
    const page = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"id": 17}'),
    );
    await once(page.listen(0, "127.0.0.1"), "listening");
    try {
      const { port } = page.address() as AddressInfo;
      bench = await openBench({ page: { type: "http", url: `http://127.0.0.1:${port}/` } });
      const status = await bench.servers.start("page");
      expect(status?.problem).toContain(`127.0.0.1:${port} answered, but not as a tool server does`);
    } finally {
      await new Promise((resolve) => page.close(resolve));
    }
  });

  it("a server that fails does not hide the others", async () => {
    bench = await openBench({ gone: { command: "knack-no-such-program" }, test: testServer });
    bench.start();
    await bench.until("test", "running");
    const { skills } = await bench.source.load();
    const roots = skills.filter(({ parent }) => parent === undefined);
    expect(roots.map(({ id, problems }) => [id, problems === undefined])).toEqual([
      ["mcp_gone", false],
      ["mcp_test", true],
    ]);
  });
});

describe("a server that people start and stop", () => {
  it("a stopped server offers nothing, and runs again when it is started", async () => {
    bench = await openBench({ test: testServer });
    await bench.servers.start("test");
    expect(await bench.servers.stop("test")).toMatchObject({ state: "stopped" });
    expect((await bench.skill("mcp_test")).problems?.[0]).toMatch(/was stopped; \/mcp start test/);
    expect(await bench.call("test", "echo", { text: "x" })).toMatchObject({ code: "server_unavailable" });
    expect(await bench.servers.restart("test")).toMatchObject({ state: "running" });
    expect(await bench.call("test", "echo", { text: "x" })).toEqual(ok("x"));
    expect(await bench.servers.start("other")).toBeUndefined();
  });

  it("a server is not started by itself when its entry says so", async () => {
    bench = await openBench({ test: { ...testServer, anythingllm: { autoStart: false } } });
    bench.start();
    expect((await bench.skill("mcp_test")).problems?.[0]).toMatch(/autoStart: false/);
    expect(await bench.servers.start("test")).toMatchObject({ state: "running", auto_start: false });
  });

  it("a server starts with its first call when its tools are remembered from before", async () => {
    const first = await openBench({ test: testServer });
    await first.servers.start("test");
    await first.close();
    bench = await openBench({ test: testServer }, { store: first.store });
    bench.start();
    expect((await bench.skill("mcp_test")).problems).toBeUndefined();
    expect(bench.servers.list()[0]).toMatchObject({
      state: "stopped",
      problem: "It starts when it is needed.",
    });
    expect(await bench.call("test", "echo", { text: "awake" })).toEqual(ok("awake"));
    expect(bench.servers.list()[0]).toMatchObject({ state: "running" });
  });
});
