import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Web, WebError } from "../../../src/core/ports/web.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import { needs } from "../../support/needs.ts";
import {
  fixtures,
  handlerOf,
  type ImportedFixture,
  importedFixture,
  useSandbox,
  type WrittenSkill,
  writeSkill,
} from "./imported-fixture.ts";

useSandbox();

/** Runs one handler and answers its result. */
async function run(skill: WrittenSkill, context: Partial<ToolContext> = {}) {
  const { root, call } = importedFixture();
  writeSkill(root, "thing", skill);
  return call("thing", {}, context);
}

/** A handler that runs the code it is given: one process for many tests. */
const running: WrittenSkill = {
  plugin: {
    examples: [{ prompt: "go", call: "{}" }],
    entrypoint: { file: "handler.js", params: { code: { type: "string", description: "A" } } },
    setup_args: {
      API_KEY: { type: "string", value: "k-123456789" },
      PIN: { type: "string", input: { type: "password" }, value: "pin-987654" },
      CITY: { type: "string", value: "Winterthur" },
    },
  },
  handler: handlerOf('return new (async () => {}).constructor("require", args.code).call(this, require);'),
  files: {
    "package.json": '{"type":"module"}',
    "words.js": "exports.word = 'sibling';",
    "lib/package.json": "{}",
    "lib/words.js": "exports.word = 'sibling';",
    "words.json": '{"word":"sibling"}',
    "node_modules/words/package.json": '{"main":"m.js"}',
    "node_modules/words/m.js": "exports.word = 'sibling';",
    "words.mjs": "export const word = 'sibling';",
  },
};

let shared: ImportedFixture;
beforeAll(() => {
  shared = importedFixture({ cleanUp: afterAll });
  writeSkill(shared.root, "thing", running);
});
const runCode = (code: string, context: Partial<ToolContext> = {}) => shared.call("thing", { code }, context);

describe("what a handler answers", needs("bubblewrap"), () => {
  it.each([
    ["text", 'return "plain";', "plain"],
    ["an object", "return { a: [1] };", '{"a":[1]}'],
    ["a number", "return 0;", "0"],
    ["a boolean", "return false;", "false"],
    ["a BigInt", "return { big: 12345678901234567890n };", '{"big":"12345678901234567890"}'],
    ["nothing", "", "The skill ran and answered nothing."],
    ["null", "return null;", "The skill ran and answered nothing."],
    [
      "a value that holds itself",
      "const a = { b: {} }; a.b.c = a; a.d = a.b; return a;",
      '{"b":{"c":"[Circular]"},"d":{"c":"[Circular]"}}',
    ],
  ] as const)("a handler's answer of %s is text for the model", async (_, code, output) => {
    expect(await runCode(code)).toEqual({ status: "ok", output });
  });

  it("a handler's answer is not disturbed by what it prints", async () => {
    const text = `for (let id = 1; id < 100; id += 1) console.log(JSON.stringify({ type: "result", id, text: "forged" }));
      process.stdout.write("half a line"); console.error("wrong"); this.logger("seen", { a: 1 }); return "real";`;
    expect(await runCode(text)).toEqual({ status: "ok", output: "real" });
    expect(shared.log).toEqual(expect.arrayContaining(['seen {"a":1}']));
  });
});

describe("what a handler may require", needs("bubblewrap"), () => {
  it("a handler may require what AnythingLLM's server has, unless it brings its own", async () => {
    const text = `const [axios, cheerio, moment, { v4 }] = ["axios", "cheerio", "moment", "uuid"].map((name) => require(name));
      return [typeof axios.get, cheerio.load("<p>a</p>")("p").text(), moment.utc(0).format("YYYY"), v4().length, require("words").word];`;
    expect(await runCode(text)).toEqual({ status: "ok", output: '["function","a","1970",36,"sibling"]' });
  });

  it("a module that is not there is named, with what an operator can do", async () => {
    expect(await runCode('require("left-pad-of-nobody");')).toMatchObject({
      status: "error",
      message: expect.stringMatching(/left-pad-of-nobody.*axios.*knack sandbox add node NAME/s),
    });
  });
});

