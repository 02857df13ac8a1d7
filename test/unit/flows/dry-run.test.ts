import { expect, it } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import { appWith, condition, json, start, startApi } from "./flow-app.ts";

const block = (type: string, config: object) => ({ type, config });

/** What `/flow run f --dry-run` tells programs, and people. */
async function dryRun(steps: object[], args = "", file: object = {}) {
  const { app } = appWith(steps, { file });
  const { end } = await app.ask(`/flow run f --dry-run ${args}`);
  expect(app.errors).toEqual([]);
  const { output } = (end.output ?? {}) as { output?: { steps: Record<string, Json>[] } };
  return { end, steps: output?.steps ?? [] };
}

it("a dry run shows each request as it would be sent, sends none, and keeps secrets", async () => {
  const api = await startApi(json(1));
  const url = `${api.origin}/\${place}?q=\${text}&id=\${found.id}&api_key=abcdef&k=\${key}`;
  const headers = [
    { key: "Authorization", value: "Bearer abcdef" },
    { key: "X-Api-Key", value: "${key}" },
    { key: "X-Kind", value: "${text}" },
  ];
  const body = '{"text": "${text}", "token": "abcdef", "n": ${found}}';
  const flow = [
    start([
      { name: "text" },
      { name: "place", value: "here" },
      { name: "key", value: "s3cret-of-the-flow", category: "static" },
    ]),
    block("apiCall", { url: `${api.origin}/find`, responseVariable: "found" }),
    block("apiCall", { url, method: "post", headers, bodyType: "json", body }),
  ];
  const { end, steps } = await dryRun(flow, 'text="a & b"');
  expect(api.received).toEqual([]);
  expect(steps).toMatchObject([
    { step: "1", type: "start", variables: { text: "a & b", place: "here" } },
    { step: "2", request: { method: "GET", url: `${api.origin}/find` }, result_goes_to: "found" },
    {
      step: "3",
      request: {
        method: "POST",
        url: `${api.origin}/here?q=a%20%26%20b&id=\${found.id}&api_key=[secret]&k=\${key}`,
        headers: { authorization: "[secret]", "x-api-key": "${key}", "x-kind": "a & b" },
        body: '{"text": "a & b", "token": "[secret]", "n": "${found}"}',
      },
    },
  ]);
  expect(end.outcome).toBe("completed");
  expect(end.text).toContain(`\`POST ${api.origin}/here?q=a%20%26%20b`);
  expect(JSON.stringify(end)).not.toMatch(/abcdef|s3cret/);
});

it("a dry run says which way a condition goes and how often a loop repeats, where that is known", async () => {
  const say = block("llmInstruction", { instruction: "Say ${a}", resultVariable: "b" });
  const either = (value: string) => condition({ value, is: "equals", to: "x" }, [say]);
  const each = (over: string) =>
    block("loop", {
      over,
      steps: [block("tool", { tool: "t", input: { i: "${item}", b: "${b}", a: "${a}" } })],
    });
  const flow = [
    start([{ name: "a" }, { name: "b", value: "known" }, { name: "list", value: [1, 2] }]),
    either("${a}"),
    either("${b}"),
    each("${list}"),
    each("${b}"),
    block("loop", { over: "${a}", steps: [block("code", { code: "return 1" })] }),
    block("approval", { question: "Go on with ${a}?" }),
  ];
  const { steps } = await dryRun(flow, "a=x");
  expect(steps.slice(1)).toMatchObject([
    { if: "${a} equals x", goes_on_with: "then" },
    { goes_on_with: "known when it runs" },
    { times: 2, steps: [{ step: "4.1", input: { i: "${item}", b: "${b}", a: "x" } }] },
    { times: "known when it runs" },
    { would_fail: '"x" is not a list.', steps: [{ code: "return 1" }] },
    { asks: "Go on with x?", who: "manager" },
  ]);
  expect(steps[1]?.then).toMatchObject([{ step: "2.1", instruction: "Say x" }]);
});

it("a dry run says what is wrong with its arguments", async () => {
  const flow = [start([{ name: "a", category: "required", enum: ["x", "y"] }])];
  for (const [args, reason] of [
    ["", "a is required"],
    ["a=z", 'a must be one of "x", "y"'],
  ]) {
    const { end } = await dryRun(flow, args);
    expect(end.outcome).toBe("failed");
    expect(end.text).toContain(reason);
  }
});

it("a dry run is requested anywhere in the command, and is not part of an argument", async () => {
  const { app } = appWith([start([{ name: "a" }])]);
  for (const text of ["/flow run --dry-run f hello", "/flow run f hello --dry-run"]) {
    expect((await app.ask(text)).end.output).toMatchObject({
      output: { steps: [{ variables: { a: "hello" } }] },
    });
  }
});
