/** The bare loop in a separate process. Argument: the mock's address and the number of earlier turns, as JSON. */
import { OpenAI } from "openai";
import { runBareTurn } from "./bare-loop.ts";
import { serveBatches } from "./batches.ts";
import { collections, describeLookup, earlierTurn, lookUp, question } from "./workload.ts";

const { baseUrl, earlier } = JSON.parse(process.argv[2] ?? "{}") as { baseUrl: string; earlier: number };

const system: OpenAI.ChatCompletionMessageParam = {
  role: "system",
  content:
    "You are a helpful assistant in a chat channel. Use the tools when they fit. Answer briefly, in Markdown.",
};
const tools = collections.map((collection): OpenAI.ChatCompletionFunctionTool => {
  const properties = {
    query: { type: "string", minLength: 1, description: "What to look for" },
    limit: { type: "integer", minimum: 1, maximum: 20, default: 5, description: "Most records to answer" },
  };
  const parameters = { type: "object", properties, required: ["query"], additionalProperties: false };
  return {
    type: "function",
    function: { name: `lookup_${collection}`, description: describeLookup(collection), parameters },
  };
});
const client = new OpenAI({ baseURL: baseUrl, apiKey: "bench-key" });

/** With earlier turns, all turns share one thread; otherwise each turn has its own thread. */
const thread: OpenAI.ChatCompletionMessageParam[] = [system];
for (let turn = 0; turn < earlier; turn += 1) {
  const { asked, answered } = earlierTurn(turn);
  thread.push({ role: "user", content: asked }, { role: "assistant", content: answered });
}

let turns = 0;
serveBatches(async () => {
  turns += 1;
  const messages = earlier > 0 ? thread : [system];
  messages.push({ role: "user", content: question(turns) });
  let shown = 0;
  const run = async (name: string, input: unknown) => {
    const { query, limit } = input as { query: string; limit: number };
    return lookUp(name.replace("lookup_", ""), query, limit);
  };
  const answer = await runBareTurn(client, messages, tools, run, (text) => {
    shown += text.length;
  });
  if (shown === 0 || shown !== answer.length)
    throw new Error("The bare loop showed something else than its answer");
});
