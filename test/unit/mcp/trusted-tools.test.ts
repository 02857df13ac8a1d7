import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approve } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";
import { ada, ben, createTestApp } from "../../support/test-app.ts";

let bench: McpBench;
beforeAll(async () => {
  bench = await openBench({ test: testServer });
  await bench.servers.start("test");
});
afterAll(() => bench.close());

const asker = { by: ada, namespace: "console:local:general" };

/** A channel whose model calls a tool of the server; `asked` answers who had to approve it. */
function channel() {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "user" ? [{ call: `test__${last.text}`, with: {} }] : "Done.";
  });
  const { source, servers, store } = bench;
  const { app, say } = createTestApp(model, { sources: [source], servers, store });
  const asked = async (tool: string) => {
    const turnId = await say(tool, { by: ben, thread: tool });
    for await (const event of follow(app, turnId)) {
      if (event.type === "approval_requested") {
        await approve(app, event.approval_id, false, ada);
        return event.approver;
      }
    }
    return "nobody";
  };
  const listed = async (name: string) => {
    const outcome = await app.run("server.list", { input: {}, asker });
    const [server] = outcome.ok ? outcome.value.servers : [];
    return server?.tools.find((tool) => tool.name === name);
  };
  return { app, asked, listed };
}

describe("a tool of a server", () => {
  it("a server's tool needs approval by its hints: only reading, nothing or destroying, and is listed so [server-1]", async () => {
    const { asked, listed } = channel();
    for (const [tool, approver] of [
      ["environment", "nobody"],
      ["pid", "asker"],
      ["die", "manager"],
    ] as const) {
      expect(await asked(tool)).toBe(approver);
      expect(await listed(tool)).toMatchObject({ asks: approver, trusted: false });
    }
  });

  it("a server's tool runs without asking while an operator trusts it", async () => {
    const { app, asked, listed } = channel();
    const { definition = "" } = (await listed("pid")) ?? {};
    const tools = [{ name: "pid", definition }];
    expect(
      await app.run("server.trust", { input: { name: "test", tools: tools }, asker: { ...asker, by: ben } }),
    ).toMatchObject({ status: 403 });
    expect(await app.run("server.trust", { input: { name: "test", tools: tools }, asker })).toMatchObject({
      ok: true,
    });
    expect(await listed("pid")).toMatchObject({ asks: "nobody", trusted: true });
    expect(await asked("pid")).toBe("nobody");
    await app.run("server.trust", { input: { name: "test", tools: [] }, asker });
    expect(await listed("pid")).toMatchObject({ asks: "asker", trusted: false });
  });

  it("a server's tool is not trusted in another form than the operator saw [server-1]", async () => {
    const { app, asked } = channel();
    const tools = [{ name: "pid", definition: "another" }];
    expect(await app.run("server.trust", { input: { name: "test", tools: tools }, asker })).toMatchObject({
      ok: false,
      status: 409,
    });
    expect(await asked("pid")).toBe("asker");
  });

  it("a server's tool loses its trust when its server becomes another program, but not when it gets another token [server-1]", async () => {
    const { app, listed } = channel();
    const { definition = "" } = (await listed("pid")) ?? {};
    await app.run("server.trust", { input: { name: "test", tools: [{ name: "pid", definition }] }, asker });
    await bench.write({ test: { ...testServer, env: { TEST_TOKEN: "new" } } });
    await bench.source.load();
    await bench.servers.start("test");
    expect(await listed("pid")).toMatchObject({ trusted: true });
    await bench.write({ test: { ...testServer, args: [...testServer.args, "other"] } });
    await bench.source.load();
    await bench.servers.start("test");
    expect(await listed("pid")).toMatchObject({ trusted: false, asks: "asker" });
  });
});
