import { afterEach, expect, it } from "vitest";
import { createOpenAiModel } from "../../../src/models/openai/openai.ts";
import { collect, requestOf } from "./collect.ts";
import { startWireServer, type WireServer } from "./wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

it.each([
  ["Gemini", [{ error: { code: 400, message: "Bad schema.", status: "INVALID_ARGUMENT" } }], "Bad schema"],
  [
    "OpenRouter",
    {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: { raw: '{"error":{"message":"Too hot."}}', provider_name: "X" },
      },
    },
    "Provider returned error: Too hot",
  ],
  ["Ollama", { error: "model runner has stopped" }, "model runner has stopped"],
  ["FastAPI", { detail: "Not now." }, "Not now"],
  [
    "FastAPI's validation",
    { detail: [{ loc: ["body", "top_k"], msg: "Extra inputs are not permitted" }] },
    "body.top_k: Extra inputs are not permitted",
  ],
  [
    "Mistral",
    { object: "error", message: "Not the same number of calls", type: "invalid_request_error" },
    "Not the same number of calls",
  ],
  ["text", "no backend", "no backend"],
])("an error text reaches the operator: %s", async (_who, body, said) => {
  server = await startWireServer((response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  const model = createOpenAiModel({ model: "m", baseUrl: `${server.url}/v1`, timeoutMs: 30_000 });
  const { error } = await collect(model, requestOf("hello"));
  expect(error).toMatchObject({ code: "invalid_request", message: expect.stringContaining(said) });
});
