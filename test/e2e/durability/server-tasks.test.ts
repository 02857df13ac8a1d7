import { expect, it, onTestFinished } from "vitest";
import { serveModern } from "../../support/skills/mcp-modern-http.ts";
import { createModernServer, TestTasks } from "../../support/skills/mcp-modern-server.ts";
import { ended, eventsOf, expectWholeTurn, stored } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const namespace = "console:local:general";
const bot = useBot();

it("a task of a tool server is followed by the next bot after a kill, and is begun once", async () => {
  const { home, models } = bot();
  const tasks = new TestTasks();
  const served = await serveModern(() => createModernServer(tasks));
  onTestFinished(() => served[Symbol.asyncDispose]());
  await home.write("config/mcp.json", JSON.stringify({ mcpServers: { far: { url: served.url } } }));
  await models.add([
    {
      match: { userMessage: "do it", hasToolResult: false },
      response: { toolCalls: [{ name: "far__long", arguments: "{}" }] },
    },
    { match: { toolResultContains: "made by the task" }, response: { content: "done" } },
  ]);
  const first = await home.start();
  await first.client.call("server.control", { name: "far", action: "start" });
  const far = (await first.client.call("server.list", {})).servers.find(({ name }) => name === "far");
  const tools = far?.tools.map(({ name, definition = "" }) => ({ name, definition })) ?? [];
  await first.client.call("server.trust", { name: "far", tools });
  await first.client.call("skill.set", { ns: namespace, id: "mcp_far", state: "pinned" });
  const { turn_id: turn } = await first.client.submitTurn({ namespace, thread: "t1", text: "do it" });
  await tasks.next("tasks/get");
  // kill -9
  await first.kill();
  const { client } = await home.start();
  await tasks.next("tasks/get");
  tasks.change({
    status: "completed",
    result: { content: [{ type: "text", text: "made by the task" }] },
  });
  expect(await ended(client, turn)).toMatchObject({ outcome: "completed", text: "done" });
  const events = await stored(client, turn);
  expectWholeTurn(events);
  expect(eventsOf(events, "tool_finished")).toMatchObject([{ tool: "far__long", status: "ok" }]);
  expect(tasks.asked.filter(([method]) => method === "create")).toHaveLength(1);
});
