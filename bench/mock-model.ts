/**
 * A model that costs nothing: OpenAI's streaming chat completions, always the same, in a process of its own so that the CPU
 * of the clients alone is measured. Three calls of `lookup_…` tools one after another, if there are any, then an answer
 * of 100 chunks; below `/slow` and `/paced` it takes its time over them.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";

interface ChatRequest {
  messages: { role: string }[];
  tools?: { function: { name: string } }[];
}

/** Between two chunks of an answer asked for below `/slow`, ms: some 20 s for the whole. */
const slowPause = 200;

/** Below `/paced`, ms: before the first chunk, for who wants to see all of them, and between two. */
const beforePaced = 1_500;
const pacedPause = 20;

/** Of a request, about. */
const bytesPerToken = 4;

const rounds = 3;
const words =
  "There are open orders of this customer, and the team of the north looks after them now. ".split(/(?<= )/);
const answerDeltas = Array.from({ length: 100 }, (_, at) => ({ content: words[at % words.length] }));

let calls = 0;

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return sse({ ...head, choices, usage: null });
}

const head = {
  id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "bench",
  service_tier: "default",
  system_fingerprint: "fp_fc9f1d7035",
};

function sse(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

/** A call as it is streamed: its name first, then its arguments in pieces. */
function callDeltas(name: string): object[] {
  calls += 1;
  const start = { index: 0, id: `call_${calls}`, type: "function", function: { name, arguments: "" } };
  const pieces = ['{"que', 'ry":"', "open ", "orders", " of ", `customer ${calls}`, '","limit', '":5}'];
  const parts = pieces.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }));
  return [{ role: "assistant", content: null, tool_calls: [start] }, ...parts];
}

function answerTo({ messages, tools = [] }: ChatRequest, bytes: number): string[] {
  const asked = messages.findLastIndex((message) => message.role === "user");
  const done = messages.slice(asked).filter((message) => message.role === "tool").length;
  const names = tools.map((tool) => tool.function.name).filter((name) => name.startsWith("lookup_"));
  const name = done < rounds ? names[done * 3] : undefined;
  const prompt_tokens = Math.ceil(bytes / bytesPerToken);
  const usage = { prompt_tokens, completion_tokens: 100, total_tokens: prompt_tokens + 100 };
  return [
    ...(name === undefined ? [{ role: "assistant", content: "" }, ...answerDeltas] : callDeltas(name)).map(
      (delta) => chunk(delta),
    ),
    chunk({}, name === undefined ? "stop" : "tool_calls"),
    sse({ ...head, choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}

function pauseOf(url = ""): () => Promise<void> {
  if (url.startsWith("/slow/")) return () => sleep(slowPause);
  return url.startsWith("/paced/") ? () => sleep(pacedPause) : () => setImmediate();
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync<Buffer>(request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const pause = pauseOf(request.url);
  if (request.url?.startsWith("/paced/")) await sleep(beforePaced);
  for (const part of answerTo(JSON.parse(body.toString()) as ChatRequest, body.length)) {
    response.write(part);
    await pause();
  }
  response.end();
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("disconnect", () => process.exit(0));
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
