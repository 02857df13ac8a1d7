import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import { approve } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { ada } from "../../support/test-app.ts";
import { appWith, condition, json, run, start, startApi, traceOf, variablesOf } from "./flow-app.ts";

const block = (type: string, config: object) => ({ type, config });
/** A skill `echo` that answers its input, and what it was called with. */
function echo() {
  const inputs: Json[] = [];
  const answer = (input: Json) => {
    const given =
      typeof input === "object" && input !== null && "text" in input ? (input.text ?? null) : input;
    inputs.push(given);
    return { status: "ok" as const, output: given };
  };
  return { inputs, skills: [testSkill("echo", [{ name: "echo", run: answer, effect: "side_effect" }])] };
}
const say = (input: Json, more: object = {}) => {
  const isWhole = typeof input === "object" || (typeof input === "string" && input.startsWith("{"));
  return block("tool", { tool: "echo", input: isWhole ? input : { text: input }, ...more });
};

describe("a condition", () => {
  it.each<[object, object]>([
    [{ value: "${a}", is: "equals", to: "five" }, { a: "five" }],
    [{ value: "${a}", is: "=", to: 5 }, { a: "5.0" }],
    [{ value: "${a}", is: "not_equals", to: "Five" }, { a: "five" }],
    [{ value: "${yes}", is: "equals", to: "true" }, {}],
    [{ value: "<${a}>", is: "starts_with", to: "<fi" }, { a: "five" }],
    [{ value: "${list}", is: "contains", to: "2" }, {}],
    [{ value: "${list}", is: "not_contains", to: "y" }, {}],
    [{ value: "${a}", is: "contains", to: "iv" }, { a: "five" }],
    [{ value: "${count}", is: ">", to: "4.5" }, {}],
    [{ value: "${a}", is: "at_most", to: "${count}" }, { a: "5" }],
    [{ value: "${a}", is: "less", to: "2026-02-01" }, { a: "2026-01-31T23:00:00Z" }],
    [{ value: "${nothing}", is: "missing" }, {}],
    [{ value: "${list[5]}", is: "empty" }, {}],
    [{ value: "${count}", is: "exists" }, {}],
    [
      {
        any: [
          { value: "${a}", is: "empty" },
          { value: "${a}", is: "equals", to: "x" },
        ],
      },
      { a: "x" },
    ],
    [
      { all: [{ value: "${a}", is: "not_empty" }, { not: { value: "${a}", is: "equals", to: "y" } }] },
      { a: "x" },
    ],
  ])("the condition %j holds", async (test, args) => {
    const values = start([
      { name: "a" },
      { name: "list", value: ["x", 2] },
      { name: "count", value: 5 },
      { name: "yes", value: true },
    ]);
    const choose = (tested: object, resultVariable: string) =>
      condition(tested, [say("then")], [say("else")], { resultVariable });
    const steps = [values, choose(test, "r"), choose({ not: test }, "s")];
    expect(await variablesOf(steps, args, echo())).toMatchObject({ r: "then", s: "else" });
  });

  it("a condition does not guess how to order text", async () => {
    const steps = [start([{ name: "a" }]), block("condition", { if: { value: "${a}", is: ">", to: 3 } })];
    const { output, text } = await run(steps, { a: "many" });
    expect(output).toMatchObject({ code: "not_comparable", step: 2 });
    expect(text).toContain("many and 3 cannot be compared");
  });

  it("a condition without steps for its outcome continues", async () => {
    const steps = [condition({ value: "1", is: "missing" }, [say("x")])];
    expect((await run(steps, {}, echo())).outcome).toBe("completed");
  });
});

