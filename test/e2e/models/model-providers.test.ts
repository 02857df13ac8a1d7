import { expect, it } from "vitest";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };
const key = "azure-key-0123456789";

const bot = useBot({
  config: "model: { retries: 0, failover: [azure/my-deployment] }",
  env: ({ gate }) => ({
    KNACK_MODEL: "ollama/qwen3:8b",
    // Nothing listens there.
    OLLAMA_BASE_URL: "http://127.0.0.1:9999/v1",
    AZURE_OPENAI_API_KEY: key,
    AZURE_OPENAI_BASE_URL: `${gate.url}/v1`,
  }),
});

it("a provider that needs another header takes over from a local server, all by variables", async () => {
  const { home, models, gate } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: "Here is Azure." } }]);
  const { client } = await home.start();
  const { turn_id } = await client.submitTurn({ ...place, text: "hello" });
  expect(await ended(client, turn_id)).toMatchObject({ outcome: "completed", text: "Here is Azure." });
  expect(gate.requests[0]?.headers).toMatchObject({ "api-key": key });
  expect(gate.requests[0]?.headers).not.toHaveProperty("authorization");
});

it("`knack models` lists what the providers offer next to one that is away, and shows no key", async () => {
  const { code, stdout } = await bot().home.run(["models"]);
  expect(stdout).toMatch(/^azure: \d+ models?$/m);
  expect(stdout).toMatch(/^ollama: .*did not answer/m);
  expect(code).toBe(0);
  const config = await bot().home.run(["config"]);
  expect(config.stdout).toContain("model.providers.azure.api_key = ••••••");
  expect(stdout + config.stdout).not.toContain(key);
});
