import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { checkLiveModels } from "../../../src/cli/doctor/check-live.ts";
import { checkModelKeys } from "../../../src/cli/doctor/check-models.ts";
import { configuredModels } from "../../../src/cli/doctor/model-advice.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { freePort } from "../../support/bot/free-port.ts";
import { useConfigFiles } from "../config/config-files.ts";
import { completion } from "../models/openai/chat-wire.ts";
import { sendJson, startWireServer, type WireServer } from "../models/wire-server.ts";
import { fakeBot } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

const callOf = (name: string, text: string) => ({
  id: "call_1",
  type: "function",
  function: { name, arguments: text },
});

const { load, folder } = useConfigFiles();
let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Answer = (response: ServerResponse, url: URL, body: Record<string, unknown>) => void;

async function serve(answer: Answer): Promise<string> {
  server = await startWireServer((response, body) =>
    answer(response, new URL(response.req.url ?? "", "http://x"), body),
  );
  return server.url;
}

async function knack(argv: string[], yaml: string, env: Record<string, string> = {}) {
  const cwd = folder();
  await writeFile(path.join(cwd, "own.yaml"), yaml);
  const { code, out, err } = runKnack([...argv, "--config", "own.yaml"], { cwd, env, bot: fakeBot({}) });
  return { code: await code, out: out.text(), err: err.text() };
}

const list = (...ids: string[]) => ({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });

describe("knack models", () => {
  it("`knack models` lists what every provider offers, which are in use, and what is known of them", async () => {
    const url = await serve((response, { pathname, searchParams }) => {
      if (pathname === "/a/v1/models") return sendJson(response, list("b-model", "a-model", "evil\u001b[2J"));
      if (pathname === "/g/models")
        return sendJson(response, [{ id: "models/gemini-3.8-flash", context_length: 9 }]);
      if (pathname !== "/v1/models")
        return sendJson(response, { error: { message: "no such key sk-s3cret" } }, 401);
      const second = searchParams.get("after_id") === "claude-b";
      sendJson(response, {
        data: [{ id: second ? "claude-a" : "claude-b", max_input_tokens: 500 }],
        ...{ has_more: !second, last_id: second ? "claude-a" : "claude-b" },
      });
    });
    const port = await freePort();
    const yaml = `
model:
  choice: box/b-model
  failover: [anthropic/claude-a]
  anthropic: {base_url: "${url}", api_key: key-of-a}
  prices: {box/b-model: {input: 1.5, output: 3}}
  providers:
    box: {base_url: "${url}/a/v1", query: {api-version: preview}}
    gem: {kind: gemini, base_url: "${url}/g"}
    shut: {base_url: "${url}/shut", api_key: sk-s3cret}
    down: {base_url: "http://127.0.0.1:${port}/v1"}
`;
    const { code, out } = await knack(["models"], yaml, { GROQ_API_KEY: "" });
    expect(code).toBe(0);
    expect(out).toContain(
      "box: 3 models\n  box/b-model  (chosen; $1.5 in, $3 out per million)\n  box/a-model\n",
    );
    expect(out).toContain("anthropic: 2 models\n  anthropic/claude-a  (failover; 500 tokens)");
    expect(out).toContain("gem/gemini-3.8-flash  (9 tokens; $");
    expect(out).toMatch(/^shut: .*refused the key.*401/m);
    expect(out).toMatch(/^down: 127\.0\.0\.1:\d+ did not answer \(ECONNREFUSED\)/m);
    expect(out).not.toMatch(/s3cret|groq/);
    expect(out).not.toContain("\u001b");
    const listing = server?.headers.find(({ authorization }) => authorization === "Bearer key-of-a");
    expect(listing).toHaveProperty("anthropic-version");

    const json = await knack(["models", "box", "--search", "B-", "--json"], yaml);
    const known = { id: "box/b-model", use: "chosen", price: { input: 1.5, output: 3 } };
    expect(JSON.parse(json.out)).toEqual({ providers: [{ provider: "box", models: [known] }] });
  });

  it("`knack models` shows the first fifty of a thousand, those in use among them, and all on demand", async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `m${String(index).padStart(4, "0")}`);
    const url = await serve((response) => sendJson(response, list(...ids.toReversed())));
    const yaml = `model: {choice: box/m0999, providers: {box: {base_url: "${url}/v1"}}}`;
    const { out } = await knack(["models"], yaml);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(52);
    expect(lines.slice(1, 3)).toEqual(["  box/m0999  (chosen)", "  box/m0000"]);
    expect(lines.at(-1)).toBe("  … 950 more: --search TEXT or --all");
    expect((await knack(["models", "--all"], yaml)).out.trimEnd().split("\n")).toHaveLength(1001);
    expect((await knack(["models", "--search", "m050"], yaml)).out).toContain('box: 10 models with "m050"');
  });

  it.each([
    [
      "a web page",
      (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "answers GET /v1/models with a web page",
    ],
    ["no JSON", (response: ServerResponse) => response.end("hello"), "not JSON"],
    ["no end", (response: ServerResponse) => flood(response), "sent more than 20 MB"],
  ])("`knack models` fails when nobody answered: %s", async (_name, answer, words) => {
    const url = await serve(answer);
    const { code, out } = await knack(
      ["models", "box"],
      `model: {providers: {box: {base_url: "${url}/v1"}}, choice: box/x}`,
    );
    expect(code).toBe(1);
    expect(out).toContain(words);
  });

  it("`knack models` says what to set for a provider without a key, and knows no others", async () => {
    expect(await knack(["models", "groq"], "")).toMatchObject({
      ...{ code: 1, out: "groq: no key: set GROQ_API_KEY\n" },
    });
    expect((await knack(["models", "grok"], "")).err).toContain("Did you mean groq?");
    expect((await knack(["models"], "")).err).toContain("No provider is set up");
  });
});

