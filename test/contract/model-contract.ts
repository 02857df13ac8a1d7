import { describe, expect, it } from "vitest";
import type { ModelServer } from "../support/models/model-server.ts";
import { collect, finish, requestOf, shownText } from "../unit/models/collect.ts";
import { endlessClock, recordingClock } from "../unit/models/recording-clock.ts";
import { startWireServer } from "../unit/models/wire-server.ts";
import { type ModelUnderContract, modelsOf, sentence, thenAnswer } from "./model-under-contract.ts";

const usage = { prompt_tokens: 11, completion_tokens: 7 };

const tools = [
  { name: "weather", description: "Weather of a city.", parameters: { type: "object", properties: {} } },
  { name: "time", description: "Time in a city.", parameters: { type: "object", properties: {} } },
];

const url = "data:image/png;base64,iVBORw0KGgo=";

/** A message with a picture in the shape of each protocol. */
const shapes = {
  chat: [
    { type: "image_url", image_url: { url } },
    { type: "text", text: "What is this?" },
  ],
  responses: [
    { type: "input_image", image_url: url },
    { type: "input_text", text: "What is this?" },
  ],
  messages: [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    { type: "text", text: "What is this?" },
  ],
};

interface SentMessage {
  role: string;
  content: unknown;
  tool_calls?: unknown[];
}

/** The messages with the calls of a round in one of them, as the server got them by any protocol. */
function roundsOf(messages: readonly SentMessage[]): SentMessage[] {
  const rounds: SentMessage[] = [];
  for (const message of messages) {
    const last = rounds.at(-1);
    if (message.content === "") continue;
    if (last?.role === "assistant" && message.role === "assistant") {
      last.tool_calls = [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])];
    } else rounds.push({ ...message });
  }
  return rounds;
}

