import { describe, expect, it } from "vitest";
import { appWith, condition, json, page, run, type Setting, start, startApi } from "./flow-app.ts";

describe("an apiCall", () => {
  const body = '{"title": "${title}", "count": ${count}, "tags": ${tags},}';
  const variables = start([
    { name: "title" },
    { name: "count", value: "3" },
    { name: "tags", value: ["a"] },
    { name: "verb", value: "put" },
  ]);
  const send = (origin: string, config: object) => [
    variables,
    { type: "apiCall", config: { url: `${origin}/x`, method: "POST", responseVariable: "r", ...config } },
  ];
  const title = 'He said "hi"\nö & co';

  it("an apiCall sends JSON that values cannot break, and keeps types", async () => {
    const api = await startApi(json({ id: 7 }));
    const { output } = await run(send(api.origin, { bodyType: "json", body }), { title });
    expect(JSON.parse(api.received[0]?.body ?? "")).toEqual({ title, count: 3, tags: ["a"] });
    expect(api.received[0]).toMatchObject({ method: "POST", type: "application/json" });
    expect(output).toMatchObject({
      skill_id: "f",
      output: {
        success: true,
        results: [{ success: true }, { success: true, result: { id: 7 } }],
        variables: { title, r: { id: 7 } },
        directOutput: null,
      },
    });
  });

  it("an apiCall passes numbers on with all their digits", async () => {
    const answer = '{"id":1175013331821920257,"rate":0.1000000000000000055}';
    const api = await startApi((_request, response) => void response.end(answer));
    const steps = [
      start([]),
      { type: "apiCall", config: { url: `${api.origin}/1`, responseVariable: "r" } },
      { type: "apiCall", config: { url: `${api.origin}/\${ r.id }`, responseVariable: "s" } },
      {
        type: "apiCall",
        config: {
          url: api.origin,
          method: "POST",
          bodyType: "json",
          body: '{"id": ${r.id}, "text": "${r.rate}"}',
        },
      },
      {
        type: "apiCall",
        config: { url: api.origin, method: "POST", bodyType: "json", body: { all: "${r}", id: 7 } },
      },
      condition({ value: "${r.id}", is: "equals", to: "1175013331821920256" }, [
        { type: "apiCall", config: { url: `${api.origin}/equal` } },
      ]),
      condition({ value: "${r.id}", is: "greater", to: "1175013331821920256" }, [
        { type: "apiCall", config: { url: `${api.origin}/greater` } },
      ]),
    ];
    const { output } = await run(steps);
    expect(api.received.map(({ url, body: sent }) => [url, sent])).toEqual([
      ["/1", ""],
      ["/1175013331821920257", ""],
      ["/", '{"id": 1175013331821920257, "text": "0.1000000000000000055"}'],
      ["/", JSON.stringify({ all: answer, id: 7 })],
      ["/greater", ""],
    ]);
    expect(JSON.stringify(output)).toContain(answer);
  });

  it("an apiCall reports placeholders that led nowhere, and used them as they are written", async () => {
    const api = await startApi(json({ id: null }));
    const steps = [
      start([]),
      { type: "apiCall", config: { url: `${api.origin}/a`, responseVariable: "r" } },
      { type: "apiCall", config: { url: `${api.origin}/b?q=\${r.id}&n=\${r}` } },
    ];
    expect(await run(steps)).toMatchObject({ output: { output: { unfilled: ["${r.id}"] } } });
  });

  it("an apiCall sends forms and plain text, and the headers as they are written", async () => {
    const api = await startApi(json(null));
    const formData = [{ key: "t", value: "${title}" }];
    const headers = [
      { key: "X-Title", value: "${count}" },
      { key: "Content-Type", value: "text/csv" },
      { key: "", value: "nothing" },
    ];
    await run(send(api.origin, { bodyType: "form", formData, headers }), { title });
    await run(send(api.origin, { bodyType: "text", body: "T: ${title}", headers, method: "${verb}" }), {
      title,
    });
    await run(send(api.origin, { bodyType: "json", body, method: "GET" }), { title });
    expect(api.received.map(({ method, type, body: sent }) => [method, type, sent])).toEqual([
      ["POST", "application/x-www-form-urlencoded", new URLSearchParams({ t: title }).toString()],
      ["PUT", "text/csv", `T: ${title}`],
      ["GET", undefined, ""],
    ]);
    expect(api.received[0]?.headers["x-title"]).toBe("3");
  });

  it("an apiCall encodes values in the query, keeps text answers, and passes them on", async () => {
    const api = await startApi((_request, response) => void response.end("plain text"));
    const config = { url: `${api.origin}/s?q=\${title}`, method: "GET", responseVariable: "r" };
    const again = { url: `${api.origin}/s?q=\${r}` };
    const { output } = await run(
      [variables, { type: "apiCall", config }, { type: "apiCall", config: again }],
      { title },
    );
    expect(api.received.map(({ url }) => new URL(url, api.origin).searchParams.get("q"))).toEqual([
      title,
      "plain text",
    ]);
    expect(output).toMatchObject({ output: { variables: { r: "plain text" } } });
  });

  it("an apiCall that is refused stops the flow, with step, status and what the server said", async () => {
    const api = await startApi((_request, response) => {
      response.statusCode = 422;
      response.end(`title is too long ${"x".repeat(2_000)}`);
    });
    const steps = [...send(api.origin, {}), { type: "apiCall", config: { url: `${api.origin}/never` } }];
    const { output, text: told, outcome } = await run(steps, { title });
    expect(outcome).toBe("failed");
    expect(told).toMatch(
      /^Flow F stopped at step 2 of 3 \(apiCall\): 127.0.0.1:\d+ answered 422: title is too/,
    );
    expect(output).toMatchObject({ code: "http_error", step: 2, type: "apiCall", success: false });
    expect(output).toMatchObject({
      results: [
        { success: true },
        { success: false, step: 2, error: expect.stringMatching(/^127.0.0.1:\d+ answered 422: title/) },
      ],
      variables: { title },
    });
    expect(String(output.error).length).toBeLessThan(700);
    expect(api.received).toHaveLength(1);
  });

  it("an apiCall does not reach private addresses that are not allowed", async () => {
    const { output } = await run([{ type: "apiCall", config: { url: "http://192.168.3.4/" } }]);
    expect(output).toMatchObject({ code: "address_refused", step: 1 });
  });

  it("an apiCall says when its body is not JSON", async () => {
    const api = await startApi(json(null));
    const { output } = await run(send(api.origin, { bodyType: "json", body: '{"a": {{x}}' }));
    expect(output).toMatchObject({ code: "invalid_body", step: 2 });
    expect(api.received).toEqual([]);
  });
});

