import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FixtureFileEntry } from "@copilotkit/aimock";

/** What the server answers to which request: the first whose `match` fits; `userMessage` matches any part of the last one. */
export type ModelFixture = FixtureFileEntry;

/** A request the server got, in the shape of OpenAI's chat completions whatever the provider. */
interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** HTTP status of the answer. */
  status: number;
}

export interface ModelServer {
  url: string;
  /** For `OPENAI_BASE_URL`. */
  openAiBaseUrl: string;
  /** For `ANTHROPIC_BASE_URL`. */
  anthropicBaseUrl: string;
  /** The model requests so far, oldest first. */
  requests(): Promise<ReceivedRequest[]>;
  /** Adds fixtures behind the ones there are. */
  add(fixtures: readonly ModelFixture[]): Promise<void>;
  /** Forgets all fixtures, requests and sequence counts, then takes these fixtures. */
  reset(fixtures?: readonly ModelFixture[]): Promise<void>;
  /** Ends the process; a second call does nothing. */
  stop(): Promise<void>;
}

/** Starts a model server in a separate process. It ends with `stop` or with its parent process. */
export async function startModelServer(fixtures: readonly ModelFixture[] = []): Promise<ModelServer> {
  const script = fileURLToPath(new URL("./model-server-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const url = await announcedUrl(child);
  const server: ModelServer = {
    url,
    openAiBaseUrl: `${url}/v1`,
    anthropicBaseUrl: url,
    requests: async () => {
      const entries = (await control(url, "GET", "journal")) as JournalLine[];
      return entries.map(({ method, path, headers, body, response }) => ({
        method,
        path,
        headers,
        body: body ?? {},
        status: response.status,
      }));
    },
    add: async (more) => {
      if (more.length > 0) await control(url, "POST", "fixtures", { fixtures: more });
    },
    reset: async (next = []) => {
      await control(url, "POST", "reset");
      await server.add(next);
    },
    stop: () => endProcess(child),
  };
  await server.add(fixtures);
  return server;
}

interface JournalLine {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | null;
  response: { status: number };
}

async function announcedUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The model server has no standard output.");
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The model server ended with code ${code} before it was ready.`);
  });
  const [line] = await Promise.race([once(lines, "line"), ended]);
  ended.catch(() => undefined);
  return (JSON.parse(String(line)) as { url: string }).url;
}

async function control(url: string, method: string, what: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/__aimock/${what}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The model server refused ${method} ${what}: ${text}`);
  return JSON.parse(text);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