function flood(response: ServerResponse): void {
  const piece = Buffer.alloc(1_000_000, " ");
  const write = () => {
    while (response.writable && response.write(piece));
    if (response.writable) response.once("drain", write);
  };
  write();
}

describe("knack doctor --live", () => {
  /** What the model sees of the picture of a request, as a colour. */
  function colourOf(body: Record<string, unknown>): string | undefined {
    const [, data] = /data:image\/png;base64,([\w+/=]+)/.exec(JSON.stringify(body)) ?? [];
    if (data === undefined) return undefined;
    const png = Buffer.from(data, "base64");
    const from = png.indexOf("IDAT") + 4;
    const length = png.readUInt32BE(from - 8);
    const [, ...pixels] = inflateSync(png.subarray(from, from + length)).subarray(0, 4);
    return pixels.join(",") === "200,0,200" ? "Magenta." : "black";
  }

  const able: Answer = (response, _url, body) => {
    const messages = body.messages as { role: string; content: unknown }[];
    const last = messages.at(-1);
    if (body.response_format !== undefined) {
      return sendJson(response, completion({ content: '{"city":"Lisbon","guests":7}' }));
    }
    const colour = colourOf(body);
    if (colour !== undefined) return sendJson(response, completion({ content: colour }));
    if (last?.role === "tool") return sendJson(response, completion({ content: `It says: ${last.content}` }));
    sendJson(
      response,
      completion({ content: null, tool_calls: [callOf("read_passphrase", '{"day":"Monday"}')] }),
    );
  };

  async function tried(model: string) {
    const { config } = await load(`model: {${model}}`);
    const names = configuredModels(config, []);
    return await Array.fromAsync(checkLiveModels(config, names, systemClock, () => undefined));
  }

  async function live(answer: Answer, more = "") {
    const url = await serve(answer);
    return await tried(`choice: box/m, streaming: false, ${more} providers: {box: {base_url: "${url}/v1"}}`);
  }

  it("`knack doctor --live` tries tools, pictures and structured answers of every configured model, each once", async () => {
    const checks = await live(able, "small: box/s, failover: [box/s],");
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...["box/m", "box/m", "box/m", "box/s", "box/s", "box/s"].map((name) => `live model ${name} ok`),
    ]);
    expect(checks.map(({ detail }) => detail.replace(/ work.*/, ""))).toEqual([
      ...["tools", "pictures", "structured answers", "tools", "pictures", "structured answers"],
    ]);
  });

  it("`knack doctor --live` explains the consequence of what a model cannot do", async () => {
    const checks = await live((response, url, body) => {
      if (body.tools !== undefined) return sendJson(response, completion({ content: "It is Monday." }));
      if (colourOf(body) !== undefined)
        return sendJson(response, { error: { message: "no image input" } }, 400);
      if (body.response_format !== undefined || /JSON/.test(JSON.stringify(body.messages))) {
        return sendJson(response, completion({ content: "Lisbon, seven" }));
      }
      able(response, url, body);
    });
    expect(checks.map(({ status }) => status)).toEqual(["warning", "warning", "warning"]);
    expect(checks[0]).toMatchObject({
      detail: "tools: it answered without the tool it was to call",
      advice: expect.stringContaining("Skills hardly work"),
    });
    expect(checks[1]?.advice).toContain("described to it as missing");
    expect(checks[2]?.advice).toContain("model.small");
  });

  it("`knack doctor --live` also tries the small model of the same provider, which inner work uses", async () => {
    const url = await serve(able);
    const groq = `choice: groq/llama-3.3-70b, providers: {groq: {base_url: "${url}/v1", api_key: k}}`;
    const names = async (model: string) =>
      new Set((await tried(`streaming: false, ${model}`)).map(({ name }) => name));
    const [chosen, beside] = ["llama-3.3-70b", "openai/gpt-oss-20b"].map((name) => `live model groq/${name}`);
    expect(await names(groq)).toEqual(new Set([chosen, beside]));
    expect(await names(`small: off, ${groq}`)).toEqual(new Set([chosen]));
  });

  it("`knack doctor --live` says what it is trying", async () => {
    const url = await serve(able);
    const yaml = `
server: {port: 0}
model: {choice: box/m, streaming: false, providers: {box: {base_url: "${url}/v1"}}}`;
    const { out, err } = await knack(["doctor", "--live"], yaml);
    expect(out).toContain("✔ live model box/m: pictures work");
    expect(err).toContain("Trying pictures with box/m, at most 60 s");
  });

  it("`knack doctor --live` stops at a model that does not answer, which is an error", async () => {
    const checks = await live((response) => sendJson(response, { error: { message: "no such model" } }, 404));
    expect(checks).toMatchObject([{ status: "error", detail: expect.stringContaining("no such model") }]);
    // Once with tools, and once without.
    expect(server?.bodies).toHaveLength(2);
  });
});

