import { describe, expect, it } from "vitest";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";
import { json, run, start, startApi, variablesOf } from "./flow-app.ts";

const load = (files: Record<string, string>) =>
  createFlowSource({ source: "workspace", precedence: 4, root: temporaryFolder(files) }).load();
const flow = (steps: object[], more: object = {}) => JSON.stringify({ name: "G", steps, ...more });
const call = (url: string, more: object = {}) => ({
  type: "apiCall",
  config: { url, responseVariable: "r", ...more },
});
const nested = (depth: number): object =>
  depth === 0
    ? { type: "start", config: {} }
    : { type: "loop", config: { count: 1, steps: [nested(depth - 1)] } };

describe("a file", () => {
  it.each([
    [
      "deep JSON",
      "too_deep",
      `{"name":"G","steps":[{"type":"start","config":{"x":${"[".repeat(90_000)}${"]".repeat(90_000)}}}]}`,
    ],
    ["JSON that is deep and broken", "invalid_json", "[".repeat(200_000)],
    ["steps in steps in steps", "invalid_step", flow([nested(7)])],
    ["a start block within a loop", "invalid_step", flow([nested(1)])],
    [
      "many steps in one loop",
      "too_many_steps",
      flow([
        {
          type: "loop",
          config: {
            count: 1,
            steps: Array.from({ length: 300 }, () => ({ type: "code", config: { code: "1" } })),
          },
        },
      ]),
    ],
    ["a name of an inherited property", "unsupported_block", flow([{ type: "constructor", config: {} }])],
    [
      "a nested step with a defect",
      "invalid_step",
      flow([{ type: "condition", config: { if: { value: 1, is: "exists" }, else: [call("")] } }]),
    ],
    [
      "an unknown comparison",
      "invalid_step",
      flow([{ type: "condition", config: { if: { value: 1, is: "like" } } }]),
    ],
    [
      "retries of what is not safe to repeat",
      "invalid_step",
      flow([call("https://x.test", { method: "POST", retries: 2 })]),
    ],
    ["more retries than there may be", "invalid_step", flow([call("https://x.test", { retries: 99 })])],
    [
      "a time limit where there is none",
      "invalid_step",
      flow([{ type: "loop", config: { count: 1, timeout_ms: 5, steps: [call("https://x.test")] } }]),
    ],
    [
      "more iterations than there may be",
      "invalid_flow",
      flow([call("https://x.test")], { max_iterations: 1e9 }),
    ],
  ])("a flow file with %s is reported and hides no other", async (_what, code, text) => {
    const { skills, diagnostics } = await load({
      "bad.json": text,
      "good.json": flow([call("https://x.test")]),
      "README.md": "# no flow",
    });
    expect(diagnostics).toMatchObject([{ code }]);
    expect(skills.map(({ id }) => id)).toEqual(["g"]);
  });

  it.each(["a\n", "{", '"', "/*", "[1,", '{"a":'])(
    "a flow file made only of %j is given up soon",
    async (text) => {
      const { diagnostics } = await load({ "bad.json": text.repeat(900_000 / text.length) });
      expect(diagnostics).toMatchObject([{ code: "invalid_json" }]);
    },
  );

  it("a flow file may be long and have comments and surplus commas", async () => {
    const extras = `{ // mine: "a", \n "name": "G, /* no comment */ // nor this,]",\n /* a\n , ] */ "steps": [${JSON.stringify(call("https://x.test/a,]"))},\n ],\n}`;
    const { skills, diagnostics } = await load({ "a.json": `${extras}//${"x".repeat(50_000)}` });
    expect(diagnostics).toEqual([]);
    expect(skills[0]?.name).toBe("G, /* no comment */ // nor this,]");
  });

  it("a flow file with code of another language is reported, and one with odd values under known names is read", async () => {
    const python = { type: "code", config: { code: "print(1)", language: "python" } };
    const { diagnostics } = await load({ "a.json": flow([python]) });
    expect(diagnostics[0]?.message).toContain("only JavaScript can run");
    const odd = call("https://x.test", { name: { a: 1 } });
    expect((await load({ "a.json": flow([odd]) })).skills).toHaveLength(1);
  });

  it("a flow file's mistake in nested steps names the step", async () => {
    const steps = [
      {
        type: "condition",
        config: {
          if: { value: 1, is: "exists" },
          else: [{ type: "loop", config: { count: 1, steps: [call("")] } }],
        },
      },
    ];
    const { diagnostics } = await load({ "bad.json": flow(steps) });
    expect(diagnostics[0]?.message).toMatch(/^Step 1.else.1.1 \(apiCall\): url: /);
  });
});

