import { readAtMost } from "../base/read-at-most.ts";

/** A server of models that may run on this machine. */
export interface LocalServer {
  /** Name of its provider, e.g. `ollama`. */
  provider: string;
  /** The address of its model list. */
  url: string;
}

/** The usual addresses. https://docs.ollama.com/api, https://lmstudio.ai/docs/developer/openai-compat */
export const usualLocalServers: readonly LocalServer[] = [
  { provider: "ollama", url: "http://127.0.0.1:11434/api/tags" },
  { provider: "lmstudio", url: "http://127.0.0.1:1234/v1/models" },
];

/** Timeout for servers on this machine, ms. */
const timeoutMs = 300;
const maxBytes = 1_000_000;

/** The first model of each server that answers, as `ollama/qwen3:8b`. Never throws, and only calls loopback addresses. */
export async function findLocalModels(servers: readonly LocalServer[]): Promise<string[]> {
  const local = servers.filter(({ url }) => /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(new URL(url).hostname));
  const found = await Promise.all(local.map((server) => firstModel(server).catch(() => undefined)));
  return found.filter((model) => model !== undefined);
}

async function firstModel({ provider, url }: LocalServer): Promise<string | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
  if (!response.ok) return undefined;
  const bytes = await readAtMost(response.body, maxBytes, () => new Error("Its list is too long."));
  const body = JSON.parse(Buffer.from(bytes).toString());
  const list: unknown = body.models ?? body.data;
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry) => entry?.name ?? entry?.id).filter((name) => typeof name === "string");
  const chats = names.find((name) => /^[\w./:@-]+$/.test(name) && !/embed|rerank|bge-|minilm/i.test(name));
  return chats === undefined ? undefined : `${provider}/${chats}`;
}
