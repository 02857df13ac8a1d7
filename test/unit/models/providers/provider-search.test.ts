import { describe, expect, it } from "vitest";
import type { WebQuery } from "../../../../src/core/ports/web.ts";
import { createAnthropicSearch } from "../../../../src/models/anthropic/web-search.ts";
import { createProviderSearch } from "../../../../src/models/create-provider-search.ts";
import { createOpenAiSearch } from "../../../../src/models/openai/web-search.ts";
import { createWebSearch } from "../../../../src/web-search/create-web-search.ts";
import { message } from "../anthropic/server.ts";
import { response } from "../openai/responses-wire.ts";
import { sendJson, startWireServer } from "../wire-server.ts";

type Kind = "anthropic" | "openai";
const price = { input: 1, output: 10 };
const signal = new AbortController().signal;

/** Searches at a server that stands in for the vendor's and gives these answers one after another. */
async function search(kind: Kind, answers: readonly object[], query: Partial<WebQuery> = {}, status = 200) {
  const server = await startWireServer((reply) => {
    sendJson(reply, answers[Math.min(server.bodies.length, answers.length) - 1], status);
  });
  const options = {
    provider: "own",
    model: "m",
    apiKey: "sk-secret-key",
    baseUrl: server.url,
    timeoutMs: 30_000,
  };
  const create = kind === "anthropic" ? createAnthropicSearch : createOpenAiSearch;
  const engine = create(options, price);
  try {
    const found = await createWebSearch([engine])
      .search({ words: "node release", most: 5, ...query }, signal)
      .catch((error: unknown) => error);
    return { found, bodies: server.bodies };
  } finally {
    await server.stop();
  }
}

const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
const results = (...pages: object[]) => ({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: pages.map((page) => ({
    type: "web_search_result",
    encrypted_content: "sealed",
    page_age: null,
    ...page,
  })),
});
const refused = (error_code: string) => ({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: { type: "web_search_tool_result_error", error_code },
});
const nodeBlog = {
  title: "Node.js 26",
  url: "https://nodejs.org/blog?utm_source=x",
  page_age: "April 30, 2026",
};
const cites = {
  type: "text",
  text: "Node 26 is out. See also https://made-up.example/",
  citations: [
    {
      type: "web_search_result_location",
      url: nodeBlog.url,
      title: nodeBlog.title,
      encrypted_index: "x",
      cited_text: "Node.js 26 is here.",
    },
  ],
};

describe("Claude's search", () => {
  it("Claude's search answers the pages it found with what was cited of them, and no address from its text", async () => {
    const content = [results(nodeBlog, { title: "X", url: "file:///etc/passwd" }), cites];
    const { found, bodies } = await search("anthropic", [message({ content, usage })], {
      site: "nodejs.org",
    });
    expect(found).toMatchObject({
      hits: [
        {
          title: "Node.js 26",
          url: "https://nodejs.org/blog",
          text: "Node.js 26 is here.",
          date: "April 30, 2026",
        },
      ],
      usage: [{ model: "own/m", cost_usd: 2.01 }],
    });
    expect(bodies[0]?.tools).toEqual([
      { type: "web_search_20250305", name: "web_search", max_uses: 1, allowed_domains: ["nodejs.org"] },
    ]);
  });

  it("Claude's search continues where the server interrupts it, and counts both requests", async () => {
    const paused = message({ content: [results(nodeBlog)], stop_reason: "pause_turn", usage });
    const { found, bodies } = await search("anthropic", [paused, message({ content: [cites], usage })]);
    expect(found).toMatchObject({ hits: [{ text: "Node.js 26 is here." }], usage: [{ cost_usd: 4.01 }] });
    expect(bodies[1]?.messages).toHaveLength(2);
  });

  it.each([
    [
      "answers from memory",
      [{ type: "text", text: "Node 26: https://made-up.example/" }],
      /without searching/,
    ],
    ["is refused", [refused("max_uses_exceeded")], /Claude's search: max uses exceeded\./],
    ["is limited", [refused("too_many_requests"), { type: "text", text: "Sorry." }], /too many requests/],
  ])(
    "Claude's search has found nothing when it %s, and its cost is reported",
    async (_what, content, words) => {
      const { found } = await search("anthropic", [message({ content, usage })]);
      expect(found).toMatchObject({
        code: "failed",
        message: expect.stringMatching(words),
        usage: [{ model: "own/m", cost_usd: 2 }],
      });
    },
  );
});

const call = (action: object) => ({ type: "web_search_call", id: "ws_1", status: "completed", action });
const cited = (text: string, ...annotations: object[]) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations, logprobs: [] }],
});

describe("OpenAI's search", () => {
  it("OpenAI's search answers what is cited, then other sources, each once, and none without an address", async () => {
    const url = "https://nodejs.org/blog";
    const output = [
      call({
        type: "search",
        sources: [
          { type: "api", name: "oai-weather" },
          { type: "url", url: "https://b.example/" },
          { type: "url", url },
        ],
      }),
      call({ type: "open_page", url }),
      cited("Node 26 is out. (nodejs.org) https://made-up.example/", {
        ...{ type: "url_citation", url: `${url}?utm_source=openai`, title: "Node.js 26" },
        ...{ start_index: 16, end_index: 28 },
      }),
    ];
    const { found, bodies } = await search("openai", [response(output, { usage })], { within: "week" });
    expect(found).toMatchObject({
      hits: [
        { title: "Node.js 26", url, text: "Node 26 is out." },
        { title: "b.example", url: "https://b.example/" },
      ],
      notes: [expect.stringContaining("within a week")],
      // One search. Opening a page costs tokens alone.
      usage: [{ model: "own/m", cost_usd: 2.01 }],
    });
    expect(bodies[0]).toMatchObject({ tool_choice: "required", store: false });
  });

  it("OpenAI's search has found nothing when it answers from memory", async () => {
    const { found } = await search("openai", [
      response([cited("Node 26: https://made-up.example/")], { usage }),
    ]);
    expect(found).toMatchObject({
      code: "failed",
      message: expect.stringContaining("without searching"),
      usage: [{ cost_usd: 2 }],
    });
  });
});

it.each<Kind>(["anthropic", "openai"])(
  "the search of %s: a refusal says what the server said, without the key",
  async (kind) => {
    const error = { type: "invalid_request_error", message: "Web search is not enabled. Key sk-secret-key." };
    const { found } = await search(kind, [{ type: "error", error }], {}, 400);
    expect(found).toMatchObject({ message: expect.stringContaining("Web search is not enabled") });
    expect((found as Error).message).not.toContain("secret");
  },
);

it("providers without a search of their own have none", () => {
  const providers = { own: { kind: "openai" as const, baseUrl: "http://127.0.0.1:1/v1", apiKey: "k" } };
  expect(createProviderSearch({ choice: "own/m", providers })).toBeUndefined();
  expect(createProviderSearch({ choice: "offline" })).toBeUndefined();
});