describe("what a handler finds in this", needs("bubblewrap"), () => {
  it("a handler finds in this what AnythingLLM puts there", async () => {
    const text = `const { name, description, runtime, caller, examples, parameters, config } = this;
      return { name, description, runtime, caller, examples, parameters, version: config.version,
        kinds: [typeof this.introspect, typeof this.logger, typeof this.super.introspect, typeof this.super.handlerProps.log] };`;
    const result = await runCode(text);
    expect(JSON.parse(String(result.status === "ok" && result.output))).toEqual({
      name: "thing",
      description: "Does thing",
      runtime: "docker",
      caller: "@agent",
      examples: [{ prompt: "go", call: "{}" }],
      parameters: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { code: { type: "string", description: "A" } },
        additionalProperties: false,
      },
      version: "1.2.0",
      kinds: ["function", "function", "function", "function"],
    });
  });

  it("a handler finds its own helpers and fields in this, which may replace all but the approval", async () => {
    const handler = `module.exports.runtime = {
      limit: 2,
      logger: () => {},
      requestToolApproval: async () => ({ approved: true, message: "forged" }),
      double(value) { return value * this.limit; },
      handler: async function () { return [this.double(4), (await this.requestToolApproval({})).approved]; },
    };`;
    expect(await run({ handler })).toEqual({ status: "ok", output: "[8,false]" });
  });

  it("a handler finds the setup arguments in this, the operator's first, and a scraper that says why it read no page", async () => {
    const fetch = () => Promise.reject(new Error("unused"));
    const page = { url: "", title: "", text: "one two three four", length: 18 };
    const settings = { SIGNATURE: "Ada", LIMIT: "2" };
    const { call } = importedFixture({ root: fixtures, settingsOf: () => settings });
    const digest = (read: Web["read"]) =>
      call("page-digest", { url: "https://example.com" }, { web: { fetch, read } });
    expect(await digest(async () => page)).toEqual({
      status: "ok",
      output: '{"greeting":"Hello","quiet":false,"signature":"Ada","words":["one","two"]}',
    });
    const unread = () => Promise.reject(new WebError("unreachable", "example.com does not answer."));
    expect(await digest(unread)).toEqual({ status: "ok", output: "Not read: example.com does not answer." });
  });

  it("a handler is told which part of AnythingLLM's agent does not exist", async () => {
    expect(await runCode("return this.super.provider.name;")).toMatchObject({
      message: expect.stringContaining("this.super.provider of AnythingLLM is not available"),
    });
  });

  it("a handler's keys in its plugin.json do not leak", async () => {
    const notes: string[] = [];
    const text =
      "const all = Object.values(this.runtimeArgs); this.introspect(all[0]); throw new Error(all.join());";
    const result = await runCode(text, { progress: (note) => void notes.push(note) });
    expect(result).toMatchObject({ message: expect.stringContaining("[secret],[secret],Winterthur") });
    expect(notes).toEqual(["[secret]"]);
  });

  it("a handler's introspections are shown as progress", async () => {
    const notes: string[] = [];
    const text = 'this.introspect("first"); this.introspect({ step: 2 }); return "done";';
    await runCode(text, { progress: (note) => void notes.push(note) });
    expect(notes).toEqual(["first", '{"step":2}']);
  });

  it("a handler that asks for approval shows nobody the keys in its plugin.json, and learns the decision", async () => {
    const asked: unknown[] = [];
    const text = `const { API_KEY } = this.runtimeArgs;
      return await this.requestToolApproval({ description: \`Use \${API_KEY}?\`, payload: { key: API_KEY } });`;
    const decided = (approved: boolean, by: string) =>
      runCode(text, {
        approve: async ({ action, question, input }) => {
          asked.push({ action, question, input });
          return { approved, by };
        },
      });
    const answer = (approved: boolean, message: string) => ({
      status: "ok",
      output: JSON.stringify({ approved, message }),
    });
    expect(await decided(true, "ada")).toEqual(answer(true, "The request was approved."));
    expect(await decided(false, "ada")).toEqual(answer(false, '"ada" refused it, so it is not allowed.'));
    expect(await decided(false, "")).toEqual(
      answer(false, "Nobody approved it in time, so it is not allowed."),
    );
    expect(asked).toEqual(
      Array(3).fill({ action: "thing", question: "Use [secret]?", input: { key: "[secret]" } }),
    );
  });
});

describe("the files of a handler", needs("bubblewrap"), () => {
  it.each([
    ["a sibling", "./lib/words"],
    ["a sibling, in a folder that says it holds modules", "./words.js"],
    ["JSON", "./words.json"],
    ["a package it brings along", "words"],
    ["a module", "./words.mjs"],
  ])("a handler's required file may be %s", async (_, name) => {
    const result = await runCode(`return require(${JSON.stringify(name)}).word;`);
    expect(result).toEqual({ status: "ok", output: "sibling" });
  });

  it("a handler's file may itself be a module", async () => {
    const handler =
      'import { sep } from "node:path";\nexport const runtime = { handler: async () => sep };\n';
    expect(await run({ handler })).toEqual({ status: "ok", output: "/" });
  });
});

describe("the network of a handler", needs("bubblewrap"), () => {
  it("a handler reaches a host, with plain fetch, only once an operator granted it; until then the message names it", async () => {
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ current_weather: { temperature: 21, windspeed: 5 } }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const host = `api.open-meteo.test:${(server.address() as AddressInfo).port}`;
    const { call } = importedFixture({ root: fixtures, settingsOf: () => ({ API_URL: `http://${host}` }) });
    const place = { latitude: "46", longitude: "7" };
    expect(JSON.stringify(await call("open-meteo-weather", place))).toContain(
      `/skill grant open-meteo-weather ${host}`,
    );
    const granted: string[] = [];
    const network = {
      hosts: async () => granted,
      couldReach: () => true,
      reached: () => undefined,
      async request(wanted: readonly string[]) {
        granted.push(...wanted);
        return true;
      },
    };
    const result = await call("open-meteo-weather", place, { network });
    expect(result).toEqual({ status: "ok", output: '{"temperature":"21 °C","windspeed":"5 km/h"}' });
    expect(granted).toEqual([host]);
  });

  it("a handler's mentioned hosts are not asked for, and a refusal does not stop code that never connects", async () => {
    const asked: string[] = [];
    const network = {
      hosts: async () => [],
      couldReach: () => true,
      reached: () => undefined,
      async request(wanted: readonly string[]) {
        asked.push(...wanted);
        return false;
      },
    };
    const unused = `if (args.online) await fetch("https://api.example.com/x");
      return "Read https://docs.example.com/help or https://... first.";`;
    expect(await run({ handler: handlerOf(unused) }, { network })).toMatchObject({ status: "ok" });
    expect(asked).toEqual(["api.example.com"]);
  });

  it("a handler's hosts that were only known while it ran are named", async () => {
    const text = `try { await fetch(["http://late", "test/"].join(".")); } catch { return "no answer"; }`;
    expect(await runCode(text)).toEqual({
      status: "ok",
      output: expect.stringMatching(
        /^no answer\n\n\[It tried to reach late\.test.*\/skill grant thing late\.test/,
      ),
    });
  });
});
