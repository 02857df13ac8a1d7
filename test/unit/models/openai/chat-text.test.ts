import { describe, expect, it } from "vitest";
import { ChatText } from "../../../../src/models/openai/chat/chat-text.ts";

const tool = (name: string, properties = {}) => ({
  name,
  description: "",
  parameters: { type: "object", properties },
});
const tools = [
  tool("weather", { city: { type: "string" }, days: { type: "integer" } }),
  tool("notes-add", { text: { type: "string" } }),
];

/** What comes of a text that arrives in these pieces: shown at the end, kept, thought, and called. */
function read(pieces: readonly string[], offered = tools) {
  const text = new ChatText(offered);
  let shown = "";
  let thought = "";
  const everShown: string[] = [];
  for (const piece of pieces.flatMap((each) => text.add(each))) {
    if (typeof piece === "string") shown += piece;
    else if ("void" in piece) shown = "";
    else thought += piece.thought;
    everShown.push(shown);
  }
  const whole = text.end();
  const calls = whole.calls.map(({ name, arguments: input }) => [name, JSON.parse(input)]);
  return { shown, thought, kept: whole.text, calls, everShown };
}

const city = { city: "Rome" };
const weather = [["weather", city]];

const thoughts: [what: string, text: string, kept: string, thought: string][] = [
  ["reasoning before the answer", "<think>\nHm. <b>\n</think>\n\nHello", "Hello", "\nHm. <b>\n"],
  ["`thinking`", "<thinking>Hm.</thinking>Hello", "Hello", "Hm."],
  ["Mistral's", "[THINK]Hm.[/THINK]Hello", "Hello", "Hm."],
  ["an empty one", "<think>\n\n</think>\n\nHello", "Hello", "\n\n"],
  ["reasoning between lines", "One\n<think>Hm.</think>\nTwo", "One\n\nTwo", "Hm."],
  ["a namespace", "<seed:think>Hm.</seed:think>Hello", "Hello", "Hm."],
  ["another word", "<thought>\nHm.\n</thought>\nHello", "Hello", "\nHm.\n"],
  ["Kimi-VL's", "◁think▷Hm.◁/think▷Hello", "Hello", "Hm."],
  [
    "Command's",
    "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hello<|END_RESPONSE|>",
    "Hello",
    "Hm.",
  ],
  [
    "Harmony's",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>",
    "Hello",
    "Hm.",
  ],
  ["Gemma's", "<|channel>thought\nHm.<channel|>Hello", "Hello", "Hm."],
  [
    "Harmony in a code fence",
    "```\n<|channel|>analysis<|message|>Hm.<|end|>\n```",
    "```\n<|channel|>analysis<|message|>Hm.<|end|>\n```",
    "",
  ],
  [
    "prose about a channel",
    "The <|channel|> token, <|start|> too",
    "The <|channel|> token, <|start|> too",
    "",
  ],
  ["reasoning that never ends", "<think>Hm. So", "", "Hm. So"],
  ["the end alone at the start", "</think>\n\nHello", "Hello", ""],
  ["the end alone behind the reasoning", "Hm, so\n</think>\n\nHello", "Hello", "Hm, so\n"],
  ["a tag in the middle of a line", "The <think> tag", "The <think> tag", ""],
  ["a tag in backticks", "`<think>` and\n`</think>` are", "`<think>` and\n`</think>` are", ""],
  ["a tag in a code fence", "```\n<think>\n```\nYes", "```\n<think>\n```\nYes", ""],
  ["a longer fence", "````\n```\n<think>\n````\n<think>Hm.</think>", "````\n```\n<think>\n````\n", "Hm."],
  ["what only looks like a tag", "a < b and [1] <thin", "a < b and [1] <thin", ""],
];

