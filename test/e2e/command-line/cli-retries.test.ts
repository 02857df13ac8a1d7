import { expect, it } from "vitest";
import { startGate } from "../support/gate.ts";
import { useHome } from "../support/use-home.ts";

const bot = useHome({
  config: "model: { streaming: false }",
  env: () => ({ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", KNACK_NET_ALLOW: "127.0.0.1" }),
});

const flow = {
  name: "Greet",
  active: true,
  steps: [
    { type: "start", config: { variables: [{ name: "who", value: "Ada" }] } },
    { type: "llmInstruction", config: { instruction: `Greet $${"{who}"}`, resultVariable: "greeting" } },
  ],
};

it("a command without a bot survives the pause before a retry", async () => {
  let asked = 0;
  await using server = await startGate((_request, response) => {
    asked += 1;
    const headers = { "content-type": "application/json" };
    if (asked === 1) {
      response.writeHead(429, headers).end(JSON.stringify({ error: { message: "too fast" } }));
      return;
    }
    const message = { role: "assistant", content: "Hello Ada" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.writeHead(200, headers).end(JSON.stringify({ id: "c", choices }));
  });
  const home = bot();
  await home.write("greet.json", JSON.stringify(flow));
  const { code, stdout, stderr } = await home.run(["flows", "run", "greet.json", "--json"], {
    env: { OPENAI_BASE_URL: `${server.url}/v1` },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, variables: { greeting: "Hello Ada" } });
  expect(asked).toBe(2);
});
