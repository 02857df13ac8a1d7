import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** What a reply is made of: text as it is streamed, calls of tools at its end. */
type Piece = string | { call: string; with: unknown };

/** A question to the model. */
interface Asked {
  /** The last message of a person, as the model gets it. */
  text: string;
  /** Results of tools since then. */
  results: string[];
  /** The whole request. */
  body: string;
  /** What a skill asks for itself: without tools, with these instructions. */
  inner?: string;
}

/** An HTTP status instead of an answer. */
interface Refusal {
  status: number;
}

type Reply = (asked: Asked) => Iterable<Piece> | AsyncIterable<Piece> | Refusal;

/** A model with OpenAI's protocol, whose replies the test defines and can delay at any point. */
export interface PlatformModel {
  /** For `OPENAI_BASE_URL`. */
  url: string;
  /** The requests so far, oldest first. */
  asked: readonly Asked[];
  /** Questions with this text in them get this reply; others get `Reply to` and their number: “question 7”. */
  when(text: string, reply: Reply): void;
  /** What a skill asks for itself under instructions with these words gets this reply. */
  within(words: string, reply: Reply): void;
  /** The questions with this text. */
  askedOf(text: string): Asked[];
  /** Clears the requests and all replies. */
  reset(): void;
  stop(): Promise<void>;
}

interface WireMessage {
  role: string;
  content?: string | { text?: string }[] | null;
}

/** @param keeps whether requests are recorded; off for tests with too many */
export async function startPlatformModel({ keeps = true } = {}): Promise<PlatformModel> {
  const asked: Asked[] = [];
  const replies: { text: string; reply: Reply }[] = [];
  const inside: { words: string; reply: Reply }[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    // A process of another test may still call who had this port before.
    if (request.url !== "/v1/chat/completions") {
      response.writeHead(404).end();
      return;
    }
    const question = askedIn(body);
    if (keeps) asked.push(question);
    const own = inside.findLast(({ words }) => question.inner?.includes(words));
    const found = own ?? replies.findLast(({ text }) => question.text.includes(text));
    await stream(response, (found?.reply ?? defaultReply)(question));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    when: (text, reply) => void replies.push({ text, reply }),
    within: (words, reply) => void inside.push({ words, reply }),
    askedOf: (text) => asked.filter((each) => each.text.includes(text)),
    reset() {
      asked.length = 0;
      replies.length = 0;
      inside.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const defaultReply: Reply = ({ text }) => [`Reply to ${/question \w+/.exec(text)?.[0] ?? "nothing"}.`];

function askedIn(body: string): Asked {
  const { messages, tools = [] } = JSON.parse(body) as { messages: WireMessage[]; tools?: unknown[] };
  // Pictures of results follow them in a message that no person wrote.
  const last = messages.findLastIndex(
    (message) => message.role === "user" && !contentOf(message).includes("(pictures from the results"),
  );
  const results = messages.slice(last + 1).filter(({ role }) => role === "tool");
  const inner = tools.length === 0 ? { inner: contentOf(messages[0]) } : {};
  return { text: contentOf(messages[last]), results: results.map(contentOf), body, ...inner };
}

function contentOf(message: WireMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

async function stream(response: ServerResponse, pieces: ReturnType<Reply>): Promise<void> {
  if ("status" in pieces) {
    response.writeHead(pieces.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "The model refuses.", type: "test" } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let calls = 0;
  for await (const piece of pieces) {
    // The caller has been killed.
    if (response.destroyed) return;
    if (typeof piece === "string") send(response, { content: piece });
    else send(response, { tool_calls: [callOf(piece, calls++)] });
  }
  send(response, {}, calls > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.write(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

const head = { id: "chatcmpl-test", object: "chat.completion.chunk", created: 1_790_000_000, model: "test" };

function callOf({ call, with: given }: Exclude<Piece, string>, index: number) {
  const id = `call_${crypto.randomUUID()}`;
  return { index, id, type: "function", function: { name: call, arguments: JSON.stringify(given) } };
}

function send(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ ...head, choices, usage: null })}\n\n`);
}
