import { describe, expect, it } from "vitest";
import type { TurnEvent, TurnEventOf } from "../../../../src/core/log/turn-event.ts";
import { type Model, ModelError } from "../../../../src/core/ports/model.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

const ofType = <T extends TurnEvent["type"]>(events: readonly TurnEvent[], type: T) =>
  events.filter((event): event is TurnEventOf<T> => event.type === type);

const active = { active: true } as const;

describe("a turn", () => {
  it("a turn answers with the model's text, streamed, and ends exactly once", async () => {
    const { ask } = createTestApp(scriptedModel(["Hello there, Ada."]));
    const { events, end } = await ask("hello");
    expect(end).toMatchObject({ outcome: "completed", text: "Hello there, Ada." });
    expect(
      ofType(events, "text_delta")
        .map((event) => event.text)
        .join(""),
    ).toBe("Hello there, Ada.");
    expect(ofType(events, "turn_finished")).toHaveLength(1);
    expect(events.map((event) => event.seq)).toEqual(
      events.map((event) => event.seq).toSorted((a, b) => a - b),
    );
  });

  it("a turn goes from activation to the skill's tool to the answer, with progress", async () => {
    const model = scriptedModel([
      [{ call: "activate_skill", with: { skill_name: "echo" } }],
      [{ call: "echo", with: { text: "hi" } }],
      "done",
    ]);
    const { ask } = createTestApp(model, { skills: [testSkill("echo", [{ name: "echo" }])] });
    const { events, end } = await ask("please echo hi");
    expect(end.text).toBe("done");
    expect(model.requests.map((request) => request.tools.some((tool) => tool.name === "echo"))).toEqual([
      false,
      true,
      true,
    ]);
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(
      /^skill echo activated, current skills: \[echo\]\n<skill_guide skill="echo">\nGuide of echo\.\n<\/skill_guide>\nTools now available: echo/,
    );
    expect(ofType(events, "skill_activated")).toMatchObject([{ skill_id: "echo", by: "agent" }]);
    const kinds = events.map((event) =>
      event.type === "stage" ? `${event.name} ${event.status}` : event.type,
    );
    const from = kinds.indexOf("skill_echo running");
    expect(kinds.slice(from - 1, from + 4)).toEqual([
      "tool_started",
      "skill_echo running",
      "skill_echo completed",
      "skill_output",
      "tool_finished",
    ]);
  });

  it("a turn runs the calls of one response in parallel, up to the limit, and gives results in call order", async () => {
    let now = 0;
    let most = 0;
    const order: string[] = [];
    const releases: (() => void)[] = [];
    const skill = testSkill(
      "wait",
      [
        {
          name: "wait",
          run: async (input) => {
            const { text } = input as { text: string };
            now += 1;
            most = Math.max(most, now);
            order.push(text);
            await new Promise<void>((resolve) => {
              releases.push(resolve);
              if (releases.length >= Math.min(3, 5 - order.length + releases.length))
                for (const release of releases.splice(0).reverse()) release();
            });
            now -= 1;
            return text;
          },
        },
      ],
      active,
    );
    const calls = ["a", "b", "c", "d", "e"].map((text) => ({ call: "wait", with: { text } }));
    const model = scriptedModel([calls, "done"]);
    const { ask } = createTestApp(model, { skills: [skill] });
    await ask("go");
    expect(most).toBe(3);
    expect(toolResults(model.requests[1]?.messages ?? [])).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("a turn tells the model about unknown tools, broken JSON and invalid arguments, and continues", async () => {
    const strict = testSkill(
      "strict",
      [
        {
          name: "strict",
          validate: (input) =>
            Object.keys(input as object).length === 0
              ? { ok: true, value: {} }
              : { ok: false, message: "unknown key: x" },
        },
      ],
      active,
    );
    const model = scriptedModel([
      [{ call: "strikt" }, { call: "strict", raw: "{not json" }, { call: "strict", with: { x: 1 } }],
      "ok",
    ]);
    const { ask } = createTestApp(model, { skills: [strict] });
    const { end } = await ask("go");
    const [unknown, broken, invalid] = toolResults(model.requests[1]?.messages ?? []);
    expect(unknown).toContain("Function 'strikt' not found.");
    expect(unknown).toContain("strict");
    expect(broken).toContain("not valid JSON");
    expect(broken).toContain("expected_arguments");
    expect(invalid).toContain("unknown key: x");
    expect(end.outcome).toBe("completed");
  });

  it("a turn runs the directly called tool of an inactive skill, and its guide does not follow", async () => {
    const model = scriptedModel([[{ call: "echo" }], "ok"]);
    const { ask } = createTestApp(model, {
      skills: [testSkill("echo", [{ name: "echo", run: () => "ran" }])],
    });
    const { events } = await ask("go");
    expect(ofType(events, "tool_finished")).toMatchObject([{ status: "ok", output: "ran" }]);
    expect(toolResults(model.requests[1]?.messages ?? [])).toEqual(["ran"]);
  });

  it("a turn at the round limit asks once more without tools and says so", async () => {
    const model = scriptedModel((request) =>
      request.tools.length === 0
        ? "This is what I have."
        : [{ call: "echo", with: { text: `${Math.random()}` } }],
    );
    const { ask } = createTestApp(model, {
      skills: [testSkill("echo", [{ name: "echo" }], active)],
      limits: { max_rounds: 4 },
    });
    const { end } = await ask("go on for ever");
    expect(model.requests).toHaveLength(5);
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toMatch(/This is what I have\.[\s\S]*limit of 4 rounds/);
  });

  it.each([
    ["length", "the model reached its limit of output tokens"],
    ["context", "the conversation fills the model's context"],
    ["declined", "a filter of its provider declined"],
  ] as const)("a turn whose answer is cut by %s says so and can be continued", async (cut, why) => {
    const { ask } = createTestApp(scriptedModel(["Half an"], { cut }));
    const { end } = await ask("go");
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toMatch(/^Half an\n\n/);
    expect(end.text).toContain(why);
    expect(end.text).toContain("Say “continue”");
  });

  it("a turn whose answer is of no use counts what it cost", async () => {
    const useless: Model = {
      id: "m/x",
      generative: true,
      async *stream() {
        yield { type: "spent", usage: { input_tokens: 100, output_tokens: 10 }, model: "m/x" };
        throw new ModelError("cut_off", "m/x reached its limit of output tokens.");
      },
    };
    const { ask, log } = createTestApp(useless);
    const { turnId, end } = await ask("go");
    expect(end.outcome).toBe("limit_reached");
    expect(await log.get(turnId)).toMatchObject({ input_tokens: 100, output_tokens: 10 });
  });

  it.each([
    ["a byte order mark", '\uFEFF{"x":"1"}'],
    ["a trailing comma", '{"x":"1",}'],
    ["a code fence", '```json\n{"x":"1"}\n```'],
    ["the same twice", '{"x":"1"}{"x":"1"}'],
    ["the same twice, on two lines", '{"x":"1"}\n{"x":"1"}'],
  ])("a turn reads arguments with %s, which has one reading", async (_what, raw) => {
    const skill = testSkill("s", [{ name: "s", run: (input) => input }], active);
    const model = scriptedModel([[{ call: "s", raw }], "done"]);
    const { ask } = createTestApp(model, { skills: [skill] });
    await ask("go");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain('"x":"1"');
  });

  it.each(["functions.echo", "functions.echo:0", "echo<|channel|>commentary"])(
    "a turn runs the tool in the frame %s",
    async (call) => {
      const skill = testSkill("e", [{ name: "echo", run: () => "ran" }], active);
      const model = scriptedModel([[{ call }], "done"]);
      await createTestApp(model, { skills: [skill] }).ask("go");
      expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("ran");
    },
  );

  it("a turn at the tool call limit stops calling tools", async () => {
    let ran = 0;
    const skill = testSkill(
      "count",
      [
        {
          name: "count",
          repeatable: true,
          run: () => {
            ran += 1;
            return ran;
          },
        },
      ],
      active,
    );
    const model = scriptedModel((request) =>
      request.tools.length === 0 ? "enough" : [{ call: "count" }, { call: "count" }],
    );
    const { ask } = createTestApp(model, { skills: [skill], limits: { max_tool_calls: 4 } });
    const { end } = await ask("go");
    expect(ran).toBe(4);
    expect(end).toMatchObject({
      outcome: "limit_reached",
      text: expect.stringContaining("limit of 4 tool calls"),
    });
  });

  it("a turn answers a repeated read-only call from its first result, until something has a side effect", async () => {
    let ran = 0;
    const skill = testSkill(
      "s",
      [
        {
          name: "look",
          run: () => {
            ran += 1;
            return { seen: ran };
          },
        },
        { name: "change", effect: "side_effect", run: () => "changed" },
      ],
      active,
    );
    const look = (a: object) => [{ call: "look", with: a }];
    const model = scriptedModel([
      look({ x: 1, y: 2 }),
      look({ y: 2, x: 1 }),
      [{ call: "change" }],
      look({ x: 1, y: 2 }),
      "done",
    ]);
    const { ask } = createTestApp(model, { skills: [skill] });
    await ask("go");
    const [first, again, , later] = toolResults(model.requests[4]?.messages ?? []);
    expect(first).toBe('{"seen":1}');
    expect(again).toMatch(/Same call as before.*"seen":1/);
    expect(later).toBe('{"seen":2}');
  });

  it("a turn keeps cooldowns and once-per-turn marks", async () => {
    const skill = testSkill(
      "s",
      [
        { name: "chart", once_per_turn: true, run: () => "chart" },
        { name: "poll", cooldown_ms: 60_000, repeatable: true, run: () => "polled" },
      ],
      active,
    );
    const model = scriptedModel([
      [{ call: "chart", with: { n: 1 } }, { call: "poll" }],
      [{ call: "chart", with: { n: 2 } }, { call: "poll" }],
      "done",
    ]);
    const { ask } = createTestApp(model, { skills: [skill] });
    await ask("go");
    const results = toolResults(model.requests[2]?.messages ?? []);
    expect(results[2]).toContain("once per turn");
    expect(results[3]).toContain("may run again in");
  });

  it.each([
    ["false", false],
    ["0", 0],
    ["", ""],
    ["text", "text"],
  ])("a turn answers directly with a direct output %j", async (text, output) => {
    const skill = testSkill(
      "d",
      [{ name: "d", run: () => ({ status: "ok", output, direct: true }) }],
      active,
    );
    const model = scriptedModel([[{ call: "d" }], "never"]);
    const { ask } = createTestApp(model, { skills: [skill] });
    const { end } = await ask("go");
    expect(end).toMatchObject({ outcome: "completed", text });
    expect(model.requests).toHaveLength(1);
  });

  it("a turn turns a throw, a timeout and too much output into results the model reads", async () => {
    const skill = testSkill(
      "bad",
      [
        {
          name: "throws",
          run: () => {
            throw new Error("kaput");
          },
        },
        { name: "hangs", max_execution_ms: 20, run: () => new Promise<never>(() => {}) },
        { name: "floods", run: () => "x".repeat(200_000) },
      ],
      active,
    );
    const model = scriptedModel([[{ call: "throws" }, { call: "hangs" }, { call: "floods" }], "still here"]);
    const { ask, errors } = createTestApp(model, { skills: [skill] });
    const { end } = await ask("go");
    const [thrown, hung, flooded] = toolResults(model.requests[1]?.messages ?? []);
    expect(thrown).toContain("kaput");
    expect(hung).toContain("took longer");
    expect(flooded).toContain("200000 bytes");
    expect(end.text).toBe("still here");
    expect(errors).toHaveLength(1);
  });

  it("a turn enforces the iterations of a skill and the depth of nested skills", async () => {
    const steps = testSkill(
      "steps",
      [
        {
          name: "steps",
          max_iterations: 3,
          run: async (_input, context) => {
            for (let i = 0; i < 10; i += 1) await context.step(`step ${i}`, () => i);
            return "never";
          },
        },
      ],
      active,
    );
    const nested = testSkill(
      "nested",
      [{ name: "nested", run: async (input, context) => context.invoke("nested", input) }],
      active,
    );
    const model = scriptedModel([[{ call: "steps" }, { call: "nested" }], "ok"]);
    const { ask } = createTestApp(model, { skills: [steps, nested] });
    const { events } = await ask("go");
    const [limited, deep] = toolResults(model.requests[1]?.messages ?? []);
    expect(limited).toContain("3 steps");
    expect(deep).toContain("3 deep");
    expect(
      ofType(events, "stage").filter(
        (event) => event.name.startsWith("step") && event.status === "completed",
      ),
    ).toHaveLength(3);
    expect(ofType(events, "tool_started").filter((event) => event.tool === "nested")).toHaveLength(4);
    expect(ofType(events, "tool_finished")).toHaveLength(ofType(events, "tool_started").length);
  });

  it("a turn keeps a long output readable through read_file", async () => {
    const long = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n");
    const skill = testSkill("long", [{ name: "long", run: () => long }], active);
    const model = scriptedModel((request) => {
      const last = toolResults(request.messages).at(-1);
      if (last === undefined) return [{ call: "long" }];
      const offset = /\n\[cut: .*offset: (\d+)\) reads on/.exec(last)?.[1];
      return offset === undefined
        ? "read"
        : [{ call: "read_file", with: { path: "call_1_0", offset: Number(offset) } }];
    });
    const { ask } = createTestApp(model, { skills: [skill], limits: { tool_output_tokens: 3_000 } });
    const { end } = await ask("go");
    expect(end.text).toBe("read");
    const [cut, rest] = toolResults(model.requests[2]?.messages ?? []);
    const [head = "", tail = ""] = cut?.split(/\[cut: [^\n]*\]\n/) ?? [];
    expect(long.startsWith(head) && long.endsWith(tail) && tail.startsWith("line ")).toBe(true);
    const [where = "", ...read] = rest?.split("\n") ?? [];
    expect(where).toMatch(
      new RegExp(`^\\[lines \\d+ to \\d+ of 5000, characters ${head.length} to \\d+ of `),
    );
    expect(long.slice(head.length).startsWith(read.join("\n"))).toBe(true);
  });

  it("a turn survives a message of a megabyte: beginning and end are shown, and the rest can be read", async () => {
    const text = "word ".repeat(200_000);
    const model = scriptedModel(["short answer"]);
    const { ask } = createTestApp(model);
    const { end, turnId } = await ask(text);
    expect(end.text).toBe("short answer");
    const [request] = model.requests;
    expect(request?.messages[0]?.text.length).toBeLessThan(40_000);
    expect(request?.messages[0]?.text).toContain(`read_file(path: "message:${turnId}"`);
    expect(request?.tools.map((tool) => tool.name)).toContain("read_file");
  });

  it("a turn says what failed when no model answers, and keeps the message", async () => {
    const { ask, log } = createTestApp(
      scriptedModel([new ModelError("unauthorized", "The key is wrong. Check OPENAI_API_KEY.")]),
    );
    const { end, turnId } = await ask("hello", { by: ben });
    expect(end).toMatchObject({ outcome: "failed", text: expect.stringMatching(/API key.*try again/) });
    expect(end.text).not.toContain("OPENAI_API_KEY");
    // Who runs the bot and asks it directly is told all of it.
    expect((await ask("hello")).end.text).toBe("The key is wrong. Check OPENAI_API_KEY.");
    const error = (await log.read(turnId)).find((event) => event.type === "error");
    expect(error).toMatchObject({ message: "The key is wrong. Check OPENAI_API_KEY." });
    expect((await log.get(turnId))?.text).toBe("hello");
  });

  it("a turn neither shows nor stores a secret", async () => {
    const secret = "sk-very-secret-value";
    const skill = testSkill("leak", [{ name: "leak", run: () => ({ [secret]: `token=${secret}` }) }], active);
    const model = scriptedModel([[{ call: "leak" }], `the key is ${secret}`]);
    const { ask, log } = createTestApp(model, { skills: [skill], secrets: [secret] });
    const { events, turnId } = await ask("go");
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(JSON.stringify(await log.read(turnId))).not.toContain(secret);
    // Nor is the model told one that a person wrote.
    await ask(`is ${secret} right?`);
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain("is [secret] right?");
    // Commands are answered without the loop.
    const command = await ask(`/${secret}`);
    expect(command.end.text).toContain("There is no command /[secret]");
    expect(JSON.stringify((await log.read(command.turnId)).slice(1))).not.toContain(secret);
  });
});