describe("variables", () => {
  const api = () => startApi((request, response) => json(request.url)(request, response));
  const ask = (origin: string) => ({
    type: "apiCall",
    config: { url: `${origin}/?a=\${a}&key=\${key}`, responseVariable: "a" },
  });

  it("variables have defaults that arguments override, but not empty ones and not static ones", async () => {
    const { origin, received } = await api();
    const variables = start([
      { name: "a", value: "default" },
      { name: "key", value: "the-static-value", category: "static" },
    ]);
    for (const args of [{}, { a: "given" }, { a: "", key: "mine" }]) {
      const { output } = await run([variables, ask(origin)], args);
      expect(JSON.stringify(output)).not.toContain('"key"');
    }
    expect(received.map(({ url }) => url)).toEqual(
      ["default", "given", "default"].map((a) => `/?a=${a}&key=the-static-value`),
    );
  });

  it("variables keep static values out of errors", async () => {
    const { origin } = await startApi((request, response) => {
      response.statusCode = 401;
      response.end(`bad key in ${request.url}`);
    });
    const variables = start([{ name: "key", value: "the-static-value", category: "static" }]);
    const { text: told } = await run([variables, ask(origin)]);
    expect(told).toContain("answered 401");
    expect(told).not.toContain("the-static-value");
  });
});

