import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { finish, requestOf } from "../collect.ts";
import { call, eventfulConversation, expectStablePrefixes, openingTools, result } from "../prefixes.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";
import { refusal, response, said, thought, toolCall } from "./responses-wire.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Body = Record<string, unknown>;

/** A model whose server answers "ok", or as told. */
async function modelAnswering(
  model: string,
  answer: (response: ServerResponse, body: Body) => void = (wire) => sendJson(wire, response([said("ok")])),
  changes: { maxOutputTokens?: number } = {},
) {
  server = await startWireServer(answer);
  const address = { baseUrl: `${server.url}/v1`, timeoutMs: 30_000, streaming: false };
  return { model: createOpenAiModel({ model, ...address, ...changes }), server };
}

const inputOf = (body: Body | undefined) => (body?.input ?? []) as Body[];
const toolsOf = (body: Body | undefined) => (body?.tools ?? []) as Body[];
const types = (items: Body[]) => items.map((item) => item.type ?? item.role);
const owner = (model: string, form: string) => ({ provider: "openai", model, form });

describe("a conversation on the wire of the Responses API", () => {
  it.each(["gpt-6.1-terra", "gpt-5.6-luna", "gpt-5.4", "gpt-5-mini", "openai/gpt-6-luna"])(
    "a Responses API conversation never changes what was sent (%s)",
    async (name) => {
      const { model, server } = await modelAnswering(name);
      await expectStablePrefixes(model, server, eventfulConversation(), "input");
    },
  );

  it("a Responses API conversation says changes in place, all tools and effort as items (gpt-6)", async () => {
    const { model, server } = await modelAnswering("gpt-6.1-terra");
    const input = await expectStablePrefixes(model, server, eventfulConversation(), "input");
    const body = server.bodies.at(-1);
    expect(body).not.toHaveProperty("tools");
    expect(body).toMatchObject({ reasoning: { effort: "medium" }, instructions: "Be brief." });
    expect(types(input)).toEqual([
      ...["additional_tools", "user", "function_call", "function_call"],
      ...["function_call_output", "function_call_output", "developer", "additional_tools"],
      ...["assistant", "function_call", "function_call_output", "user", "assistant"],
      ...["developer", "configuration_update", "developer", "additional_tools", "user"],
      ...["function_call", "function_call_output", "configuration_update", "assistant", "user"],
    ]);
    const told = input.filter(({ role, type }) => role === "developer" && type === undefined);
    expect(told.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^The tool maps is there now\.\n\nThis is an incremental update/),
      "The tool time is gone.",
      expect.stringMatching(/^Maps changed\.[\s\S]*Still unavailable: time\.$/),
    ]);
    const tools = input.filter(({ type }) => type === "additional_tools");
    expect(tools.map((item) => (item.tools as Body[]).map(({ name, strict }) => [name, strict]))).toEqual([
      [
        ["weather", false],
        ["time", false],
      ],
      [["maps", false]],
      [["maps", false]],
    ]);
  });

  it("a Responses API conversation says added tools as found by a search (gpt-5.4), and in `tools` once that was refused", async () => {
    const { model, server } = await modelAnswering("gpt-5.4", (wire, body) =>
      JSON.stringify(body.input).includes("tool_search_call")
        ? sendJson(wire, refusal("Invalid value: 'tool_search_call'"), 400)
        : sendJson(wire, response([said("ok")])),
    );
    const messages = eventfulConversation().slice(0, 5);
    for (const requests of [2, 3]) {
      const { message } = await finish(model, requestOf("", { messages, tools: openingTools }));
      expect(server.bodies).toHaveLength(requests);
      expect(message.provider_blocks?.form).toBe("responses/tools");
    }
    const [tried, folded] = server.bodies;
    expect(types(inputOf(tried)).slice(-3)).toEqual(["developer", "tool_search_call", "tool_search_output"]);
    expect(toolsOf(tried).map(({ name }) => name)).toEqual(["weather", "time"]);
    expect(toolsOf(folded).map(({ name }) => name)).toEqual(["weather", "time", "maps"]);
  });

  it("a Responses API conversation uses `tools` where a server does not know tool items, and keeps removed ones", async () => {
    const { model, server } = await modelAnswering("gpt-6-luna", (wire, body) =>
      JSON.stringify(body.input).includes("additional_tools")
        ? sendJson(wire, refusal("Missing required parameter: 'input[0].content'."), 400)
        : sendJson(wire, response([said("ok")])),
    );
    const messages = eventfulConversation();
    await finish(model, requestOf("", { messages, tools: openingTools }));
    await finish(model, requestOf("", { messages, tools: openingTools }));
    expect(server.bodies).toHaveLength(3);
    const tools = toolsOf(server.bodies[2]);
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ["weather", "Does weather."],
      ["time", "Does time."],
      ["maps", "New."],
    ]);
  });

  it("a Responses API conversation does not take another refusal for one of the tools once they were taken", async () => {
    let asked = 0;
    const { model, server } = await modelAnswering("gpt-6-luna", (wire) => {
      asked += 1;
      if (asked === 2) sendJson(wire, refusal("The picture is broken."), 400);
      else sendJson(wire, response([said("ok")]));
    });
    const request = requestOf("hello", { tools: openingTools });
    await finish(model, request);
    await expect(finish(model, request)).rejects.toMatchObject({ code: "invalid_request" });
    expect(server.bodies).toHaveLength(2);
  });

  it("a Responses API conversation shows pictures of people and tools", async () => {
    const { model, server } = await modelAnswering("gpt-5-mini");
    await finish(model, requestOf("", { messages: eventfulConversation().slice(0, 4) }));
    const picture = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" };
    expect(server.bodies[0]?.input).toMatchObject([
      { role: "user", content: [picture, { type: "input_text", text: "How is Rome?" }] },
      { type: "function_call", call_id: "one", name: "weather", arguments: '{"city": "Rome"}' },
      { type: "function_call" },
      { type: "function_call_output", call_id: "one", output: "sunny" },
      { output: [{ type: "input_text" }, picture] },
    ]);
  });
});

