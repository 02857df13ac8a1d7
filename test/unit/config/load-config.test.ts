import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { networkOf } from "../../../src/config/environment.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { useConfigFiles } from "./config-files.ts";

const { load, problemsOf, folder } = useConfigFiles();

describe("precedence", () => {
  it("a file overrides the defaults, the environment the file, and an option everything", async () => {
    const { config, sources } = await load(
      "name: Robo\nserver: {port: 4000, host: localhost}\ndata: {folder: a}\n",
      {
        env: { KNACK_DATA: "b" },
        options: { "server.port": 5000 },
      },
    );
    expect(config.name).toBe("Robo");
    expect(config.server).toMatchObject({ host: "localhost", port: 5000 });
    expect(config.data.folder).toBe(path.join(folder(), "b"));
    expect(sources).toMatchObject({
      name: "file own.yaml:1:1",
      "server.host": "file own.yaml:2:22",
      "server.port": "option --port",
      "data.folder": "environment KNACK_DATA",
      "log.level": "default",
    });
  });

  it.each([
    [{}, 4000, "file own.yaml:1:10"],
    [{ PORT: "8080" }, 8080, "environment PORT"],
    [{ KNACK_PORT: "9000", PORT: "8080" }, 9000, "environment KNACK_PORT"],
    // Kubernetes, for a service called knack.
    [{ KNACK_PORT: "tcp://10.0.0.1:80" }, 4000, "file own.yaml:1:10"],
  ])("the port is taken from %j", async (env, port, source) => {
    const { config, sources } = await load("server: {port: 4000}\n", { env });
    expect([config.server.port, sources["server.port"]]).toEqual([port, source]);
  });

  it("the file named by KNACK_CONFIG is read unless one is given", async () => {
    await writeFile(path.join(folder(), "named.yaml"), "name: Named\n");
    const env = { KNACK_CONFIG: "named.yaml" };
    expect((await loadConfig({ env, cwd: folder() })).config.name).toBe("Named");
    expect((await load("name: Given\n", { env })).config.name).toBe("Given");
  });

  it("a configuration file adds to maps and replaces lists", async () => {
    const prices = "model: {prices: {openai/mine: {input: 1, output: 2}}}\n";
    const { config } = await load(`${prices}skills: {denied: [x]}\n`);
    expect(config.model.prices).toEqual({ "openai/mine": { input: 1, output: 2 } });
    expect(config.skills.denied).toEqual(["x"]);
  });

  it("the configuration takes prices with those of the cache and of long requests, and refuses invalid prices", async () => {
    const above = { tokens: 100_000, input_factor: 2, output_factor: 1.5 };
    const price = { input: 1, output: 2, cached_input: 0, cache_write: 1.25, above };
    const prices = (value: object) => `model: {prices: {openai/mine: ${JSON.stringify(value)}}}\n`;
    expect((await load(prices(price))).config.model.prices["openai/mine"]).toEqual(price);
    for (const wrong of [
      { cached_input: -1 },
      { cache_write: "free" },
      { above: { tokens: 1 } },
      { cache: 1 },
    ]) {
      expect(await problemsOf(prices({ ...price, ...wrong }))).not.toEqual([]);
    }
  });

  it("the configuration takes facts about models, and refuses unknown facts", async () => {
    const own = { context_tokens: 8192, images: false, cache_minutes: 5, retires: "2026-12-24" };
    const models = (value: object) => `model: {models: {openai/mine: ${JSON.stringify(value)}}}\n`;
    expect((await load("")).config.model.models).toEqual({});
    expect((await load(models(own))).config.model.models).toEqual({ "openai/mine": own });
    for (const wrong of [{ context_tokens: 0 }, { images: "no" }, { retires: "soon" }, { window: 1 }]) {
      const [problem] = await problemsOf(models({ ...own, ...wrong }));
      expect(problem?.key).toContain(`model.models.openai/mine.${Object.keys(wrong)[0]}`);
    }
  });

  it("null, an empty file and an empty variable count as not set", async () => {
    const { config } = await load("server:\nname: null\n", { env: { LOG_LEVEL: "", OPENAI_API_KEY: "" } });
    expect([config.server.port, config.name, config.model.choice]).toEqual([3000, "Knack", "offline"]);
    expect((await load("")).config.name).toBe("Knack");
  });

  it("a configuration file may be in UTF-16, as Windows shells write it", async () => {
    const { name } = (await load(Buffer.from("\ufeffname: Größe\n", "utf16le"))).config;
    expect(name).toBe("Größe");
  });

  it("lists of the environment are split", async () => {
    const env = {
      KNACK_OPERATORS: "U1, U2,",
      KNACK_NET_ALLOW: "10.0.0.0/8",
      KNACK_SKILLS_EXTRA: ["/a", "b"].join(path.delimiter),
      LOG_LEVEL: "DEBUG",
    };
    const { config } = await load("", { env });
    expect(config.operators).toEqual(["U1", "U2"]);
    expect(config.net.allow).toEqual(["10.0.0.0/8"]);
    expect(config.net.open_hosts).toEqual([]);
    expect(config.skills.extra).toEqual(["/a", path.join(folder(), "b")]);
    expect(config.log.level).toBe("debug");
  });
});