const formats: [what: string, text: string, calls: unknown[], kept?: string][] = [
  ["Hermes", '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>', weather],
  [
    "Hermes, arguments as text",
    '<tool_call>{"name":"weather","arguments":"{\\"city\\":\\"Rome\\"}"}</tool_call>',
    weather,
  ],
  [
    "several, behind a remark",
    'I look.\n<tool_call>{"name":"weather","arguments":{"city":"Rome"}}</tool_call>\n<tool_call>{"name":"notes-add","arguments":{"text":"<b>"}}</tool_call>',
    [...weather, ["notes-add", { text: "<b>" }]],
    "I look.",
  ],
  ["one that never ends", '<tool_call>{"name":"weather","arguments":{"city":"Rome"}}', weather],
  [
    "Qwen3-Coder",
    "<tool_call>\n<function=weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
    [["weather", { city: "Rome", days: 3 }]],
  ],
  [
    "Qwen3-Coder, half open",
    "<function=weather>\n<parameter=city>\n007\n</parameter>\n</function>\n</tool_call>",
    [["weather", { city: "007" }]],
  ],
  [
    "GLM",
    "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
    [["weather", { city: "Rome", days: 3 }]],
  ],
  ["Mistral's list", '[TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Rome"}}]', weather],
  [
    "Mistral's names",
    '[TOOL_CALLS]weather[ARGS]{"city":"Rome"}[TOOL_CALLS]notes-add{"text":"x"}',
    [...weather, ["notes-add", { text: "x" }]],
  ],
  ["functools", 'functools[{"name": "weather", "arguments": {"city": "Rome"}}]', weather],
  ["Llama's function", '<function=weather>{"city": "Rome"}</function>', weather],
  [
    "Llama's python tag",
    '<|python_tag|>{"name": "weather", "parameters": {"city": "Rome"}}<|eom_id|>',
    weather,
  ],
  [
    "Llama's several",
    '<|python_tag|>{"name":"weather","parameters":{"city":"Rome"}}; {"name":"weather","parameters":{"city":"Rome"}}',
    [...weather, ...weather],
  ],
  [
    "DeepSeek V3",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{"city":"Rome"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    weather,
  ],
  [
    "DeepSeek V3.1",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city":"Rome"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [...weather, ["weather", {}]],
  ],
  [
    "Claude's",
    '<function_calls>\n<invoke name="weather">\n<parameter name="city">Rome</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n<invoke name="notes-add">\n<parameter name="text"><b>\n</b></parameter>\n</invoke>\n</function_calls>',
    [
      ["weather", { city: "Rome", days: 3 }],
      ["notes-add", { text: "<b>\n</b>" }],
    ],
  ],
  ["an invocation alone", '<invoke name="weather"><parameter name="city">Rome</parameter></invoke>', weather],
  [
    "MiniMax",
    '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Rome</parameter>\n</invoke>\n</minimax:tool_call>',
    weather,
  ],
  [
    "DeepSeek V3.2",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Rome</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    weather,
  ],
  [
    "Seed",
    "<seed:tool_call><function=weather><parameter=city>Rome</parameter></function></seed:tool_call>",
    weather,
  ],
  [
    "LFM2, and a remark",
    "<|tool_call_start|>[weather(city='Rome', days=3), notes-add(text=\"it's\")]<|tool_call_end|>I look.",
    [
      ["weather", { city: "Rome", days: 3 }],
      ["notes-add", { text: "it's" }],
    ],
    "I look.",
  ],
  [
    "OLMo",
    '<function_calls>\nweather(city="Rome")\nweather()\n</function_calls>',
    [...weather, ["weather", {}]],
  ],
  ["Phi", '<|tool_call|>[{"name":"weather","arguments":{"city":"Rome"}}]<|/tool_call|>', weather],
  ["Nemotron", '<TOOLCALL>[{"name":"weather","arguments":{"city":"Rome"}}]</TOOLCALL>', weather],
  ["Jamba", '<tool_calls>[\n  {"name": "weather", "arguments": {"city": "Rome"}}\n]</tool_calls>', weather],
  [
    "Kimi",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city":"Rome"}<|tool_call_end|><|tool_call_begin|>functions.weather:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    [...weather, ["weather", {}]],
  ],
  [
    "Gemma 4",
    '<|tool_call>call:weather{city:<|"|>Rome<|"|>,days:3}<tool_call|>',
    [["weather", { city: "Rome", days: 3 }]],
  ],
  [
    "FunctionGemma",
    "<start_function_call>call:weather{city:<escape>Rome<escape>}<end_function_call>",
    weather,
  ],
  [
    "InternLM",
    '<|action_start|><|plugin|>{"name":"weather","parameters":{"city":"Rome"}}<|action_end|>',
    weather,
  ],
  [
    "Command",
    '<|START_ACTION|>[{"tool_call_id":"0","tool_name":"weather","parameters":{"city":"Rome"}}]<|END_ACTION|>',
    weather,
  ],
  [
    "OpenAI's shape",
    '<tool_call>{"type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Rome\\"}"}}</tool_call>',
    weather,
  ],
  [
    "elements for all",
    '<tool_use>\n<name>weather</name>\n<arguments>{"city":"Rome"}</arguments>\n</tool_use>',
    weather,
  ],
  ["an element of the tool's name", "<weather>\n<city>Rome</city>\n</weather>", weather],
  [
    "another name around a known tool",
    '<execute>{"name":"weather","arguments":{"city":"Rome"}}</execute>',
    weather,
  ],
  [
    "Harmony",
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>',
    weather,
  ],
  [
    "a tool that is not in the request",
    '<tool_call>\n{"name": "launch", "arguments": {}}\n</tool_call>',
    [["launch", {}]],
  ],
  ["a function nobody offers", '<function=launch>{"city": "Rome"}</function>', [["launch", city]]],
  [
    "Mistral's for another tool",
    '[TOOL_CALLS]launch[CALL_ID]abcdefghi[ARGS]{"city":"Rome"}',
    [["launch", city]],
  ],
  [
    "Kimi's for another tool",
    "<|tool_call_begin|>functions.launch:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    [["functions.launch:0", {}]],
  ],
  [
    "an invocation of another tool",
    'So.\n<function_calls>\n<invoke name="launch">\n</invoke>\n</function_calls>',
    [["launch", {}]],
    "So.",
  ],
  [
    "a call behind reasoning",
    '<think>Hm.</think>\n<tool_call>{"name":"weather","arguments":{"city":"Rome"}}</tool_call>',
    weather,
  ],
];

const texts: [what: string, text: string][] = [
  ["a tool that is not offered", '<tool_call>{"name":"launch","arguments":{}}</tool_call> ok'],
  ["no JSON", "<tool_call>{weather</tool_call> ok"],
  ["arguments that are no object", '<tool_call>{"name":"weather","arguments":[1]}</tool_call>'],
  ["a call in a code fence", '```xml\n<tool_call>{"name":"weather","arguments":{}}</tool_call>\n```'],
  ["a call in backticks", '`<tool_call>{"name":"weather","arguments":{}}</tool_call>`'],
  ["a call in the middle of inline code", '`see <tool_call>{"name":"weather","arguments":{}}</tool_call>`'],
  [
    "a call in a fence of a list",
    '- Write:\n  ```\n  <function_calls><invoke name="weather"></invoke></function_calls>\n  ```',
  ],
  ["a call between tildes", "~~~\n[TOOL_CALLS]weather{}\n~~~"],
  ["a list that is no call", 'rows[{"name": "x"}]'],
  ["a document", '<person>{"name":"Bob","parameters":{}}</person>'],
  ["two attributes", '<a href="x" title="y">z</a>'],
  ["a template of another kind", "<|im_start|>assistant says hello<|im_end|>"],
  ["sums", "if a <b and c> d, x[0] = [1, 2]"],
  ["prose about a tag", "Use <tool_call> and [TOOL_CALLS] as tags"],
  ["DeepSeek without a name", "<｜tool▁calls▁begin｜>nothing"],
];

describe("reasoning in the text of an answer", () => {
  it.each(thoughts)("reasoning in the text of an answer is recognised: %s", (_what, text, kept, thought) => {
    expect(read([text])).toMatchObject({ kept, thought, calls: [] });
  });
});

describe("calls in the text of an answer", () => {
  it.each(formats)(
    "a call in the text of an answer is understood and never shown: %s",
    (_what, text, calls, kept = "") => {
      const seen = read([...text]);
      expect(seen).toMatchObject({ calls, kept });
      for (const shown of seen.everShown) expect(shown).not.toMatch(/[<[｜◁]|Rome|Hm/);
    },
  );

  it.each(texts)("a text like a call in an answer stays text: %s", (_what, text) => {
    expect(read([text])).toMatchObject({ kept: text, calls: [], thought: "" });
  });

  it("a call in the text stays text where no tool may be called", () => {
    const text = '<tool_call>{"name":"weather","arguments":{}}</tool_call>';
    expect(read([text], [])).toMatchObject({ kept: text, shown: text, calls: [] });
  });
});

it.each([...thoughts, ...formats, ...texts].map(([what, text]) => [what, text] as const))(
  "the pieces of an answer change nothing: %s",
  (_what, text) => {
    const { everShown: _, ...whole } = read([text]);
    const splits = Array.from({ length: text.length }, (_each, at) => [text.slice(0, at), text.slice(at)]);
    for (const pieces of [...splits, [...text]]) expect(read(pieces)).toMatchObject(whole);
  },
);

it("prose about tags is shown as it comes", () => {
  const seen = read(["Use <tool_call>", " as a", " tag"]);
  expect(seen.everShown.at(-1)).toBe("Use <tool_call> as a tag");
});

it.each([
  ["reasoning", `<think>${"word ".repeat(200_000)}`],
  [
    "the arguments of a call",
    `<tool_call>{"name":"weather","arguments":{"city":"${"x".repeat(1_000_000)}"}}</tool_call>`,
  ],
  ["openings of calls", "<tool_call> ".repeat(80_000)],
  ["openings of elements", "<weather><city>".repeat(60_000)],
  ["elements that never end", `<invoke name="launch">${'<parameter name="a">'.repeat(40_000)}`],
  ["lists of words", "\nx[{".repeat(5_000)],
  ["headers", "<|channel|>a".repeat(5_000)],
  ["tags", "<a".repeat(5_000)],
  ["backticks", "a ``` ".repeat(150_000)],
  ["space", `<function=weather>${" ".repeat(1_000_000)}`],
])("reading an answer's text is linear in the length of %s", (_what, text) => {
  const pieces = text.match(/[\s\S]{1,16}/g) ?? [];
  const from = process.threadCpuUsage();
  read([text]);
  const reader = new ChatText(tools);
  for (const piece of pieces) reader.add(piece);
  reader.end();
  expect(process.threadCpuUsage(from).user).toBeLessThan(3_000_000);
});