/** What every model answers when all goes well, and how it stops. */
export function describeModel(subject: ModelUnderContract, server: () => ModelServer): void {
  describe(`the model ${subject.choice}`, () => {
    const create = modelsOf(subject, server);

    it("a model streams text in pieces and finishes with the whole message and its usage", async () => {
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence, usage } }]);
      const { events } = await collect(create(), requestOf("hello"));
      const texts = events.filter((event) => event.type === "text");
      expect(texts.length).toBeGreaterThan(1);
      expect(shownText(events)).toBe(sentence);
      expect(events.at(-1)).toEqual({
        type: "finished",
        message: expect.objectContaining({ role: "assistant", text: sentence, tool_calls: [] }),
        usage: expect.objectContaining({ input_tokens: 11, output_tokens: 7 }),
        model: subject.choice,
      });
    });

    it("a model answers only with the finished event when it does not stream", async () => {
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence, usage } }]);
      const { events } = await collect(create({ streaming: false }), requestOf("hello"));
      expect(events).toMatchObject([
        { type: "finished", message: { text: sentence }, usage: { input_tokens: 11, output_tokens: 7 } },
      ]);
      expect((await server().requests())[0]?.body.stream).not.toBe(true);
    });

    it("a model adds its cost from the price table", async () => {
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence, usage } }]);
      const prices = { [subject.choice]: { input: 1_000_000, output: 2_000_000 } };
      const event = await finish(create({ prices }), requestOf("hello"));
      expect(event.usage.cost_usd).toBe(11 + 14);
    });

    it.each([true, false])(
      "a model asks for two tools at once and answers from their results (streaming %s)",
      async (streaming) => {
        await server().add([
          {
            match: { userMessage: "Rome", hasToolResult: false },
            response: {
              toolCalls: [
                { name: "weather", arguments: { city: "Rome" } },
                { name: "time", arguments: { city: "Rome" } },
              ],
            },
          },
          { match: { toolResultContains: "sunny" }, response: { content: sentence } },
        ]);
        const model = create({ streaming });
        const request = requestOf("How is Rome?", { tools });
        const first = await finish(model, request);
        const calls = first.message.tool_calls;
        expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
          ["weather", { city: "Rome" }],
          ["time", { city: "Rome" }],
        ]);
        expect(new Set(calls.map((call) => call.id)).size).toBe(2);

        const results = calls.map((call) => ({
          role: "tool" as const,
          call_id: call.id,
          tool: call.name,
          text: "sunny, noon",
          is_error: false,
        }));
        const second = await finish(model, {
          ...request,
          messages: [...request.messages, first.message, ...results],
        });
        expect(second.message.text).toBe(sentence);
        const sent = (await server().requests())[1]?.body.messages as SentMessage[];
        expect(roundsOf(sent)).toMatchObject([
          { role: "system", content: expect.stringMatching(/^Be brief\./) },
          { role: "user", content: "How is Rome?" },
          { role: "assistant", tool_calls: calls.map(({ id, name }) => ({ id, function: { name } })) },
          { role: "tool", tool_call_id: calls[0]?.id, content: "sunny, noon" },
          { role: "tool", tool_call_id: calls[1]?.id, content: "sunny, noon" },
        ]);
      },
    );

    it("a model is shown the pictures of a message with its text, in the server's own shape", async () => {
      const wire = await startWireServer((response) => {
        response.writeHead(500).end();
      });
      const images = [{ media_type: "image/png" as const, base64: "iVBORw0KGgo=" }];
      const request = requestOf("What is this?", {
        messages: [{ role: "user", text: "What is this?", images }],
      });
      await collect(create({ retry: { attempts: 1 } }, recordingClock(), wire.url), request);
      await wire.stop();
      const list = subject.wire === "responses" ? "input" : "messages";
      const sent = wire.bodies[0]?.[list] as { role: string; content: unknown }[];
      expect(sent.at(-1)).toMatchObject({ role: "user", content: shapes[subject.wire] });
    });

    it("a model answers a message with pictures, and is asked without them when the server refuses them", async () => {
      const error = {
        error: { message: "image input is not supported", type: "invalid_request_error" },
        status: 400,
      };
      await server().add([
        { match: { userMessage: "What is this?", sequenceIndex: 0 }, response: { content: sentence } },
        { match: { userMessage: "What is this?", sequenceIndex: 1 }, response: error },
        { match: { userMessage: "What is this?", sequenceIndex: 2 }, response: { content: sentence } },
        { match: { userMessage: "What is this?", sequenceIndex: 3 }, response: { content: sentence } },
      ]);
      const images = [{ media_type: "image/png" as const, base64: "iVBORw0KGgo=" }];
      const request = () =>
        requestOf("", { messages: [{ role: "user" as const, text: "What is this?", images }] });
      const model = create();
      expect((await finish(model, request())).message.text).toBe(sentence);
      const refused = request();
      expect((await finish(model, refused)).message.text).toBe(sentence);
      expect((await finish(model, refused)).message.text).toBe(sentence);
      const bodies = (await server().requests()).map(({ body }) => JSON.stringify(body));
      expect(bodies.map((body) => body.includes("could not be shown them"))).toEqual([
        false,
        false,
        true,
        true,
      ]);
      expect(bodies[2]).not.toContain("iVBORw0KGgo=");
    });

    it("a model gives structured output as one JSON value of the schema", async () => {
      const response =
        subject.kind === "openai"
          ? { content: { city: "Rome" } }
          : { toolCalls: [{ name: "answer", arguments: { city: "Rome" } }] };
      await server().add([{ match: { userMessage: "city" }, response }]);
      const output_schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const { events } = await collect(create(), requestOf("Which city?", { output_schema, tools }));
      expect(events).toHaveLength(1);
      const [event] = events;
      if (event?.type !== "finished") throw new Error("not finished");
      expect(JSON.parse(event.message.text)).toEqual({ city: "Rome" });
      expect(event.message.tool_calls).toEqual([]);
    });

    it("a model shows nothing more when aborted while it streams", async () => {
      const slow = { latency: 50, chunkSize: 2 };
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence }, ...slow }]);
      const controller = new AbortController();
      const reason = new Error("stopped by a person");
      const seen: string[] = [];
      const run = async () => {
        for await (const event of create().stream(requestOf("hello", { signal: controller.signal }))) {
          seen.push(event.type);
          controller.abort(reason);
        }
      };
      await expect(run()).rejects.toBe(reason);
      expect(seen).toEqual(["text"]);
    });

    it.each([true, false])(
      "a model stops at once when aborted before the server says anything (streaming %s)",
      async (streaming) => {
        const controller = new AbortController();
        const reason = new Error("stopped by a person");
        const mute = await startWireServer(() => controller.abort(reason));
        const model = create({ streaming, retry: { attempts: 1 } }, recordingClock(), mute.url);
        const { events, error } = await collect(model, requestOf("hello", { signal: controller.signal }));
        await mute.stop();
        expect(events).toEqual([]);
        expect(error).toBe(reason);
        expect(mute.bodies).toHaveLength(1);
      },
    );

    it("a model stops at once when aborted while it waits for the next attempt", async () => {
      const failure = { error: { message: "broken", type: "api_error" }, status: 500 };
      await server().add(thenAnswer("hello", [failure]));
      const controller = new AbortController();
      const reason = new Error("stopped by a person");
      const clock = endlessClock();
      const run = finish(create({}, clock), requestOf("hello", { signal: controller.signal }));
      await clock.asleep;
      controller.abort(reason);
      await expect(run).rejects.toBe(reason);
      expect(await server().requests()).toHaveLength(1);
    });

    it("a model asks nothing when the signal is already aborted", async () => {
      const reason = new Error("too late");
      const { error } = await collect(create(), requestOf("hello", { signal: AbortSignal.abort(reason) }));
      expect(error).toBe(reason);
      expect(await server().requests()).toEqual([]);
    });
  });
}
