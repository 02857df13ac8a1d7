import { afterEach, beforeEach, expect, it } from "vitest";
import { startTraceCollector, type TraceCollector } from "../../support/trace-collector.ts";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const bot = useBot();
let collector: TraceCollector;
beforeEach(async () => {
  collector = await startTraceCollector();
});
afterEach(() => collector[Symbol.asyncDispose]());

const message = { namespace: "console:local:general", thread: "t1", text: "hello", user: "ada" };

it("a bot with a collector sends the traces of its turns, the last ones while it stops", async () => {
  const { home, models } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: "Hello, you." } }]);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key-of-the-collector",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_SERVICE_NAME: "bot of the tests",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  };
  const { client, terminate } = await home.start({ env });
  const { turn_id } = await client.submitTurn(message);
  await ended(client, turn_id);
  expect(await terminate()).toBe(0);
  expect(collector.spans().map(({ name, traceId }) => [name, traceId])).toEqual([
    ["chat test", turn_id.replaceAll("-", "")],
    ["invoke_agent chat", turn_id.replaceAll("-", "")],
  ]);
  expect(collector.headers).toMatchObject({ authorization: "Bearer key-of-the-collector" });
  expect(collector.resource()).toMatchObject({
    "service.name": "bot of the tests",
    "deployment.environment.name": "test",
  });
  expect(collector.bodies.join()).not.toContain("ello");
});

it("a bot that is killed in a turn and resumes it sends one trace", async () => {
  const { home, models, gate } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: "Hello, you." } }]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  gate.close();
  const first = await home.start({ env });
  const { turn_id } = await first.client.submitTurn(message);
  await gate.reached(1);
  await first.kill();
  gate.open();
  const second = await home.start({ env });
  await ended(second.client, turn_id);
  await second.terminate();
  const [chat, turn, ...others] = collector.spans();
  expect(others).toEqual([]);
  expect(chat).toMatchObject({ name: "chat test", parentSpanId: turn?.spanId });
  expect(turn).toMatchObject({ name: "invoke_agent chat", traceId: turn_id.replaceAll("-", "") });
});

it("a bot whose collector cannot be reached answers, says so once and stops", async () => {
  const { home, models } = bot();
  await models.add([{ match: { userMessage: "hello" }, response: { content: "Hello, you." } }]);
  const { endpoint } = collector;
  await collector[Symbol.asyncDispose]();
  const started = await home.start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  const { turn_id } = await started.client.submitTurn(message);
  expect((await ended(started.client, turn_id)).text).toBe("Hello, you.");
  expect(await started.terminate()).toBe(0);
  expect(started.err().match(/traces could not be sent/gi)).toHaveLength(1);
});