describe("output items", () => {
  const items = [thought("rs_1"), said("Let me see."), toolCall("call_1", "weather")];

  it("output items are returned unchanged and in order, reasoning with what followed it", async () => {
    const { model, server } = await modelAnswering("gpt-6.1-terra", (wire) =>
      sendJson(wire, response(items)),
    );
    const { message } = await finish(model, requestOf("go"));
    expect(message).toMatchObject({
      text: "Let me see.",
      tool_calls: [{ id: "call_1", name: "weather", arguments: "{}" }],
      provider_blocks: owner("gpt-6.1-terra", "responses/additional_tools"),
    });
    const messages = [{ role: "user" as const, text: "go" }, message, result("call_1", "weather")];
    await finish(model, requestOf("", { messages }));
    expect(inputOf(server.bodies[1]).slice(1, 4)).toEqual(items);
  });

  it("output items do not end with reasoning, and are not kept when they were cut", async () => {
    const whole = [...items, thought("rs_2")];
    const cut = [thought("rs_1"), { ...said("Let me"), status: "incomplete" }];
    const { model } = await modelAnswering("gpt-6.1-terra", (wire, body) =>
      sendJson(wire, response(JSON.stringify(body.input).includes("cut") ? cut : whole)),
    );
    expect((await finish(model, requestOf("go"))).message.provider_blocks?.blocks).toEqual(items);
    expect((await finish(model, requestOf("cut"))).message.provider_blocks).toBeUndefined();
  });

  it.each([
    ["another model", owner("gpt-6-luna", "responses/additional_tools")],
    ["another form", owner("gpt-6.1-terra", "responses/tools")],
    ["another provider", { ...owner("gpt-6.1-terra", "responses/additional_tools"), provider: "azure" }],
  ])("output items of %s are returned as words and calls without ids", async (_whose, whose) => {
    const { model, server } = await modelAnswering("gpt-6.1-terra");
    const messages: Message[] = [
      { role: "user", text: "go" },
      {
        role: "assistant",
        text: "Let me see.",
        tool_calls: [call("toolu_1", "weather")],
        provider_blocks: { ...whose, blocks: items },
      },
      result("toolu_1", "weather"),
    ];
    await finish(model, requestOf("", { messages }));
    expect(inputOf(server.bodies[0]).slice(1, 3)).toEqual([
      { role: "assistant", content: "Let me see." },
      { type: "function_call", call_id: "toolu_1", name: "weather", arguments: '{"city": "Rome"}' },
    ]);
  });

  it("output items that the server cannot read any more stay out, and later ones do not", async () => {
    const { model, server } = await modelAnswering("gpt-6.1-terra", (wire, body) =>
      JSON.stringify(body.input).includes("old")
        ? sendJson(
            wire,
            refusal("The encrypted content could not be verified.", "invalid_encrypted_content"),
            400,
          )
        : sendJson(wire, response([thought("rs_new"), said("ok")])),
    );
    const old: Message = {
      role: "assistant",
      text: "Before.",
      tool_calls: [],
      provider_blocks: {
        ...owner("gpt-6.1-terra", "responses/additional_tools"),
        blocks: [thought("rs_old"), said("Before.")],
      },
    };
    const first: Message[] = [{ role: "user", text: "go" }, old, { role: "user", text: "on" }];
    const { message } = await finish(model, requestOf("", { messages: first }));
    await finish(model, requestOf("", { messages: [...first, message, { role: "user", text: "more" }] }));
    expect(server.bodies).toHaveLength(3);
    const sent = inputOf(server.bodies[2]);
    expect(sent[1]).toEqual({ role: "assistant", content: "Before." });
    expect(sent[3]).toEqual(thought("rs_new"));
  });
});
