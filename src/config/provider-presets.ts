/** Known servers of models, which need only a key or an address. */

/** The API a server speaks. */
type Protocol = "openai" | "anthropic";

/** The defaults of a kind of server. */
export interface ProviderPreset {
  /** For people. */
  label: string;
  protocol: Protocol;
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

const byName = {
  anthropic: {
    label: "Anthropic",
    protocol: "anthropic",
    address: "https://api.anthropic.com",
    keyVariable: "ANTHROPIC_API_KEY",
    addressVariables: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-5-5",
  },
  openai: {
    label: "OpenAI",
    protocol: "openai",
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
    label: "OpenRouter",
    protocol: "openai",
    address: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    defaultModel: "anthropic/claude-sonnet-5.5",
    // https://openrouter.ai/docs/api/api-reference/embeddings/create-embeddings
    embeddingModel: "openai/text-embedding-3-small",
  },
  // https://ai.google.dev/gemini-api/docs/openai
  gemini: {
    label: "Gemini",
    protocol: "openai",
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    defaultModel: "gemini-3.8-flash",
    // https://ai.google.dev/gemini-api/docs/openai#embeddings
    embeddingModel: "gemini-embedding-001",
  },
  // https://docs.mistral.ai/api
  mistral: {
    label: "Mistral",
    protocol: "openai",
    address: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    defaultModel: "mistral-medium-latest",
    transcriptionModel: "voxtral-mini-transcribe-latest",
    embeddingModel: "mistral-embed",
  },
  // https://docs.x.ai/docs/api-reference
  xai: {
    label: "xAI",
    protocol: "openai",
    address: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    defaultModel: "grok-4.7",
    // https://docs.x.ai/docs/guides/image-generations
    imageModel: "grok-imagine-image",
  },
  // https://api-docs.deepseek.com
  deepseek: {
    label: "DeepSeek",
    protocol: "openai",
    address: "https://api.deepseek.com",
    keyVariable: "DEEPSEEK_API_KEY",
    defaultModel: "deepseek-flash",
  },
  // https://console.groq.com/docs/openai
  groq: {
    label: "Groq",
    protocol: "openai",
    address: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    defaultModel: "openai/gpt-oss-120b",
    // https://console.groq.com/docs/speech-to-text
    transcriptionModel: "whisper-large-v3-turbo",
  },
  // https://docs.together.ai/docs/openai-api-compatibility
  together: {
    label: "Together",
    protocol: "openai",
    address: "https://api.together.ai/v1",
    keyVariable: "TOGETHER_API_KEY",
    defaultModel: "openai/gpt-oss-120b",
    transcriptionModel: "openai/whisper-large-v3",
  },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: models are the operator's deployments.
  azure: {
    label: "Azure OpenAI",
    protocol: "openai",
    path: "/openai/v1",
    keyVariable: "AZURE_OPENAI_API_KEY",
    addressVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"],
    keyHeader: "api-key",
  },
  // https://docs.ollama.com/api/openai-compatibility
  ollama: {
    label: "Ollama",
    protocol: "openai",
    address: "http://127.0.0.1:11434/v1",
    path: "/v1",
    keyVariable: "OLLAMA_API_KEY",
    addressVariables: ["OLLAMA_HOST", "OLLAMA_BASE_URL"],
    local: true,
  },
  // https://lmstudio.ai/docs/developer/openai-compat
  lmstudio: {
    label: "LM Studio",
    protocol: "openai",
    address: "http://127.0.0.1:1234/v1",
    path: "/v1",
    keyVariable: "LMSTUDIO_API_KEY",
    addressVariables: ["LMSTUDIO_BASE_URL"],
    local: true,
  },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: {
    label: "vLLM",
    protocol: "openai",
    address: "http://127.0.0.1:8000/v1",
    path: "/v1",
    keyVariable: "VLLM_API_KEY",
    addressVariables: ["VLLM_BASE_URL"],
    local: true,
  },
  // https://github.com/ggml-org/llama.cpp/tree/master/tools/server
  llamacpp: {
    label: "llama.cpp",
    protocol: "openai",
    address: "http://127.0.0.1:8080/v1",
    path: "/v1",
    keyVariable: "LLAMACPP_API_KEY",
    addressVariables: ["LLAMACPP_BASE_URL"],
    local: true,
  },
} as const satisfies Record<string, ProviderPreset>;

/** A kind of server. */
export type ProviderKind = keyof typeof byName;

/** By kind, in the order in which `auto` looks for keys. */
export const providerPresets: Readonly<Record<ProviderKind, ProviderPreset>> = byName;

export const providerKinds = Object.keys(byName) as [ProviderKind, ...ProviderKind[]];

export function isProviderKind(name: string): name is ProviderKind {
  return Object.hasOwn(byName, name);
}

/** Providers with a section of their own in the configuration, `model.NAME`. */
const builtInProviders = ["openai", "anthropic"] as const;

/** The path of a provider's settings in the configuration. */
export function providerPath(name: string): readonly string[] {
  return builtInProviders.some((builtIn) => builtIn === name)
    ? ["model", name]
    : ["model", "providers", name];
}
