import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Message } from "../../../../src/core/values/message.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";

const tools = ["list_skills", "invoke_skill"].map((name) => ({ name, description: "", parameters: {} }));

const parameter = (name: string, required = true) => ({ name, type: "string", description: "", required });

const skills = [
  {
    id: "shouting",
    name: "Loud words",
    parameters: [parameter("volume", false), parameter("words")],
    examples: [
      {
        prompt: "Shout {words} to {people}!",
        call: '{"words": "{words}", "to": ["all {people}", "{other}"]}',
        part: "now",
        values: { words: "hello", people: "Ben" },
      },
      { prompt: "Shout {words}", call: '{"words": "{words}"}', values: { words: "good morning" } },
      { prompt: "Be {quiet}", call: '{"volume": 0}' },
    ],
  },
  { id: "ship-orders", name: "Ship orders", parameters: [], examples: [] },
];

const list = JSON.stringify({ skills, count: skills.length });

/** A message, and the results of the calls that followed it. */
function request(said: string, ...results: [tool: string, text: string, is_error?: true][]): ModelRequest {
  const messages: Message[] = [{ role: "user", text: `[Ada] ${said}`, said }];
  for (const [at, [tool, text, is_error = false]] of results.entries()) {
    const args = tool === "invoke_skill" ? '{"skill_id":"shouting","params":{"words":"hi"}}' : "{}";
    messages.push({
      role: "assistant",
      text: "",
      tool_calls: [{ id: `${at}`, name: tool, arguments: args }],
    });
    messages.push({ role: "tool", call_id: `${at}`, tool, text, is_error });
  }
  return { system: "", messages, tools, signal: new AbortController().signal };
}

async function answer(asked: ModelRequest) {
  const events = await Array.fromAsync<ModelEvent>(createOfflineModel().stream(asked));
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error("no answer");
  return last;
}

async function call(said: string) {
  const [only] = (await answer(request(said, ["list_skills", list]))).message.tool_calls;
  return only === undefined ? undefined : JSON.parse(only.arguments);
}

const shown = async (text: string, is_error?: true) => {
  const result = is_error ? (["invoke_skill", text, true] as const) : (["invoke_skill", text] as const);
  return (await answer(request("Shout hi", ["list_skills", list], [...result]))).message.text;
};

describe("the offline model", () => {
  it("the offline model is not generative, costs nothing and refuses to write structured output", async () => {
    expect(createOfflineModel()).toMatchObject({ id: "offline", generative: false });
    expect((await answer(request("hello"))).usage).toEqual({ input_tokens: 0, output_tokens: 0 });
    await expect(answer({ ...request("x"), output_schema: { type: "object" } })).rejects.toMatchObject({
      code: "not_configured",
    });
  });

  it("the offline model stops when the signal is aborted", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(answer({ ...request("hello"), signal })).rejects.toThrow("stopped");
  });

  it("the offline model looks at the skills of the channel first", async () => {
    expect((await answer(request("hello"))).message.tool_calls).toMatchObject([
      { name: "list_skills", arguments: "{}" },
    ]);
  });

  it.each<[said: string, call: object | undefined]>([
    ["Shout good night", { skill_id: "shouting", params: { words: "good night" } }],
    ["  shout\n“{words} $& to”  ", { skill_id: "shouting", params: { words: "“{words} $& to”" } }],
    [
      "SHOUT come here to the team!",
      { skill_id: "shouting#now", params: { words: "come here", to: ["all the team", "{other}"] } },
    ],
    ["Be {quiet}", { skill_id: "shouting", params: { volume: 0 } }],
    ["Be loud", undefined],
    ["Shout", undefined],
    ["Please shout hello", undefined],
    ["ship orders", { skill_id: "ship-orders", params: {} }],
    ["Ship-Orders", { skill_id: "ship-orders", params: {} }],
    ["ship the orders", undefined],
    ["loud words", { skill_id: "shouting", params: {} }],
    ["shouting: a: b\nc", { skill_id: "shouting", params: { words: "a: b\nc" } }],
    ["constructor", undefined],
  ])("the offline model takes exact forms only: %j", async (said, expected) => {
    expect(await call(said)).toEqual(expected);
  });

  it("the offline model says of anything else how to connect a model, and three things that work", async () => {
    const { message } = await answer(request("hello", ["list_skills", list]));
    expect(message.text).toMatch(
      /^I run without a language model, [^\n]*`ANTHROPIC_API_KEY=… npm start`[^\n]*\n\n- Shout hello to Ben!\n- Shout good morning\n- Be \{quiet\}$/,
    );
    const none = await answer(request("hello", ["list_skills", "no list", true]));
    expect(none.message.text).toContain("- /skill list\n- /agent help\n- /agent status");
  });

  it("the offline model runs nothing for a message of which it has only parts", async () => {
    const said = "Shout a\n[cut: 90 characters, 1 lines; read_file reads on]\nb";
    const { message } = await answer(request(said, ["list_skills", list]));
    expect(message).toMatchObject({ tool_calls: [], text: expect.stringContaining("too long") });
  });

  it("the offline model says in the first answer of a thread, and only there, that it is none", async () => {
    const first = request("Shout hi", ["list_skills", list], ["invoke_skill", '"Done."']);
    const { message } = await answer(first);
    expect(message.text).toMatch(/^Done\.\n\n_I run without a language model/);
    const { messages } = request("Shout hi", ["list_skills", list], ["invoke_skill", '"Done."']);
    const again = { ...first, messages: [...first.messages, message, ...messages] };
    expect((await answer(again)).message.text).toBe("Done.");
  });

  it.each([
    ["words", "Posted.", "Posted."],
    ["data", '{"skill_id":"x","output":{"summary":"Two.","count":2},"success":true}', "Two."],
    ["a long text", '{"skill_id":"x","success":true}\n\noutput:\nOne\ntwo', "One\ntwo"],
    ["cut data", '{"skill_id":"x"\n[cut: 90 characters]\n}', '{"skill_id":"x"\n[cut'],
    ["nothing", "", "_It answered nothing._"],
  ])("the offline model shows the result of a skill: %s", async (_, text, expected) => {
    expect(await shown(text)).toMatch(expected);
  });

  it("the offline model says what failed without the hint for models, and what a skill needs", async () => {
    expect(await shown('{"error":"It is broken.","code":"x","hint":"Say so."}', true)).toMatch(
      /^\*\*shouting\*\* did not work: It is broken\.\n\n_I run/,
    );
    const missing = JSON.stringify({ skill_id: "shouting", expected_parameters: [parameter("words")] });
    expect(await shown(missing)).toMatch(/^\*\*shouting\*\* needs more to run: `shouting: …`[\s\S]*words/);
  });

  it.each([
    ["spaces", `Shout${" ".repeat(1_000_000)}x`],
    ["words of the form", `Shout ${"to ".repeat(300_000)}`],
    ["colons", "a: ".repeat(300_000)],
  ])("the offline model answers a megabyte of %s quickly", async (_, said) => {
    const started = performance.now();
    await answer(request(said, ["list_skills", list]));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