describe("a value", () => {
  it.each(["a\r\nX-Evil: 1", "a\nb", "\u0000", "日本"])(
    "the value %j does not get into a header",
    async (value) => {
      const api = await startApi(json(1));
      const headers = [{ key: "X-Value", value: "${a}" }];
      const { output } = await run([start([{ name: "a" }]), call(api.origin, { headers })], { a: value });
      expect(output).toMatchObject({ code: "invalid_header", step: 2 });
      expect(api.received).toEqual([]);
    },
  );

  it.each([
    ["${a}", "http://169.254.169.254/latest"],
    ["http://${a}/", "2130706433:1"],
    ["https://public.test@${a}/", "10.0.0.1"],
  ])("a value that makes %s lead to a private address sends nothing", async (url, a) => {
    const { output } = await run([start([{ name: "a" }]), call(url)], { a });
    expect(output).toMatchObject({
      code: expect.stringMatching(/address_refused|address_changed|invalid_url|unreachable/),
      step: 2,
    });
  });

  it("a value of a megabyte, in any script, arrives unchanged", async () => {
    const big = 'Grüße "🎉"\n'.repeat(100_000);
    const api = await startApi((request, response) => response.end(request.body || JSON.stringify({ big })));
    const post = { method: "POST", bodyType: "json", body: '{"text": "${r.big}"}', responseVariable: "s" };
    const { r, s } = await variablesOf([call(api.origin), call(api.origin, post)]);
    expect(JSON.parse(api.received[1]?.body ?? "")).toEqual({ text: big });
    expect(r).toEqual({ big });
    expect(s).toMatch(/^\[left out: \d+ characters\]$/);
  });

  it("a flow with 900,000 Chinese characters, as result and variable, does not fail at its limit in bytes", async () => {
    const big = "日".repeat(900_000);
    const api = await startApi(json({ big }));
    expect(await variablesOf([call(api.origin)])).toEqual({ r: { big } });
  });

  it("a value that is named very often does not fill the memory", async () => {
    const variables = start([{ name: "a", value: "x".repeat(500_000) }]);
    const { output } = await run([
      variables,
      call("https://x.test", { method: "POST", body: "${a}".repeat(1_000) }),
    ]);
    expect(output).toMatchObject({ code: "text_too_long" });
  });

  it("a value may have the name of a property every object has", async () => {
    const api = await startApi((request, response) => json(request.url)(request, response));
    const names = ["__proto__", "constructor", "toString"];
    const url = `${api.origin}/?${names.map((name) => `${name}=\${${name}}`).join("&")}`;
    const steps = [start(names.map((name) => ({ name, value: "preset" }))), call(url)];
    const args = JSON.parse('{"__proto__": "own", "constructor": "mine"}');
    const { r } = await variablesOf(steps, args);
    expect(r).toBe("/?__proto__=own&constructor=mine&toString=preset");
    expect(({} as Record<string, unknown>).preset).toBeUndefined();
  });
});

it("300 flows load in well under a second, and faster when nothing changed", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      `${at}.json`,
      flow([start([]), call("https://x.test")], { name: `Flow ${at}` }),
    ]),
  );
  const source = createFlowSource({ source: "workspace", precedence: 4, root: temporaryFolder(files) });
  const first = await source.load();
  expect(first.skills).toHaveLength(300);
  expect(await source.load()).toBe(first);
});
