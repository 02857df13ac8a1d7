import { afterEach, describe, expect, it } from "vitest";
import { createModel } from "../../../src/models/create-model.ts";
import { collect, finish, requestOf } from "./collect.ts";
import { recordingClock } from "./recording-clock.ts";
import { sendJson, startWireServer, type WireServer } from "./wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe("the model of the settings", () => {
  it.each(["gpt-5", "nobody/gpt-5", "openai/", "/gpt-5", "constructor/x"])(
    "refuses the name %s",
    (choice) => {
      expect(() => createModel({ choice }, recordingClock())).toThrow(
        expect.objectContaining({
          code: "not_configured",
          message: expect.stringContaining("provider/model"),
        }),
      );
    },
  );

  it("keeps slashes in the model's own name", () => {
    const model = createModel({ choice: "openai/meta-llama/Llama-4" }, recordingClock());
    expect(model.id).toBe("openai/meta-llama/Llama-4");
  });

  it("passes a model without a key over for a server of another name", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "here" }, finish_reason: "stop" }];
    server = await startWireServer((response) => sendJson(response, { id: "c", choices }));
    const model = createModel(
      {
        choice: "anthropic/claude-x",
        failover: ["offline", "ollama/llama"],
        providers: { ollama: { kind: "openai", baseUrl: `${server.url}/v1` } },
        streaming: false,
      },
      recordingClock(),
    );
    expect(model.id).toBe("anthropic/claude-x");
    expect(model.generative).toBe(true);
    const event = await finish(model, requestOf("hello"));
    expect(event).toMatchObject({ model: "ollama/llama", message: { text: "here" } });
    expect(event.usage).toEqual({ input_tokens: 0, output_tokens: 0 });
  });

  it("says what to set when no model has a key, and never becomes the offline one", async () => {
    const settings = { choice: "anthropic/claude-x", failover: ["openai/gpt-x", "offline"] };
    const { events, error } = await collect(createModel(settings, recordingClock()), requestOf("hello"));
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("ANTHROPIC_API_KEY");
    expect(String(error)).toContain("OPENAI_API_KEY");
  });

  it("is not generative when it is the offline one", () => {
    const model = createModel({ choice: "offline" }, recordingClock());
    expect(model).toMatchObject({ id: "offline", generative: false });
  });
});
