import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { ChatHub } from "../../../src/app/chat/chat-hub.ts";
import type { ChatPlatform } from "../../../src/core/ports/chat-platform.ts";
import { createSlackConnection } from "../../../src/platforms/slack/create-slack-connection.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { type Gate, startGate } from "../../e2e/support/gate.ts";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from "../../support/models/scripted-model.ts";
import { httpBody, sendSigned } from "../../support/slack/api/http-target.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

/** A call of the Web API, with its arguments as they were sent. */
export interface SlackCall {
  method: string;
  given: Record<string, string>;
}

export interface ReplayedSlack {
  app: TestApp;
  model: ScriptedModel;
  /** Slack as the app sees it. */
  platform: ChatPlatform;
  status(): { ok: boolean; detail: string };
  /** Delivers a recorded event or interaction as if it came now; `{name}` in it is replaced. Answers Slack's view: the reply. */
  deliver(fixture: string, replaced?: Record<string, string>): Promise<{ status: number; body: string }>;
  /** The calls so far that do something people see, oldest first. */
  calls(): SlackCall[];
  /** The calls once there are so many of a method. */
  until(method: string, count?: number): Promise<SlackCall[]>;
}

const secret = "signing-secret";
/** When everything in the fixtures happened, seconds. */
const recordedAt = 1_732_260_000;
const silent = ["auth.test", "users.info", "conversations.info", "conversations.replies", "reactions.add"];

/** The whole app with Slack's real adapter over signed HTTP, and a Web API that answers what is asked most. */
export async function replayedSlack(
  lines: readonly string[] = ["Hello."],
  options: Pick<ScriptedModelOptions, "gate"> = {},
): Promise<ReplayedSlack> {
  const api = await startGate(({ path, body, headers }, response) => {
    const method = path.replace(/^\/api\//, "");
    const answer = answerTo(method, argumentsOf(body, headers["content-type"]), api.requests.length);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const model = scriptedModel(lines, options);
  const store = createMemoryKeyValue();
  const app = createTestApp(model, { store });
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  let connected: ChatPlatform | undefined;
  const hub: ChatHub = {
    connect(platform) {
      connected = platform;
      return app.chat.connect(platform);
    },
  };
  const connection = createSlackConnection({
    settings: {
      ...{ bot_token: "xoxb-recorded", signing_secret: secret, api_url: `${api.url}/api/` },
      ...{ streaming: "auto", direct_messages: "auto", operators: [], read_retries: 0 },
    },
    ...{ hub, app: app.app, store, sealed: store, clock: systemClock, logger: quiet },
    leases: createKeyValueLeases(store, "test"),
  });
  const server = createServer((request, response) => connection.handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    await connection.stop();
    await app.stop(1_000);
    server.closeAllConnections();
    server.close();
    await api[Symbol.asyncDispose]();
  });
  connection.start({ receives: true });
  await untilTrue(() => connection.status().ok);
  if (connected === undefined) throw new Error("Slack made itself known to nobody");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const now = Math.floor(Date.now() / 1000);
  return {
    ...{ app, model, platform: connected, status: connection.status },
    async deliver(fixture, replaced = {}) {
      const text = await readFile(new URL(`../../fixtures/slack/${fixture}.json`, import.meta.url), "utf8");
      const filled = Object.entries({ api: `${api.url}/api/`, ...replaced }).reduce(
        (whole, [name, value]) => whole.replaceAll(`{${name}}`, JSON.stringify(value).slice(1, -1)),
        text.replace(/17322\d{5}/g, (at) => String(Number(at) - recordedAt + now)),
      );
      const payload = JSON.parse(filled) as Record<string, unknown>;
      const reply = await sendSigned({
        url,
        secret,
        ...httpBody(kindOf(payload), payload),
        timeoutMs: 5_000,
      });
      if (typeof reply === "string") throw new Error(`The event was not answered: ${reply}`);
      return reply;
    },
    calls: () => callsOf(api).filter(({ method }) => !silent.includes(method)),
    async until(method, count = 1) {
      const of = () => callsOf(api).filter((call) => call.method === method);
      await untilTrue(() => of().length >= count);
      return of();
    },
  };
}

function kindOf({ type, command }: Record<string, unknown>) {
  if (command !== undefined) return "slash_commands";
  return type === "event_callback" ? "events_api" : "interactive";
}

const callsOf = ({ requests }: Gate): SlackCall[] =>
  requests.map(({ path, body, headers }) => ({
    method: path.replace(/^\/api\//, ""),
    given: argumentsOf(body, headers["content-type"]),
  }));

function argumentsOf(body: string, type = ""): Record<string, string> {
  if (!type.includes("json")) return Object.fromEntries(new URLSearchParams(body));
  return body === "" ? {} : (JSON.parse(body) as Record<string, string>);
}

const member = { team_id: "T0ACME", is_bot: false };
const people: Record<string, object> = {
  U0ANNA: {
    ...member,
    id: "U0ANNA",
    is_admin: true,
    tz: "Asia/Kolkata",
    tz_offset: 19_800,
    profile: { display_name: "Anna" },
  },
  U0BEN: {
    ...member,
    id: "U0BEN",
    tz: "Europe/Amsterdam",
    tz_offset: 3_600,
    profile: { display_name: "Ben" },
  },
  U0CEM: { ...member, id: "U0CEM", tz: "Mars/Phobos", profile: { display_name: "Cem" } },
  U0DEPLOY: { ...member, id: "U0DEPLOY", is_bot: true, tz: "America/Los_Angeles", name: "deploy" },
  U0STELLA: { id: "U0STELLA", team_id: "T0OTHER", is_stranger: true, profile: { display_name: "Stella" } },
};

const channel = {
  name: "general",
  creator: "U0ANNA",
  topic: { value: "R&amp;D of <@U0BEN>, see <https://example.com/plan|the plan>", creator: "U0ANNA" },
};

/** What Slack answers, as far as the bot reads it. Messages are numbered by the request that made them. */
function answerTo(method: string, given: Record<string, string>, request: number): object {
  switch (method) {
    case "auth.test":
      return { ok: true, team_id: "T0ACME", team: "Acme", user_id: "U0KNACK", bot_id: "B0KNACK" };
    case "users.info":
      return { ok: true, user: people[given.user ?? ""] };
    case "conversations.info":
      return { ok: true, channel: { ...channel, id: given.channel } };
    case "conversations.open":
      return { ok: true, channel: { id: "D0BEN" } };
    case "conversations.replies":
    case "conversations.history":
      return { ok: true, messages: [], has_more: false };
    default:
      return { ok: true, channel: given.channel, ts: `1732261${String(request).padStart(3, "0")}.000100` };
  }
}

async function untilTrue(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 10_000, interval: 10 }).toBe(true);
}
