/**
 * What a server is: `anthropic`, `openai`, `azure`, `groq`, … One that is not named in this room is asked in the usual way of its
 * protocol, so a preset needs nothing here. All but Anthropic's speak OpenAI's.
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
 * The kind of a server: told by its address, else as the operator says. At another address, `openai` and `anthropic` name
 * a protocol that many servers speak, so the kind is undefined there.
 * @param host as in a URL, port allowed
 */
export function serverKindOf(host: string, told: ServerKind | undefined): ServerKind | undefined {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const known = hosts.find(([pattern]) => pattern.test(name))?.[1];
  return known ?? (told === "openai" || told === "anthropic" ? undefined : told);
}
