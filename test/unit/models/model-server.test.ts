import { expect, it } from "vitest";
import { startModelServer } from "../../support/models/model-server.ts";

it("the model server answers from its own process and is gone after stop", async () => {
  const server = await startModelServer([{ match: { userMessage: "hello" }, response: { content: "Hi" } }]);
  const ask = () =>
    fetch(`${server.openAiBaseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer x" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] }),
    });
  expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: "Hi" } }] });
  expect(await server.requests()).toMatchObject([{ path: "/v1/chat/completions", status: 200 }]);
  await server.stop();
  await server.stop();
  await expect(ask()).rejects.toThrow();
});