describe("the model", () => {
  it.each([
    [{}, "offline", "default"],
    [{ OPENAI_API_KEY: "k" }, "openai/gpt-6.1-terra", "environment OPENAI_API_KEY"],
    [
      { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
      "anthropic/claude-sonnet-5-5",
      "environment ANTHROPIC_API_KEY",
    ],
    [{ OPENAI_API_KEY: "k", KNACK_MODEL: "openai/x/y" }, "openai/x/y", "environment KNACK_MODEL"],
    [{ OPENAI_API_KEY: "k", KNACK_MODEL: "offline" }, "offline", "environment KNACK_MODEL"],
  ])("the model with %o is %s", async (env, choice, source) => {
    const { config, sources } = await load("", { env });
    expect(config.model.choice).toBe(choice);
    expect(sources["model.choice"]).toBe(source);
  });

  it("the model must name a provider", async () => {
    const [problem] = await problemsOf("", { env: { KNACK_MODEL: "gpt-5" } });
    expect(problem).toMatchObject({ where: "environment KNACK_MODEL", key: "model.choice" });
    expect(problem?.message).toContain("openai/MODEL");
  });
});

describe("mistakes", () => {
  it("configuration mistakes are all listed, each with file, line and column", async () => {
    const problems = await problemsOf("name: Robo\nturns:\n  concurrent: many\nserver: {port: 99999}\n");
    expect(problems.map(({ where, key }) => [where, key])).toEqual([
      ["file own.yaml:4:10", "server.port"],
      ["file own.yaml:3:3", "turns.concurrent"],
    ]);
  });

  it.each([
    ["turns: {concurrent: many}", {}, 'has to be a number, and is the text "many"'],
    ["turns: {concurrent: 1.5}", {}, "has to be a whole number"],
    ["turns: {concurrent: 0}", {}, "has to be more than 0"],
    ["operators: U123", {}, "has to be a list: write [U123]"],
    ["server: {port: 99999}", {}, "has to be at most 65535"],
    ["server: 3000", {}, "has to be a section of settings, and is a number"],
    ["log: {level: loud}", {}, /^has to be .*debug.* or .*, and is "loud"$/],
    ["", { KNACK_PORT: "http" }, 'has to be a number, and is the text "http"'],
  ])("configuration mistakes are explained in plain words: %j %j", async (yaml, env, message) => {
    const problems = await problemsOf(yaml, { env });
    expect(problems).toMatchObject([
      { message: typeof message === "string" ? message : expect.stringMatching(message) },
    ]);
  });

  it.each([
    ["servr: {port: 1}", "servr", "server"],
    ["model: {retrys: 1}", "model.retrys", "model.retries"],
    ["port: 1", "port", "server.port"],
    ["server.port: 1", "server.port", "server.port"],
    ["skills: {execution: {memory: 3}}", "skills.execution.memory", "skills.execution.memory_megabytes"],
  ])("the setting that %s was meant for is named", async (yaml, key, meant) => {
    expect(await problemsOf(yaml)).toMatchObject([{ key, hint: `Did you mean ${meant}?` }]);
  });

  it("a misspelt variable is found, and variables of container platforms are left alone", async () => {
    const env = { KNACK_MODLE: "offline", KNACK_SERVICE_HOST: "10.0.0.1", KNACK_PORT: "tcp://10.0.0.1:80" };
    expect(await problemsOf("", { env })).toMatchObject([
      { where: "environment KNACK_MODLE", hint: "Did you mean KNACK_MODEL?" },
    ]);
  });

  it("the variables of OpenTelemetry set the address of traces; the one for traces alone is a whole address", async () => {
    const urlOf = async (env: Record<string, string>) => (await load("", { env })).config.traces.url;
    const general = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
    expect(await urlOf({})).toBeUndefined();
    expect(await urlOf(general)).toBe("http://collector:4318/v1/traces");
    expect(
      await urlOf({ ...general, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.com/in" }),
    ).toBe("https://traces.example.com/in");
    expect(await problemsOf("", { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" } })).toMatchObject([
      { key: "traces.url", message: "expected an address of http or https" },
    ]);
  });

  it("the address of a database must be one of PostgreSQL", async () => {
    expect(await problemsOf("", { env: { DATABASE_URL: "mysql://db/knack" } })).toMatchObject([
      { key: "data.database_url", message: expect.stringContaining("PostgreSQL") },
    ]);
    const { data } = (await load("", { env: { DATABASE_URL: "postgres://db/knack" } })).config;
    expect(data.database_url).toBe("postgres://db/knack");
  });

  it.each([
    ["a: [1\nb: 2\n", /^own\.yaml:\d+:\d+$/],
    ["name: a\nname: b\n", /^own\.yaml:2:1$/],
    ["- a\n", /^own\.yaml$/],
  ])("mistakes in YAML say where: %j", async (yaml, where) => {
    const [problem] = await problemsOf(yaml);
    expect(problem?.where).toMatch(where);
  });

  it("a setting given twice is reported with its line", async () => {
    const yaml =
      "model:\n  providers:\n    home: {kind: ollama}\n    work: {kind: groq}\n    home: {kind: vllm}\n";
    expect(await problemsOf(yaml)).toMatchObject([
      { where: "own.yaml:5:5", message: "this key is set twice" },
    ]);
  });

  it("a missing file is named together with who named it", async () => {
    const [problem] = await problemsOf("", { file: "none.yaml" });
    expect(problem).toMatchObject({ where: "none.yaml", message: "there is no such file" });
  });
});

it.each(["https://docs.example.com/a", "*", "a b", "docs.example.com/a"])(
  "%s is not an open host",
  async (host) => {
    const problems = await problemsOf(
      `net: {open_hosts: ["Docs.example.com", "*.example.org:8443", "${host}"]}`,
    );
    expect(problems).toMatchObject([
      { key: "net.open_hosts.2", message: expect.stringContaining("must be a host") },
    ]);
  },
);

it.each([
  ['skills: {network: {memory: ["not a host"]}}', "skills.network.memory.0"],
  ['skills: {execution: {package_hosts: ["https://cdn.example.com"]}}', "skills.execution.package_hosts.0"],
  ['code: {hosts: ["*", "https://x.example/a"]}', "code.hosts.1"],
  ['net: {allow: ["10.1.0.0/16", "::1", "fd00::/8", "*.corp", "http://wiki"]}', "net.allow.4"],
  ['operators: ["U1", "@bob"]', "operators.1"],
  ['access: {users: ["*", "@bob"]}', "access.users.1"],
  ['access: {channels: ["#general"]}', "access.channels.0"],
  ["search: {engines: [google]}", "search.engines"],
  ["server: {public_url: knack.example}", "server.public_url"],
])("a value that could never match is an error: %s", async (yaml, key) => {
  const problems = await problemsOf(yaml);
  expect(problems).toMatchObject([{ key, message: expect.stringMatching(/must be|expected|has to be/) }]);
});

describe("a setting without effect", () => {
  it.each([
    ["model: {failover: [openai/x]}", {}, "model.failover.0"],
    ["model: {failover: [anthropic/x]}", { OPENAI_API_KEY: "k" }, "model.failover.0"],
    ["model: {failover: [openai/x, openai/x]}", { OPENAI_API_KEY: "k" }, "model.failover.1"],
    ["model: {choice: offline, openai: {api_key: k}}", {}, "model.openai.api_key"],
    ["model: {streaming: false, idle_seconds: 9}", {}, "model.idle_seconds"],
    ["model: {timeout_seconds: 30}", {}, "model.timeout_seconds"],
    ["skills: {allowed: [a, b], denied: [a]}", {}, "skills.allowed.0"],
    ["skills: {allowed: ['*', b]}", {}, "skills.allowed.1"],
    ["skills: {opt_in: [a], auto_discover: false}", {}, "skills.opt_in"],
    ["skills: {denied: [a], env: {a: {KEY: v}}}", {}, "skills.env.a"],
  ])("a setting without effect is an error: %s", async (yaml, env, key) => {
    const [problem, ...more] = await problemsOf(yaml, { env });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ key, where: expect.stringMatching(/^file own\.yaml:1:\d+$/) });
    expect(problem?.message).toContain("has no effect");
  });

  it("a key in the environment for other programs is not an error", async () => {
    const { config } = await load("model: {choice: offline}", { env: { OPENAI_API_KEY: "k" } });
    expect(config.model.choice).toBe("offline");
  });
});

describe("the time zone", () => {
  it("the time zone is one this machine knows", async () => {
    expect((await load("time_zone: Asia/Kolkata\n")).config.time_zone).toBe("Asia/Kolkata");
    expect((await load("name: Robo\n")).config.time_zone).toBeUndefined();
  });

  it.each([
    ["Europe/Amsterdm", "there is no such time zone, did you mean Europe/Amsterdam?"],
    ["Qqqqqqqqqqqqqqqqq", "there is no such time zone"],
    ['""', "there is no such time zone"],
  ])("the time zone cannot be %s", async (zone, message) => {
    expect(await problemsOf(`time_zone: ${zone}\n`)).toMatchObject([{ key: "time_zone", message }]);
  });
});

it("the variables that lead programs into the network are known, and none of them is a token", () => {
  const passed = {
    ...{
      http_proxy: "http://p:1",
      NO_PROXY: "localhost",
      npm_config_registry: "https://r/",
      NPM_CONFIG_CACHE: "/c",
    },
    ...{
      "npm_config_@acme:registry": "https://a/",
      PIP_INDEX_URL: "https://i/",
      UV_DEFAULT_INDEX: "https://u/",
    },
    ...{ NODE_EXTRA_CA_CERTS: "/ca.pem", SSL_CERT_DIR: "/certs" },
  };
  const kept = {
    NPM_CONFIG__AUTH: "x",
    npm_config_local_prefix: "/app",
    NPM_TOKEN: "x",
    PATH: "/bin",
    ALL_PROXY: "",
  };
  expect(networkOf({ ...passed, ...kept })).toEqual(passed);
});
