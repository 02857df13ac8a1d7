import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Message, ToolDefinition } from "../../../../src/core/values/message.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";

const ticket: ToolDefinition = {
  name: "ticket_create",
  description: "Creates a ticket.",
  parameters: {
    type: "object",
    properties: {
      title: { type: "string", description: "what is wrong" },
      priority: { type: "string", enum: ["low", "normal", "high"], default: "normal" },
      due_date: { type: "string" },
      votes: { type: "integer", description: "how many people want it" },
      urgent: { type: "boolean" },
      page_url: { type: "string" },
    },
    required: ["title"],
  },
};

const shout: ToolDefinition = {
  name: "shout",
  description: "Shouts.",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, words: { type: "string" } },
    required: ["to", "words"],
  },
};

function request(said: string | Message[], tools: ToolDefinition[] = [ticket]): ModelRequest {
  const messages: Message[] = typeof said === "string" ? [{ role: "user", text: said }] : said;
  return { system: "", messages, tools, signal: new AbortController().signal };
}

async function answer(asked: ModelRequest) {
  const events = await Array.fromAsync<ModelEvent>(createOfflineModel().stream(asked));
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error("no answer");
  return { events, ...last };
}

async function call(said: string, tools?: ToolDefinition[]) {
  const [only] = (await answer(request(said, tools))).message.tool_calls;
  return only === undefined ? undefined : { name: only.name, arguments: JSON.parse(only.arguments) };
}

/** A finished call of `ticket_create` and what it answered. */
function done(text: string, is_error = false): Message[] {
  return [
    { role: "user", text: "create a ticket: the door squeaks" },
    {
      role: "assistant",
      text: "",
      tool_calls: [{ id: "1", name: "ticket_create", arguments: '{"title":"the door squeaks"}' }],
    },
    { role: "tool", call_id: "1", tool: "ticket_create", text, is_error },
  ];
}

const shown = async (output: unknown) =>
  (await answer(request(done(typeof output === "string" ? output : JSON.stringify(output))))).message.text;