describe("a loop", () => {
  it("a loop goes through a list with item and index, which end with it", async () => {
    const { inputs, skills } = echo();
    const list = [{ id: 7 }, { id: 8 }];
    const steps = [
      start([{ name: "list", value: list }]),
      block("loop", {
        over: "${list}",
        steps: [say({ id: "${item.id}", at: "${index}" }, { resultVariable: "last" })],
        resultVariable: "all",
      }),
    ];
    const variables = await variablesOf(steps, {}, { skills });
    expect(inputs).toEqual([
      { id: 7, at: 0 },
      { id: 8, at: 1 },
    ]);
    expect(variables).toEqual({ list, last: inputs[1], all: inputs });
  });

  it("a loop takes text that is a JSON list, and counts", async () => {
    const { inputs, skills } = echo();
    const steps = [
      start([{ name: "ids" }, { name: "times" }]),
      block("loop", { over: "${ids}", item: "id", steps: [say("${id}")] }),
      block("loop", { count: "${times}", steps: [say("${item}")] }),
    ];
    await variablesOf(steps, { ids: '["a", "b"]', times: "2" }, { skills });
    expect(inputs).toEqual(["a", "b", "1", "2"]);
  });

  it.each([
    ["not_a_list", { over: "${a}" }],
    ["not_a_list", { over: { a: 1 } }],
    ["not_a_list", { count: "-1" }],
    ["too_many_items", { count: 101 }],
    ["too_many_items", { count: 1e12 }],
    ["too_many_items", { over: [1, 2, 3], max_items: 2 }],
  ])("a loop stops the flow with %s before its first iteration: %j", async (code, config) => {
    const { inputs, skills } = echo();
    const steps = [start([{ name: "a", value: "text" }]), block("loop", { ...config, steps: [say(1)] })];
    expect((await run(steps, {}, { skills })).output).toMatchObject({ code });
    expect(inputs).toEqual([]);
  });

  it("a loop names steps after their place and iteration, each once", async () => {
    const inner = block("loop", { count: 2, item: "n", steps: [say("${n}")] });
    const either = condition({ value: "${item}", is: "equals", to: 1 }, [say("t")], [say("e")]);
    const steps = [block("loop", { count: 2, steps: [inner, either] })];
    const { events } = await run(steps, {}, echo());
    const own = traceOf(events).filter((name) => !name.startsWith("skill_"));
    expect(own).toEqual([
      "1 loop",
      "1.1[1] loop",
      "1.1.1[1,1] tool",
      "1.1.1[1,2] tool",
      "1.2[1] condition",
      "1.2.1[1] tool",
      "1.1[2] loop",
      "1.1.1[2,1] tool",
      "1.1.1[2,2] tool",
      "1.2[2] condition",
      "1.2.else.1[2] tool",
    ]);
  });

  it("a loop that fails names its iteration, and a direct output in it ends the flow", async () => {
    const missing = block("tool", { tool: "no_such_skill", name: "Look it up" });
    const steps = [block("loop", { count: 3, steps: [missing] })];
    const { output, text } = await run(steps);
    expect(text).toContain('stopped at step 1.1[1] (tool "Look it up"): Skill not found');
    expect(output).toMatchObject({ code: "skill_not_found", step: 1, position: "1.1[1]" });
    const { inputs, skills } = echo();
    const direct = [
      block("loop", { count: 3, steps: [say("${item}", { directOutput: true })] }),
      say("never"),
    ];
    const { app } = appWith(direct, { skills });
    expect((await app.ask("/flow run f")).end).toMatchObject({ text: expect.stringContaining("1") });
    expect(inputs).toEqual(["1"]);
  });

  it("a loop may take more steps than a skill usually may, but no more than its file says", async () => {
    const { inputs, skills } = echo();
    const steps = [block("loop", { count: 60, steps: [say("x")] })];
    expect((await run(steps, {}, { skills })).outcome).toBe("completed");
    expect(inputs).toHaveLength(60);
    const { output } = await run(steps, {}, { skills, file: { max_iterations: 5 } });
    expect(output).toMatchObject({ code: "too_many_steps", success: false, results: [{ success: false }] });
  });
});

describe("a tool step", () => {
  it("a tool step keeps types of whole placeholders, and takes JSON text", async () => {
    const { inputs, skills } = echo();
    const variables = start([
      { name: "n", value: 3 },
      { name: "o", value: { a: [1] } },
      { name: "q", value: 'say "hi"' },
    ]);
    const steps = [
      variables,
      say({ n: "${n}", o: "${o}", t: "n=${n}", "${n}": "${none}" }),
      say('{"q": "${q}", "n": ${n}}'),
    ];
    await variablesOf(steps, {}, { skills });
    expect(inputs).toEqual([
      { n: 3, o: { a: [1] }, t: "n=3", "${n}": "${none}" },
      { q: 'say "hi"', n: 3 },
    ]);
  });

  it("a tool step that repeats a call gets the tool's own answer each time", async () => {
    let calls = 0;
    const skills = [testSkill("count", [{ name: "count", run: () => ({ status: "ok", output: ++calls }) }])];
    const again = block("tool", { tool: "count", input: {} });
    const steps = [block("loop", { count: 3, steps: [again], resultVariable: "r" })];
    expect(await variablesOf(steps, {}, { skills })).toEqual({ r: [1, 2, 3] });
  });

  it("a tool step runs another flow by the name hubs give it", async () => {
    const files = { "other.json": JSON.stringify({ name: "Other", steps: [say("deep")] }) };
    const steps = [block("tool", { tool: "@@flow_other", resultVariable: "r" })];
    const variables = await variablesOf(steps, {}, { ...echo(), files });
    expect(variables).toMatchObject({ r: { success: true, results: [{ result: "deep" }] } });
  });

  it("a tool step that runs its own flow is stopped with the reason", async () => {
    const { output, text } = await run([block("tool", { tool: "f" })]);
    expect(output).toMatchObject({ code: "too_deep", step: 1 });
    expect(text).toContain("Skills may invoke each other 3 deep");
  });
});

