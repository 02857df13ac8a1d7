/** Known servers of models, which need only a key or an address. */

/** The defaults of a kind of server. */
export interface ProviderPreset {
  /** The API it speaks, if it is not that of OpenAI. */
  protocol?: "anthropic";
  /** The default address; undefined if every customer has another address. */
  address?: string;
  /** Path of the API, which is added to an address with only a host. */
  path?: string;
  /** Variable that holds the key. */
  keyVariable: string;
  /** Variables that hold the address; the last one that is set wins. */
  addressVariables?: readonly string[];
  /** Self-hosted: needs no key, and may take minutes to load a model. */
  local?: true;
  /** The header of the key, if it is not the usual one of the protocol. */
  keyHeader?: "api-key";
  /** The choice of `auto` when there is a key; undefined if operators choose the names. */
  defaultModel?: string;
  /** The usual model for speech, if `POST /audio/transcriptions` works as OpenAI's does. */
  transcriptionModel?: string;
  /** The usual model for pictures, if `POST /images/generations` works as OpenAI's does. */
  imageModel?: string;
  /** The usual model for vectors, if `POST /embeddings` works as OpenAI's does. */
  embeddingModel?: string;
}

function onThisMachine(name: string, port: number) {
  return {
    address: `http://127.0.0.1:${port}/v1`,
    path: "/v1",
    keyVariable: `${name}_API_KEY`,
    addressVariables: [`${name}_BASE_URL`],
    local: true as const,
  };
}

const byName = {
  anthropic: {
    protocol: "anthropic" as const,
    address: "https://api.anthropic.com",
    keyVariable: "ANTHROPIC_API_KEY",
    addressVariables: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-5-5",
  },
  openai: {
    address: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    addressVariables: ["OPENAI_BASE_URL"],
    defaultModel: "gpt-6.1-terra",
    transcriptionModel: "gpt-transcribe",
    imageModel: "gpt-image-2.5-flare",
    embeddingModel: "text-embedding-3-small",
  },
  // https://openrouter.ai/docs/quickstart
  openrouter: {
    address: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    defaultModel: "anthropic/claude-sonnet-5.5",
    // https://openrouter.ai/docs/api/api-reference/embeddings/create-embeddings
    embeddingModel: "openai/text-embedding-3-small",
  },
  // https://ai.google.dev/gemini-api/docs/openai
  gemini: {
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    defaultModel: "gemini-3.8-flash",
    // https://ai.google.dev/gemini-api/docs/openai#embeddings
    embeddingModel: "gemini-embedding-001",
  },
  // https://docs.mistral.ai/api
  mistral: {
    address: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    defaultModel: "mistral-medium-latest",
    transcriptionModel: "voxtral-mini-transcribe-latest",
    embeddingModel: "mistral-embed",
  },
  // https://docs.x.ai/docs/api-reference
  xai: {
    address: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    defaultModel: "grok-4.7",
    // https://docs.x.ai/docs/guides/image-generations
    imageModel: "grok-imagine-image",
  },
  // https://api-docs.deepseek.com
  deepseek: {
    address: "https://api.deepseek.com",
    keyVariable: "DEEPSEEK_API_KEY",
    defaultModel: "deepseek-flash",
  },
  // https://console.groq.com/docs/openai
  groq: {
    address: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    defaultModel: "openai/gpt-oss-120b",
    // https://console.groq.com/docs/speech-to-text
    transcriptionModel: "whisper-large-v3-turbo",
  },
  // https://docs.together.ai/docs/openai-api-compatibility
  together: {
    address: "https://api.together.ai/v1",
    keyVariable: "TOGETHER_API_KEY",
    defaultModel: "openai/gpt-oss-120b",
    transcriptionModel: "openai/whisper-large-v3",
  },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: models are the operator's deployments.
  azure: {
    path: "/openai/v1",
    keyVariable: "AZURE_OPENAI_API_KEY",
    addressVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"],
    keyHeader: "api-key" as const,
  },
  // https://docs.ollama.com/api/openai-compatibility
  ollama: { ...onThisMachine("OLLAMA", 11_434), addressVariables: ["OLLAMA_HOST", "OLLAMA_BASE_URL"] },
  // https://lmstudio.ai/docs/developer/openai-compat
  lmstudio: onThisMachine("LMSTUDIO", 1_234),
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: onThisMachine("VLLM", 8_000),
  // https://github.com/ggml-org/llama.cpp/tree/master/tools/server
  llamacpp: onThisMachine("LLAMACPP", 8_080),
} satisfies Record<string, ProviderPreset>;

/** A kind of server. */
export type ProviderKind = keyof typeof byName;

/** By kind, in the order in which `auto` looks for keys. */
export const providerPresets: Readonly<Record<ProviderKind, ProviderPreset>> = byName;

export const providerKinds = Object.keys(byName) as [ProviderKind, ...ProviderKind[]];

export function isProviderKind(name: string): name is ProviderKind {
  return Object.hasOwn(byName, name);
}

/** The path of a provider's settings in the configuration. `openai` and `anthropic` have sections of their own. */
export function providerPath(name: string): readonly string[] {
  return name === "openai" || name === "anthropic" ? ["model", name] : ["model", "providers", name];
}
