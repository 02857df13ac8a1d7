import { ControlRefusal } from "./control-refusal.ts";
import type { Controls } from "./controls.ts";
import { Observation, type Snapshot } from "./observation.ts";
import { type SlackOptions, startSlackService } from "./slack-service.ts";
import { defaultSeed, type SlackSeed } from "./world/seed.ts";

/** The controls, called over HTTP. A refusal of the fake is thrown as `ControlRefusal` with its code. */
type Remote<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never;
};

type Truthy<T> = Exclude<T, false | null | undefined | 0 | "">;

export interface SlackServer extends Remote<Controls> {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** For `slackApiUrl`: `http://127.0.0.1:PORT/api/`. */
  apiUrl: string;
  /** For `authorizationUrl` of the OAuth flow. */
  authorizeUrl: string;
  /** Tokens, secrets and ids that the fake began with. */
  seed: SlackSeed;
  /** The current state. */
  look(): Promise<Observation>;
  /** The current state, of one thread if it is given, without calls and deliveries, which grow large. */
  lookAtMessages(thread?: string): Promise<Observation>;
  /** Waits until `predicate` answers something truthy, and answers that. `what` names it when it does not come. */
  until<T>(predicate: (state: Observation) => T, what: string, limitMs?: number): Promise<Truthy<T>>;
  /** Stops accepting connections; a second call does nothing. */
  close(): Promise<void>;
}

/** Long enough for a loaded machine, short enough that a test says what it waited for before its runner ends it. */
const defaultLimitMs = 10_000;
const longPollMs = 2_000;

/** Starts a fake Slack behind real HTTP. */
export async function startSlackServer(options: SlackOptions = {}): Promise<SlackServer> {
  const { url, stop } = await startSlackService(structuredClone(options));
  let stopped: Promise<void> | undefined;
  const own = {
    url,
    apiUrl: `${url}/api/`,
    authorizeUrl: `${url}/oauth/v2/authorize`,
    seed: { ...defaultSeed(), ...options.seed },
    look: async () => new Observation(await stateOf(url, "after=0&wait=0")),
    lookAtMessages: async (thread?: string) => {
      const query = new URLSearchParams({ after: "0", wait: "0", traffic: "no", ...(thread && { thread }) });
      return new Observation(await stateOf(url, String(query)));
    },
    until: <T>(predicate: (state: Observation) => T, what: string, limitMs = defaultLimitMs) =>
      until(url, predicate, what, limitMs),
    async close() {
      stopped ??= stop();
      await stopped;
    },
  };
  return withControls(url, own);
}

function withControls<T extends object>(url: string, own: T): T & Remote<Controls> {
  return new Proxy(own as T & Remote<Controls>, {
    get: (target, name, receiver) => {
      // A promise that resolves to this object asks for `then`.
      if (name in target || typeof name === "symbol" || name === "then")
        return Reflect.get(target, name, receiver) as unknown;
      return (given: unknown) => control(url, name, given);
    },
  });
}

async function control(url: string, name: string, given: unknown): Promise<unknown> {
  const response = await fetch(`${url}/control/${name}`, {
    method: "POST",
    body: JSON.stringify(given ?? {}),
  });
  const body = await response.text();
  if (response.status === 500) throw new Error(`The fake Slack failed in ${name}: ${body}`);
  const answer = JSON.parse(body) as { result?: unknown; code?: string; message?: string };
  if (!response.ok) throw new ControlRefusal(answer.code ?? "", `${answer.code}: ${answer.message}`);
  return answer.result;
}

async function stateOf(url: string, query: string): Promise<Snapshot> {
  const response = await fetch(`${url}/control/state?${query}`);
  return (await response.json()) as Snapshot;
}

async function until<T>(
  url: string,
  predicate: (state: Observation) => T,
  what: string,
  limitMs: number,
): Promise<Truthy<T>> {
  const end = Date.now() + limitMs;
  let version = 0;
  for (;;) {
    const waitMs = Math.max(0, Math.min(longPollMs, end - Date.now()));
    const snapshot = await stateOf(url, `after=${version}&wait=${waitMs}`);
    const answer = predicate(new Observation(snapshot));
    if (isTruthy(answer)) return answer;
    if (Date.now() > end) throw new Error(`Waited ${limitMs} ms in vain for ${what}.\n${summary(snapshot)}`);
    version = snapshot.version;
  }
}

function isTruthy<T>(value: T): value is T & Truthy<T> {
  return Boolean(value);
}

/** The last events, to explain why a wait failed. */
function summary(snapshot: Snapshot): string {
  const calls = snapshot.calls.slice(-15).map((call) => {
    const outcome = call.ok ? "ok" : (call.error ?? call.status);
    return `  ${call.method} ${JSON.stringify(call.arguments).slice(0, 200)} → ${outcome}`;
  });
  const deliveries = snapshot.deliveries
    .slice(-10)
    .map(
      ({ name, acked, attempts }) =>
        `  ${name}: ${acked ? "acked" : "not acked"} (${attempts.length} attempts)`,
    );
  return ["Last calls:", ...calls, "Last deliveries:", ...deliveries].join("\n");
}