describe("webScraping", () => {
  const html = "<html><body><h1>Hi</h1><p class='a'>One <b>1</b></p><p class='a'>Two</p></body></html>";
  it.each([
    [{ captureAs: "html" }, html],
    [{ captureAs: "querySelector" }, html],
    [{ captureAs: "querySelector", querySelector: "p.${c}" }, "One <b>1</b>\nTwo"],
  ])("webScraping captures %j", async (config, expected) => {
    const api = await startApi(page(html));
    const steps = [
      start([{ name: "c", value: "a" }]),
      { type: "webScraping", config: { url: api.origin, resultVariable: "r", ...config } },
    ];
    expect((await run(steps)).output).toMatchObject({ output: { variables: { r: expected } } });
  });

  it("webScraping captures text by default, and reports an invalid selector or one without a match", async () => {
    const api = await startApi(page(html));
    const scrape = (config: object) => run([{ type: "webScraping", config: { url: api.origin, ...config } }]);
    const { output } = await scrape({});
    expect(JSON.stringify(output)).toContain("One **1**");
    const none = await scrape({ captureAs: "querySelector", querySelector: "nav" });
    expect(none.output).toMatchObject({ code: "no_content" });
    const broken = await scrape({ captureAs: "querySelector", querySelector: "p[" });
    expect(broken.output).toMatchObject({ code: "selection_failed" });
  });

  it("webScraping summarises long text unless the flow does not want that", async () => {
    const api = await startApi(page(`<p>${"word ".repeat(10_000)}</p>`));
    const scrape = async (config: object, setting: Partial<Setting> = {}) => {
      const steps = [{ type: "webScraping", config: { url: api.origin, captureAs: "html", ...config } }];
      const { output } = await run(steps, {}, { script: ['{"summary": "short"}'], ...setting });
      return JSON.stringify(output).length;
    };
    expect(await scrape({})).toBeLessThan(1_000);
    expect(await scrape({ enableSummarization: false })).toBeGreaterThan(40_000);
    expect(await scrape({}, { generative: false })).toBeGreaterThan(40_000);
  });
});

describe("llmInstruction", () => {
  const steps = [
    start([{ name: "who", value: "Ada" }]),
    { type: "llmInstruction", config: { instruction: "Greet ${who}", resultVariable: "r" } },
  ];

  it("llmInstruction asks the model and keeps its text", async () => {
    const { app, model } = appWith(steps, { script: ["Hello Ada"] });
    const { end } = await app.ask("/flow run f");
    expect(end.output).toMatchObject({ output: { variables: { r: "Hello Ada" } } });
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({
      system: "",
      messages: [{ role: "user", text: "Greet Ada" }],
      tools: [],
    });
    expect(model.requests[0]).not.toHaveProperty("output_schema");
  });

  it.each([
    ["scripted/model", { output: { variables: { r: "Hello Ada" } } }],
    ["small", { output: { variables: { r: "Hello Ada" } } }],
    ["nowhere/model", { error: expect.stringContaining("There is no model nowhere/model.") }],
  ])("llmInstruction asks the model it names: %s", async (model, expected) => {
    const config = { instruction: "Greet ${who}", resultVariable: "r", model };
    const { output } = await run(
      [start([{ name: "who", value: "Ada" }]), { type: "llmInstruction", config }],
      {},
      { script: ["Hello Ada"] },
    );
    expect(output).toMatchObject(expected);
  });

  it("llmInstruction says that it needs a model", async () => {
    const { output } = await run(steps, {}, { generative: false });
    expect(output).toMatchObject({ error: expect.stringContaining("It needs a language model") });
  });
});
