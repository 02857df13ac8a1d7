import { describe, expect, it } from "vitest";
import { describeConfig } from "../../../src/config/config-keys.ts";
import { providerPresets } from "../../../src/config/provider-presets.ts";
import { NamedModel } from "../../../src/models/named-model.ts";
import { modelSecrets, modelSettings } from "../../../src/wiring/app-settings.ts";
import { useConfigFiles } from "./config-files.ts";

const { load, problemsOf } = useConfigFiles();

async function providers(yaml: string, env: Record<string, string> = {}) {
  return modelSettings((await load(yaml, { env })).config).providers;
}

describe("a provider that is known by name", () => {
  it.each([
    ["openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"],
    ["groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"],
    ["together", "TOGETHER_API_KEY", "https://api.together.ai/v1"],
    ["deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com"],
    ["mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"],
    ["xai", "XAI_API_KEY", "https://api.x.ai/v1"],
    ["gemini", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"],
  ])("a preset provider needs only its key, and is picked with it: %s", async (name, variable, baseUrl) => {
    const { config, sources } = await load("", { env: { [variable]: "k-123456" } });
    expect(config.model.choice).toMatch(new RegExp(`^${name}/.`));
    expect(sources["model.choice"]).toBe(`environment ${variable}`);
    expect(modelSettings(config).providers[name]).toMatchObject({
      ...{ kind: "openai", server: name, apiKey: "k-123456", baseUrl, keyName: variable, needsKey: true },
    });
    expect(modelSecrets(config)).toEqual(["k-123456"]);
  });

  it("a preset provider has a usual model with a known price that does not end", async () => {
    const { config } = await load("");
    for (const [name, { defaultModel }] of Object.entries(providerPresets)) {
      if (defaultModel === undefined) continue;
      const id = `${name}/${defaultModel}`;
      const { facts } = new NamedModel(id, { providers: modelSettings(config).providers });
      expect(facts.price, id).toBeDefined();
      expect(facts.retires, id).toBeUndefined();
    }
  });

  it("a preset provider is picked after Anthropic and OpenAI", async () => {
    const keys = { GROQ_API_KEY: "k", OPENROUTER_API_KEY: "k", OPENAI_API_KEY: "k" };
    expect((await load("", { env: keys })).config.model.choice).toBe("openai/gpt-6.1-terra");
    const { OPENAI_API_KEY: _, ...others } = keys;
    const { config } = await load("", { env: others });
    expect(config.model.choice).toBe("openrouter/anthropic/claude-sonnet-5.5");
  });

  it.each([
    ["ollama", "http://127.0.0.1:11434/v1"],
    ["lmstudio", "http://127.0.0.1:1234/v1"],
    ["vllm", "http://127.0.0.1:8000/v1"],
    ["llamacpp", "http://127.0.0.1:8080/v1"],
  ])("a local preset provider needs only a model, and is never picked: %s", async (name, baseUrl) => {
    const { config } = await load("", { env: { KNACK_MODEL: `${name}/qwen3:8b` } });
    expect(config.model.choice).toBe(`${name}/qwen3:8b`);
    expect(modelSettings(config).providers[name]).toMatchObject({
      ...{ server: name, baseUrl, needsKey: false, firstAnswerMs: 600_000 },
    });
    const variable = `${name.toUpperCase()}_BASE_URL`;
    const there = await load("", { env: { [variable]: "http://gpu-box:9000/" } });
    expect(there.config.model.choice).toBe("offline");
    expect(modelSettings(there.config).providers[name]?.baseUrl).toBe("http://gpu-box:9000/v1");
  });

  it.each([
    ["AZURE_OPENAI_ENDPOINT", "https://res.openai.azure.com", "https://res.openai.azure.com/openai/v1"],
    [
      "AZURE_OPENAI_ENDPOINT",
      "https://res.openai.azure.com/openai/",
      "https://res.openai.azure.com/openai/v1",
    ],
    [
      "AZURE_OPENAI_BASE_URL",
      "https://res.openai.azure.com/openai/v1/",
      "https://res.openai.azure.com/openai/v1/",
    ],
    ["AZURE_OPENAI_BASE_URL", "https://gw.example.com/team/llm", "https://gw.example.com/team/llm"],
  ])("a provider is Azure with %s=%s", async (variable, address, baseUrl) => {
    const env = { AZURE_OPENAI_API_KEY: "k", [variable]: address, KNACK_MODEL: "azure/my-deployment" };
    expect((await providers("", env)).azure).toMatchObject({ baseUrl, keyHeader: "api-key", needsKey: true });
    const { KNACK_MODEL: _, ...keys } = env;
    expect((await load("", { env: keys })).config.model.choice).toBe("offline");
  });

  it.each([
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:8888", "http://127.0.0.1:8888/v1"],
    [":7777", "http://127.0.0.1:7777/v1"],
    ["gpu-box", "http://gpu-box:11434/v1"],
    ["https://ollama.example.com", "https://ollama.example.com/v1"],
    ["[::]:99", "http://127.0.0.1:99/v1"],
    ["not an address", "http://127.0.0.1:11434/v1"],
  ])("a provider is Ollama where its own variable says: %s", async (host, baseUrl) => {
    expect((await providers("", { OLLAMA_HOST: host })).ollama?.baseUrl).toBe(baseUrl);
    const env = { OLLAMA_HOST: host, OLLAMA_BASE_URL: "http://a:1/v1" };
    expect((await providers("", env)).ollama?.baseUrl).toBe("http://a:1/v1");
    const written = "model: {choice: ollama/x, providers: {ollama: {base_url: http://b:2/v1}}}";
    expect((await providers(written, { OLLAMA_HOST: host })).ollama?.baseUrl).toBe("http://b:2/v1");
  });
});

describe("providers of the configuration", () => {
  const two = `
model:
  choice: home/qwen3:8b
  failover: [attic/qwen3:8b, gateway/gpt-x]
  first_answer_seconds: 90
  prices: {home/qwen3:8b: {input: 0, output: 0}}
  providers:
    home: {kind: ollama}
    attic: {kind: ollama, base_url: "http://10.0.0.5:11434", first_answer_seconds: 300, idle_seconds: 20}
    gateway:
      base_url: https://llm.example.com/v1
      headers: {X-Team: s3cret-team}
      query: {api-version: preview, code: s3cret-code}
      api: chat
      max_tokens_field: none
      api_key: sk-s3cret
`;

  it("configured providers are as many as there are names, even of one kind", async () => {
    expect(await providers(two)).toMatchObject({
      home: { kind: "openai", server: "ollama", baseUrl: "http://127.0.0.1:11434/v1", firstAnswerMs: 90_000 },
      attic: { baseUrl: "http://10.0.0.5:11434/v1", firstAnswerMs: 300_000, idleTimeoutMs: 20_000 },
      gateway: {
        ...{ kind: "openai", server: undefined, baseUrl: "https://llm.example.com/v1", api: "chat" },
        ...{ headers: { "X-Team": "s3cret-team" }, query: { "api-version": "preview", code: "s3cret-code" } },
        ...{ maxTokensField: "none", keyName: "model.providers.gateway.api_key", needsKey: false },
      },
    });
  });

  it("configured providers are listed one by one with their sources, without their secrets [secret-2]", async () => {
    const { config, sources } = await load(two, { env: { GROQ_API_KEY: "gsk-s3cret" } });
    const listing = describeConfig(config, sources);
    const line = (key: string) => listing.find((each) => each.key === `model.providers.${key}`);
    expect(line("gateway.headers")).toMatchObject({ value: { "X-Team": "••••••" } });
    expect(line("gateway.query")).toMatchObject({ value: { "api-version": "••••••", code: "••••••" } });
    expect(line("gateway.base_url")?.source).toBe("file own.yaml:11:7");
    expect(line("groq.api_key")).toMatchObject({ value: "••••••", source: "environment GROQ_API_KEY" });
    expect(line("attic.idle_seconds")?.meaning).toContain("silence");
    expect(JSON.stringify(listing)).not.toContain("s3cret");
    const secrets = ["gsk-s3cret", "s3cret-code", "s3cret-team", "sk-s3cret"];
    expect(modelSecrets(config).sort()).toEqual(secrets);
  });

  it("a configured provider can be the small model and be named to people", async () => {
    const env = { KNACK_MODEL: "ollama/big", KNACK_MODEL_SMALL: "ollama/small" };
    const { config } = await load("model: {allowed: ['ollama/*', openai/gpt-6-luna]}", { env });
    expect(modelSettings(config)).toMatchObject({
      small: "ollama/small",
      allowed: ["ollama/*", "openai/gpt-6-luna"],
    });
    expect(modelSettings((await load("")).config)).toMatchObject({ small: "auto", allowed: ["*"] });
  });
});

describe("a mistake in a provider", () => {
  const used = (section: string) => `model: {choice: home/x, providers: {home: ${section}}}`;

  it.each([
    ["{Groq: {}}", "model.providers.Groq", "write groq"],
    ["{openai: {}}", "model.providers.openai", "write model.openai"],
    ["{offline: {}}", "model.providers.offline", "meaning of its own"],
    ["{home: {kind: olama}}", "model.providers.home.kind", "did you mean ollama?"],
    ["{home: {url: 'http://x'}}", "model.providers.home.url", "no such setting"],
    ["{az: {kind: azure}}", "model.providers.az", "https://RESOURCE.openai.azure.com"],
    [
      "{home: {base_url: 'localhost:11434/v1'}}",
      "model.providers.home.base_url",
      "write http://localhost:11434/v1",
    ],
    ["{home: {base_url: '10.0.0.5:1234'}}", "model.providers.home.base_url", "write http://10.0.0.5:1234"],
    ["{home: {base_url: api.x.ai/v1}}", "model.providers.home.base_url", "write https://api.x.ai/v1"],
    ["{home: {base_url: 'ftp://x/v1'}}", "model.providers.home.base_url", "http or https"],
    ["{home: {base_url: 'https://x/v1?a=b'}}", "model.providers.home.base_url", "query"],
    ["{home: {base_url: 'https://me:secret@x/v1'}}", "model.providers.home.base_url", "no name and password"],
    [
      "{home: {base_url: 'https://x/v1/chat/completions'}}",
      "model.providers.home.base_url",
      "write https://x/v1",
    ],
    ["{home: {base_url: 'https://x/v1/responses/'}}", "model.providers.home.base_url", "write https://x/v1"],
    ["{home: {base_url: 'https://x/v1/messages'}}", "model.providers.home.base_url", "write https://x"],
    [`{home: {api_key: '"sk-a"'}}`, "model.providers.home.api_key", "no quotation marks"],
    ["{home: {api_key: \"'sk-a'\"}}", "model.providers.home.api_key", "no quotation marks"],
    ['{home: {api_key: "sk-a\\nsk-b"}}', "model.providers.home.api_key", "no spaces, line breaks"],
    ["{home: {headers: {'x y': a}}}", "model.providers.home.headers.x y", "HTTP knows no header"],
    ["{home: {headers: {Host: a}}}", "model.providers.home.headers.Host", "belongs to the connection"],
    ['{home: {headers: {x-a: "a\\nb"}}}', "model.providers.home.headers.x-a", "one line"],
    ["{home: {headers: {x-a: 1st, X-A: 2nd}}}", "model.providers.home.headers.X-A", "set twice"],
    [
      "{home: {api_key: k, headers: {Authorization: t}}}",
      "model.providers.home.headers.Authorization",
      "api_key",
    ],
    [
      "{az: {kind: azure, base_url: 'https://a', api_key: k, headers: {api-key: t}}}",
      "model.providers.az.headers.api-key",
      "api_key",
    ],
  ])("a mistake in a provider is reported with its place: %s", async (yaml, key, message) => {
    const problems = await problemsOf(`model: {providers: ${yaml}}`);
    expect(problems).toMatchObject([{ key, where: expect.stringMatching(/^file own\.yaml:1:\d+$/) }]);
    expect(problems[0]?.message).toContain(message);
    expect(JSON.stringify(problems)).not.toContain("sk-a");
  });

  it("a mistake in a provider's key shows the variable, and surroundings of a key are dropped", async () => {
    expect(await problemsOf("", { env: { GROQ_API_KEY: "gsk a" } })).toMatchObject([
      { where: "environment GROQ_API_KEY", key: "model.providers.groq.api_key" },
    ]);
    expect(await problemsOf("", { env: { OLLAMA_BASE_URL: "localhost:11434" } })).toMatchObject([
      {
        where: "environment OLLAMA_BASE_URL",
        message: expect.stringContaining("http://localhost:11434"),
        hint: expect.stringContaining("Address of its API"),
      },
    ]);
    const { home } = await providers(used('{api_key: " sk-1 \\n"}').replace(/\\\\n/, ""));
    expect(home?.apiKey).toBe("sk-1");
  });

  it.each([
    ["model: {choice: grok/x}", "model.choice", "did you mean groq/x?"],
    ["model: {choice: OpenAI/gpt-x}", "model.choice", "did you mean openai/gpt-x?"],
    ["model: {choice: nothing-like-it/x}", "model.choice", "known are anthropic, openai"],
    ["model: {choice: azure/x}", "model.choice", "no address for azure: set AZURE_OPENAI_ENDPOINT"],
    ["model: {failover: [olama/x]}", "model.failover.0", "did you mean ollama/x?"],
    ["model: {small: mistal/x}", "model.small", "did you mean mistral/x?"],
    ["model: {allowed: ['*/x']}", "model.allowed.0", "expected PROVIDER/MODEL, PROVIDER/* or *"],
    ["model: {allowed: [antropic/*]}", "model.allowed.0", "did you mean anthropic/*?"],
    ["model: {prices: {opnai/x: {input: 1, output: 1}}}", "model.prices.opnai/x", "did you mean openai/x?"],
  ])("a mistake in a model's name is reported with the nearest name: %s", async (yaml, key, message) => {
    const problems = await problemsOf(yaml);
    expect(problems).toMatchObject([{ key }]);
    expect(problems[0]?.message).toContain(message);
  });

  it("a failover without effect says what to set", async () => {
    expect(await problemsOf("model: {choice: ollama/x, failover: [groq/x]}")).toMatchObject([
      {
        key: "model.failover.0",
        message: "has no effect: there is no key for groq",
        hint: "Set GROQ_API_KEY",
      },
    ]);
  });

  it("a useless provider is an error, unless people may choose its models", async () => {
    const unused = "providers: {home: {kind: ollama}}, choice: openai/x";
    expect((await load(`model: {${unused}}`)).config.model.choice).toBe("openai/x");
    expect(await problemsOf(`model: {${unused}, allowed: ['openai/*']}`)).toMatchObject([
      { key: "model.providers.home.kind", message: expect.stringContaining("has no effect") },
    ]);
  });
});

describe("the model that writes down voice messages", () => {
  const chosen = async (yaml: string, env: Record<string, string> = {}) =>
    (await load(yaml, { env })).config.model.transcription;

  it.each([
    ["openai's with its key", { OPENAI_API_KEY: "k" }, "", "openai/gpt-transcribe"],
    ["mistral's", { MISTRAL_API_KEY: "k" }, "", "mistral/voxtral-mini-transcribe-latest"],
    [
      "that of the provider that answers before another one's",
      { OPENAI_API_KEY: "k", GROQ_API_KEY: "k" },
      "model: { choice: groq/m }",
      "groq/whisper-large-v3-turbo",
    ],
    [
      "that of one that takes over",
      { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GROQ_API_KEY: "k" },
      "model: { failover: [groq/m] }",
      "groq/whisper-large-v3-turbo",
    ],
    [
      "another one's beside Anthropic",
      { ANTHROPIC_API_KEY: "k", GROQ_API_KEY: "k" },
      "",
      "groq/whisper-large-v3-turbo",
    ],
    ["none with Anthropic alone", { ANTHROPIC_API_KEY: "k" }, "", "off"],
    [
      "none for a bot that is meant to be offline",
      { OPENAI_API_KEY: "k" },
      "model: { choice: offline }",
      "off",
    ],
    [
      "none at an address of one's own",
      { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" },
      "",
      "off",
    ],
    ["none when it is off", { OPENAI_API_KEY: "k" }, "model: { transcription: off }", "off"],
    ["the one that is set", { KNACK_MODEL_TRANSCRIPTION: "vllm/whisper" }, "", "vllm/whisper"],
  ])("the transcription model is %s", async (_, env, yaml, expected) => {
    expect(await chosen(yaml, env)).toBe(expected);
  });

  it.each([
    ["whisper-1", /expected openai\/MODEL/],
    ["groqq/whisper", /there is no provider groqq, did you mean groq/],
    ["azure/whisper", /there is no address for azure: set AZURE_OPENAI_ENDPOINT/],
    ["anthropic/claude", /anthropic transcribes no speech: name a model of openai, groq, mistral/],
  ])("the transcription model cannot be %s", async (name, problem) => {
    const problems = await problemsOf(`model: { transcription: ${name} }`);
    expect(problems.map(({ key, message }) => `${key} ${message}`).join("\n")).toMatch(problem);
  });

  it("the transcription model gives an effect to the key of its provider only", async () => {
    const yaml =
      "model: { choice: offline, transcription: groq/whisper-large-v3, providers: { groq: { api_key: k } } }";
    expect(await chosen(yaml)).toBe("groq/whisper-large-v3");
  });
});

describe("the model that makes vectors", () => {
  it.each([
    ["openai's with its key", { OPENAI_API_KEY: "k" }, "", "openai/text-embedding-3-small"],
    [
      "gemini's beside Anthropic",
      { ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k" },
      "",
      "gemini/gemini-embedding-001",
    ],
    ["openrouter's", { OPENROUTER_API_KEY: "k" }, "", "openrouter/openai/text-embedding-3-small"],
    ["none with Anthropic alone", { ANTHROPIC_API_KEY: "k" }, "", "off"],
    ["none when it is off", { OPENAI_API_KEY: "k" }, "model: { embeddings: off }", "off"],
    [
      "the one that is set",
      { KNACK_MODEL_EMBEDDINGS: "ollama/nomic-embed-text" },
      "",
      "ollama/nomic-embed-text",
    ],
  ])("the embedding model is %s", async (_, env, yaml, expected) => {
    expect((await load(yaml, { env })).config.model.embeddings).toBe(expected);
  });

  it("the embedding model cannot be one of another protocol", async () => {
    const problems = await problemsOf("model: { embeddings: anthropic/claude }");
    expect(problems.map(({ message }) => message).join()).toContain(
      "anthropic makes no vectors of texts: name",
    );
  });
});

describe("the model that makes pictures", () => {
  it.each([
    ["openai's with its key", { OPENAI_API_KEY: "k" }, "", /^openai\/gpt-image/],
    ["xai's with its key alone", { XAI_API_KEY: "k" }, "", /^xai\/grok-imagine/],
    [
      "xai's where it answers",
      { OPENAI_API_KEY: "k", XAI_API_KEY: "k" },
      "model: { choice: xai/m }",
      /^xai\//,
    ],
    ["none with Anthropic alone", { ANTHROPIC_API_KEY: "k" }, "", /^off$/],
    ["none when it is off", { OPENAI_API_KEY: "k" }, "model: { images: off }", /^off$/],
    ["the one that is set", { KNACK_MODEL_IMAGES: "vllm/flux" }, "", /^vllm\/flux$/],
  ])("the image model is %s", async (_, env, yaml, expected) => {
    expect((await load(yaml, { env: env as Record<string, string> })).config.model.images).toMatch(expected);
  });

  it.each([
    ["gpt-image", /expected openai\/MODEL/],
    ["anthropic/claude", /anthropic makes no pictures: name a model of openai, xai/],
  ])("the image model cannot be %s", async (name, problem) => {
    const problems = await problemsOf(`model: { images: ${name} }`);
    expect(problems.map(({ key, message }) => `${key} ${message}`).join("\n")).toMatch(problem);
  });
});
