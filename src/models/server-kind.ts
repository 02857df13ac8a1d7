/**
 * The kind of a server: `anthropic`, `openai`, `azure`, `groq`, … Kinds that this folder does not mention are called in the usual way of
 * their protocol, so a preset needs no code here. All kinds except Anthropic's speak OpenAI's protocol.
 */
export type ServerKind = string;

const local: ReadonlySet<ServerKind | undefined> = new Set(["ollama", "lmstudio", "vllm", "llamacpp"]);

/** Whether people run such servers themselves. */
export function isLocal(server: ServerKind | undefined): boolean {
  return local.has(server);
}

const hosts: readonly (readonly [RegExp, ServerKind])[] = [
  [/(?:^|\.)api\.anthropic\.com$/, "anthropic"],
  [/(?:^|\.)api\.openai\.com$/, "openai"],
  [/\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.com$/, "azure"],
  [/^openrouter\.ai$/, "openrouter"],
  [/^api\.groq\.com$/, "groq"],
  [/^api\.together\.(?:xyz|ai)$/, "together"],
  [/^api\.deepseek\.com$/, "deepseek"],
  [/^api\.mistral\.ai$/, "mistral"],
  [/(?:^|\.)api\.x\.ai$/, "xai"],
  [/^generativelanguage\.googleapis\.com$/, "gemini"],
];

/**
 * The kind of a server, by its address or else the operator's setting. At other addresses `openai` and `anthropic` name a protocol that
 * many servers speak, so the kind is undefined.
 * @param host as in a URL, with an optional port
 */
export function serverKindOf(host: string, configured: ServerKind | undefined): ServerKind | undefined {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const known = hosts.find(([pattern]) => pattern.test(name))?.[1];
  return known ?? (configured === "openai" || configured === "anthropic" ? undefined : configured);
}
