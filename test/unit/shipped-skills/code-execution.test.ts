import { describe, expect, it } from "vitest";
import type { CodeRequest } from "../../../src/core/scripts.ts";
import { validatePackage } from "../../../src/skills/validate-package.ts";
import { exited, fakeCode, means } from "../../support/fake-code.ts";
import { createSkillBench } from "../../support/skill-bench.ts";

const plan = {
  language: "python",
  steps: ["read orders.csv", "sum the amounts"],
  checks: ["the rows are three"],
};
const program = { code: "print('rows 3\\ntotal 60')" };
const result = { result: "The total is 60.", checks: [{ what: "the rows are three", ok: true }] };
const printing = (...outputs: { code?: number; text: string }[]) => {
  let at = 0;
  return fakeCode(async (_request: CodeRequest) => {
    const { code = 0, text } = outputs[Math.min(at++, outputs.length - 1)] ?? { text: "" };
    return exited(code === 0 ? text : "", { exit_code: code, stderr: code === 0 ? "" : text });
  });
};
const orders = { "orders.csv": "id,amount\n1,10\n2,20\n3,30\n" };

describe("the code-execution skill", () => {
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/code-execution")).toEqual({ valid: true, errors: [] });
  });

  it("plans, runs and checks, and hands over the program", async () => {
    const code = printing({ text: "rows 3\ntotal 60" });
    const bench = createSkillBench({ code, attached: orders, answers: [plan, program, result] });
    const run = await bench.run("code-execution", { task: "Sum the amounts", files: ["orders.csv"] });
    expect(run.output).toMatchObject({
      ok: true,
      runs: 1,
      result: "The total is 60.",
      program: "program.py",
      output: "rows 3\ntotal 60",
      notes: [],
    });
    expect(run.steps).toEqual(["skill_code-execution", "plan", "write", "run", "check"]);
    expect(run.requests[0]?.messages[0]?.text).toContain("id,amount");
    expect(code.ran[0]).toMatchObject({ language: "python", code: program.code });
    expect(run.files.map(({ name }) => name)).toEqual(["program.py"]);
  });

  it("repairs what failed with its error, three runs at most", async () => {
    const once = createSkillBench({
      code: printing({ code: 1, text: "KeyError: amount" }, { text: "total 60" }),
      answers: [plan, program, program, result],
    });
    const repaired = await once.run("code-execution", { task: "Sum" });
    expect(repaired.output).toMatchObject({ ok: true, runs: 2 });
    expect(repaired.requests[2]?.messages[0]?.text).toContain("KeyError: amount");
    const never = createSkillBench({
      code: printing({ code: 1, text: "boom" }),
      answers: [plan, program, program, program],
    });
    expect((await never.run("code-execution", { task: "Sum" })).output).toMatchObject({
      ok: false,
      runs: 3,
      result: "The program failed 3 times.",
    });
  });

  it("says what of the answer the program did not print, and which check did not hold", async () => {
    const lie = { result: "The total is 99.", checks: [{ what: "the rows are three", ok: false }] };
    const bench = createSkillBench({ code: printing({ text: "total 60" }), answers: [plan, program, lie] });
    expect((await bench.run("code-execution", { task: "Sum" })).output).toMatchObject({
      ok: false,
      notes: [expect.stringContaining("99")],
    });
  });

  it.each([
    ["without a sandbox", { answers: [] }, /no_sandbox.*knack doctor/],
    ["without a model", { code: printing({ text: "" }) }, /no_model/],
    [
      "with a sandbox that refuses",
      { code: fakeCode(async () => ({ status: "refused", reason: "Too busy." })), answers: [plan, program] },
      /Too busy/,
    ],
  ])("fails plainly %s", async (_name, options, words) => {
    const run = await createSkillBench(options as object).run("code-execution", { task: "Sum" });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("asks before code that reaches hosts runs with what strangers wrote", async () => {
    const code = fakeCode(async () => exited("total 60"), { ok: true, ...means, hosts: ["api.example.com"] });
    const bench = createSkillBench({ code, answers: [plan, program, result] });
    await bench.run("text-analyzer", { text: "hello" });
    const run = await bench.run("code-execution", { task: "Sum" });
    expect(run.asked.map(({ tool }) => tool)).toContain("run_code");
  });

  it("costs what its example costs", async () => {
    const bench = createSkillBench({
      code: printing({ text: "rows 3\ntotal 60" }),
      attached: orders,
      answers: [plan, program, result],
    });
    await bench.run("code-execution", { task: "Sum the amounts", files: ["orders.csv"] });
    expect(await bench.cost("code-execution")).toEqual({
      tools: 160,
      guide: 100,
      calls: 3,
      asked: 490,
      answered: 60,
    });
  });
});
