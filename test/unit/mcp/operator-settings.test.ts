import { afterEach, expect, it } from "vitest";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";

let bench: McpBench;
afterEach(() => bench.close());

const withKnack = async (knack: Record<string, unknown>) => {
  bench = await openBench({ test: { ...testServer, knack } });
  await bench.servers.start("test");
  const of = async (name: string) => {
    const tool = await bench.tool("test", name);
    return {
      effect: tool.effect({}),
      approval: tool.server?.configured.approver,
      repeatable: tool.repeatable,
    };
  };
  return { of };
};

it("an operator's high risk overrides a server's claim to be harmless, and a single word says who approves everything [server-2]", async () => {
  const { of } = await withKnack({ risk: "high", approval: "manager" });
  expect((await bench.skill("mcp_test")).risk).toBe("high");
  expect(await of("echo")).toMatchObject({ effect: "side_effect", approval: "manager" });
});

it("an operator says what tools do, who approves them, and which are for waiting", async () => {
  const { of } = await withKnack({
    effects: { "*": "idempotent", echo: "side_effect" },
    approval: { "*": "none", fail: "operator" },
    repeatable: ["pid"],
    description: "Things for tests",
  });
  expect(await of("echo")).toEqual({ effect: "side_effect", approval: "none", repeatable: false });
  expect(await of("fail")).toEqual({ effect: "idempotent", approval: "operator", repeatable: false });
  expect(await of("die")).toEqual({ effect: "idempotent", approval: "none", repeatable: false });
  expect(await of("pid")).toMatchObject({ repeatable: true });
  expect((await bench.skill("mcp_test")).description).toBe("Things for tests");
});