describe("without a model", () => {
  /** The advice about the model, with Ollama at an address. */
  const advised = async (env: Record<string, string>, url = "http://127.0.0.1:1") => {
    const { config } = await load("{}", { env });
    const local = [
      { provider: "ollama", url: `${url}/api/tags` },
      { provider: "lmstudio", url: "http://127.0.0.1:1/v1/models" },
    ];
    const [finding] = await checkModelKeys(config, [], local);
    return finding?.advice;
  };

  it("a server on this machine is suggested with its first chat model, unless one was chosen", async () => {
    const models = [{ name: "nomic-embed-text:latest" }, { name: "qwen3:8b" }, { name: "llama3:8b" }];
    const url = await serve((response) => sendJson(response, { models }));
    expect(await advised({}, url)).toContain("Ollama runs here: KNACK_MODEL=ollama/qwen3:8b npm start");
    const localServers = [{ provider: "ollama", url: `${url}/api/tags` }];
    const offline = { KNACK_MODEL: "offline" };
    const { code, out } = runKnack(["doctor"], {
      cwd: folder(),
      env: offline,
      localServers,
      bot: fakeBot({}),
    });
    await code;
    expect(out.text()).not.toContain("Ollama runs here");
    expect(out.text()).toContain("Set ANTHROPIC_API_KEY");
  });

  it("a model is not suggested without a name, or with characters a shell would read", async () => {
    const url = await serve((response) => sendJson(response, { models: [{ name: "x;rm -rf ~" }] }));
    expect(await advised({}, url)).toContain("Set ANTHROPIC_API_KEY");
  });

  it("a key without a usual model leads to KNACK_MODEL", async () => {
    const env = { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://res.openai.azure.com" };
    expect(await advised(env)).toContain("KNACK_MODEL=azure/DEPLOYMENT");
    expect(await advised({ VLLM_BASE_URL: "http://gpu:8000" })).toContain("KNACK_MODEL=vllm/MODEL");
  });

  it("the start says the same about a key without a usual model", async () => {
    const url = await serve((response) => sendJson(response, { models: [{ name: "qwen3:8b" }] }));
    const localServers = [{ provider: "ollama", url: `${url}/api/tags` }];
    const started = runKnack(["start"], { cwd: folder(), localServers, bot: fakeBot({}) });
    await started.out.shows("KNACK_MODEL=ollama/qwen3:8b npm start");
    started.signal();
    expect(await started.code).toBe(0);
  });

  it("the start names the key a chosen model lacks", async () => {
    const started = runKnack(["start"], { cwd: folder(), env: { KNACK_MODEL: "groq/x" }, bot: fakeBot({}) });
    await started.out.shows("models: groq/x (no key: set GROQ_API_KEY)");
    started.signal();
    await started.code;
  });
});