describe("the offline model", () => {
  it("the offline model is not generative, costs nothing and refuses to write structured output", async () => {
    const model = createOfflineModel();
    expect(model).toMatchObject({ id: "offline", generative: false });
    const { usage } = await answer(request("hello"));
    expect(usage).toEqual({ input_tokens: 0, output_tokens: 0 });
    await expect(answer({ ...request("x"), output_schema: { type: "object" } })).rejects.toMatchObject({
      code: "not_configured",
    });
  });

  it("the offline model streams exactly its answer, in several pieces that never cut a character", async () => {
    const { events, message } = await answer(request(done(JSON.stringify({ summary: "🎉".repeat(200) }))));
    const pieces = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("")).toBe(message.text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("the offline model answers the same request the same way", async () => {
    const asked = request("create a ticket: the door squeaks");
    expect((await answer(asked)).message).toEqual((await answer(asked)).message);
  });

  it("the offline model says in the first answer of a thread, and only there, that it works by rules", async () => {
    const first = await answer(request("hello"));
    expect(first.message.text).toContain("without a language model");
    const history: Message[] = [
      { role: "user", text: "hello" },
      { role: "assistant", text: first.message.text, tool_calls: [] },
      { role: "user", text: "thanks" },
    ];
    expect((await answer(request(history))).message.text).toBe("You're welcome!");
  });

  it("the offline model stops when the signal is aborted", async () => {
    const controller = new AbortController();
    controller.abort(new Error("stopped"));
    await expect(answer({ ...request("hello"), signal: controller.signal })).rejects.toThrow("stopped");
  });
});

describe("filling parameters", () => {
  it.each([
    ["create a ticket: the door squeaks", { title: "the door squeaks" }],
    [
      "please create a high ticket “the door: it squeaks”",
      { title: "the door: it squeaks", priority: "high" },
    ],
    ["create a ticket about the squeaking door", { title: "the squeaking door" }],
    ["create an urgent ticket: fire", { title: "fire", urgent: true }],
    ["create a ticket, not urgent: dust", { title: "dust", urgent: false }],
    ["create a ticket with votes=12: a window", { title: "a window", votes: 12 }],
    ["create a ticket until 2026-05-01: paint", { title: "paint", due_date: "2026-05-01" }],
    ["create a ticket for https://example.com/a?b=1: broken link", { page_url: "https://example.com/a?b=1" }],
    ["create a ticket:\n```\nline 1\nline 2\n```", { title: "line 1\nline 2" }],
  ])("the offline model fills parameters: %s", async (said, expected) => {
    expect(await call(said)).toMatchObject({ name: "ticket_create", arguments: expected });
  });

  it("the offline model gives several quoted parts to several required texts, in order", async () => {
    expect(await call('shout "Ben" "come here"', [shout])).toEqual({
      name: "shout",
      arguments: { to: "Ben", words: "come here" },
    });
  });

  it("the offline model names what is missing and shows an example instead of calling", async () => {
    const { message } = await answer(request("create a ticket"));
    expect(message.tool_calls).toEqual([]);
    expect(message.text).toMatch(/\*\*title\*\*: what is wrong[\s\S]*“create: your text here”/);
  });
});

describe("showing results", () => {
  it("an offline result puts the finding first and does not repeat it", async () => {
    const text = await shown({ id: 7, summary: "Created ticket 7 for Ada.", owner: "Ada", share: 0.123456 });
    expect(text).toMatch(/^Created ticket 7 for Ada\.\n\n- \*\*Id:\*\* 7\n- \*\*Share:\*\* 0\.12\n\n_I run/);
  });

  it("an offline result shows a text field whole, with the plain details after it", async () => {
    const text = await shown({ text: "# Page", url: "https://example.com", parts: [{ a: 1 }] });
    expect(text).toMatch(/^# Page\n\n- \*\*Url:\*\* https:\/\/example\.com\n\n_I run/);
  });

  it("an offline result makes tables of small things and lists of long ones", async () => {
    expect(await shown([{ name: "a|b", size: 1 }])).toContain(
      "| Name | Size |\n| --- | --- |\n| a\\|b | 1 |",
    );
    expect(await shown([{ title: "Long", url: "https://example.com", note: "x".repeat(80) }])).toContain(
      "- [Long](https://example.com) (note: xxx",
    );
    expect(await shown(["one", "two"])).toMatch(/^- one\n- two/);
  });

  it.each([
    ["plain words", "plain words"],
    ["42.4567", "42.46"],
    ["null", "–"],
    ["", "_It answered nothing._"],
    ["{broken", "{broken"],
    [`{"a":{"b":{"c":{"d":{"e":1}}}}}`, "**A**"],
    [
      '{"list":[1,2,3,"fo\n[cut: 90 characters, 0 lines; read_tool_output(call_id: "1", offset: 20) reads on]\no",4,5]}',
      "98 more characters",
    ],
  ])("an offline result survives the output %s", async (output, expected) => {
    expect(await shown(output)).toContain(expected);
  });

  it("an offline result says plainly what failed, without the hint for models", async () => {
    const failed = done(
      JSON.stringify({ error: "The tracker is down.", code: "down", hint: "Try later." }),
      true,
    );
    expect((await answer(request(failed))).message.text).toMatch(
      /^\*\*ticket: create\*\* did not work: The tracker is down\.\n\n_I run without/,
    );
  });

  it("an offline result is the last one when no more tools may be called", async () => {
    const limited: Message[] = [
      ...done('{"summary":"Created."}'),
      { role: "user", text: "You can call no more tools." },
    ];
    expect((await answer(request(limited, []))).message.text).toBe("Created.");
  });
});

describe("strange messages", () => {
  it.each([
    ["quotes", '"'.repeat(1_000_000)],
    ["colons", "a: ".repeat(300_000)],
    ["fences", "`".repeat(1_000_000)],
    ["braces", "{".repeat(1_000_000)],
    ["spaces", `${" ".repeat(1_000_000)}x`],
    ["dots", "a.".repeat(500_000)],
  ])("the offline model answers a megabyte of %s quickly", async (_, said) => {
    const started = performance.now();
    await answer(request(said));
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("the offline model passes a megabyte of text on whole", async () => {
    const text = `begin ${"word ".repeat(200_000)}end`;
    expect((await call(`create a ticket: ${text}`))?.arguments.title).toBe(text);
  });

  it.each(["", "   ", "?", "👋", "\u0000", "null", "{}", "list_skills"])(
    "the offline model answers %j",
    async (said) => {
      expect((await answer(request(said))).message.text).not.toBe("");
    },
  );
});

describe("a message with something around it", () => {
  it("the offline model understands the person's own words within a message, and says that it cannot see pictures", async () => {
    const images = [{ media_type: "image/jpeg" as const, base64: "/9j/" }];
    const text = "<thread_so_far>\nWrite an essay.\n</thread_so_far>\n\nAda: hello";
    const request: ModelRequest = {
      system: "",
      messages: [{ role: "user", text, said: "hello", images }],
      tools: [],
      signal: new AbortController().signal,
    };
    const events: ModelEvent[] = await Array.fromAsync(createOfflineModel().stream(request));
    const last = events.at(-1);
    expect(last?.type === "finished" && last.message.text).toMatch(/^Hello![\s\S]*I cannot see images/);
  });
});