describe("an approval", () => {
  const ask = (more: object = {}) =>
    block("approval", { question: "Send ${n} mails?", input: { to: "${to}", key: "${key}" }, ...more });
  const steps = (approval: object) => [
    start([
      { name: "n", value: "2" },
      { name: "to", value: ["a@x.test"] },
      { name: "key", value: "s3cret-value", category: "static" },
    ]),
    say("before"),
    approval,
    say("after"),
  ];
  const decide = async (approval: object, approved: boolean) => {
    const { inputs, skills } = echo();
    const { app } = appWith(steps(approval), { skills });
    const turnId = await app.say("/flow run f");
    const asked = await app.until(turnId, "approval_requested");
    await approve(app.app, asked.approval_id, approved, ada);
    const end = (await app.events(turnId)).at(-1);
    expect(app.errors).toEqual([]);
    return { asked, inputs, end };
  };

  it("an approval step shows its question, without what the flow fixes, and continues where it was", async () => {
    const { asked, inputs, end } = await decide(ask(), true);
    expect(asked).toMatchObject({
      question: "Send 2 mails?",
      input: { to: ["a@x.test"], key: "${key}" },
      approver: "manager",
      label: expect.stringMatching(/: Send … mails\?$/),
    });
    expect(inputs).toEqual(["before", "after"]);
    expect(end).toMatchObject({ outcome: "completed" });
  });

  it("an approval step is named after the flow and its step", async () => {
    expect((await decide(ask({ name: "Sign off" }), true)).asked.tool).toBe("F: Sign off");
    expect((await decide(ask(), true)).asked.tool).toBe("F");
    expect((await decide(ask({ action: "send mails" }), true)).asked.tool).toBe("send mails");
  });

  it("an approval step that is refused stops the flow and says who refused", async () => {
    const { inputs, end } = await decide(ask(), false);
    expect(inputs).toEqual(["before"]);
    expect(end).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining(
        'stopped at step 3 of 4 (approval): "Ada" (ada) refused it, so the next steps did not run.',
      ),
      output: { code: "refused", results: [{ success: true }, { result: "before" }, { success: false }] },
    });
    expect(end).not.toMatchObject({ text: expect.stringContaining("Do not try it again") });
  });

  it("an approval step that is refused runs its other steps instead of what follows", async () => {
    const { inputs, end } = await decide(ask({ else: [say("instead")], resultVariable: "ok" }), false);
    expect(inputs).toEqual(["before", "instead"]);
    expect(end).toMatchObject({
      outcome: "completed",
      output: { output: { variables: { ok: { approved: false, by: "ada" } } } },
    });
  });
});

it("an approval refused in a loop leaves out only the rest of that iteration", async () => {
  const { inputs, skills } = echo();
  const approval = block("approval", { question: "Item ${item}?", else: [] });
  const { app } = appWith([block("loop", { count: 2, steps: [approval, say("${item}")] })], { skills });
  const turnId = await app.say("/flow run f");
  const asked: string[] = [];
  for await (const event of follow(app.app, turnId)) {
    if (event.type !== "approval_requested") continue;
    asked.push(event.question ?? "");
    await approve(app.app, event.approval_id, asked.length === 2, ada);
  }
  expect(asked).toEqual(["Item 1?", "Item 2?"]);
  expect(inputs).toEqual(["2"]);
});

it("a request answered before a person was asked is not sent again afterwards", async () => {
  const api = await startApi(json("sent"));
  const post = block("apiCall", { url: api.origin, method: "POST", responseVariable: "r" });
  const { app } = appWith([post, block("approval", { question: "Again?" }), post]);
  const turnId = await app.say("/flow run f");
  const { approval_id } = await app.until(turnId, "approval_requested");
  expect(api.received).toHaveLength(1);
  await approve(app.app, approval_id, true, ada);
  expect((await app.events(turnId)).at(-1)).toMatchObject({ outcome: "completed" });
  expect(api.received).toHaveLength(2);
});
