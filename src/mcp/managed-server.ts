import { z } from "zod";
import { oneLine } from "../base/markdown-text.ts";
import { sharedRun } from "../base/shared-run.ts";
import type { Clock, KeyValue } from "../core/ports/storage.ts";
import { serverSkillId } from "../core/skill/catalogue.ts";
import type { ServerStatus } from "../core/skill/packages.ts";
import type { ToolContext, ToolResult } from "../core/skill/tool.ts";
import type { ParkedCalls } from "../core/turn/parked-calls.ts";
import { type Json, toJson } from "../core/values/json.ts";
import { personKey } from "../core/values/place.ts";
import { createRedactor } from "../core/values/redact.ts";
import { createAccountLanes } from "./account-lanes.ts";
import { callServer } from "./call-server.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";
import type { Lane, LaneState } from "./lane.ts";
import { type LoginServer, type McpLogin, sharedAccount } from "./login-port.ts";
import { loginServer } from "./login-server.ts";
import { type RemoteServer, remoteServerSchema } from "./remote-tool.ts";
import type { ServerConfig } from "./server-config.ts";
import { ServerFailure } from "./server-failure.ts";

/** A connection of one person's account is closed when nobody used it for so long, ms. */
const idleMs = 10 * 60_000;

export interface ManagedServerDeps
  extends Pick<ConnectionOptions, "clock" | "requests" | "version" | "connect_ms"> {
  clock: Clock;
  store: KeyValue;
  parked: ParkedCalls;
  login: McpLogin | undefined;
  /** Longest silence of a call, ms, where the server has no own. */
  call_ms: number;
  most_attempts: number;
  report(error: unknown, where: string): void;
}

/** One configured server with all its connections. */
export interface ManagedServer {
  readonly config: ServerConfig;
  status(): ServerStatus;
  /** What is known of it, running or not. */
  remote(): RemoteServer | undefined;
  /** Why its tools cannot be used now, for people. */
  problem(): string | undefined;
  /** Reads what is remembered of it. */
  recall(): Promise<void>;
  /** Whether it has to run before anybody can be offered its tools, and may. */
  wantsStart(): boolean;
  /** While it is not known what it has, and it may be started to say so: starts it; resolves when it runs or has failed. */
  ready(): (() => Promise<void>) | undefined;
  /** Connects; resolves when it runs or has failed. `by_hand` ends an earlier stop. */
  start(by_hand: boolean): Promise<void>;
  stop(): Promise<void>;
  /** An account was connected or forgotten: its connection is made anew. */
  renew(account: string): Promise<void>;
  call(tool: string, input: Json, context: ToolContext): Promise<ToolResult>;
}

export function createManagedServer(config: ServerConfig, deps: ManagedServerDeps): ManagedServer {
  const { clock, store, login } = deps;
  const redact = createRedactor(config.secrets);
  const memory = `mcp-tools:${config.name}`;
  const target = loginServer(config);
  let remote: RemoteServer | undefined;
  let stopped = false;
  let changedAt = clock.now();
  let tail = () => "";

  const changed = () => {
    changedAt = clock.now();
  };

  const learn = async (connection: Connection) => {
    const next = await connection.describe();
    if (JSON.stringify(next) === JSON.stringify(remote)) return;
    remote = next;
    changed();
    await store.set(memory, { hash: config.hash, remote: toJson(next) });
  };

  const open = async (
    account: string,
    onLost: (reason: string) => void,
    signal: AbortSignal,
  ): Promise<Connection> => {
    await requireAccount(login, target, account);
    let connection: Connection | undefined;
    const relearn = sharedRun(async () => {
      if (connection === undefined) return;
      await learn(connection).catch((error: unknown) =>
        deps.report(error, `tools of the server ${config.name}`),
      );
    });
    const authProvider = target && login?.providerFor(target, account);
    const headers = config.target.type === "stdio" ? {} : config.target.headers;
    const fetch = target && login?.fetchFor(target, account, headers);
    const session = { ...deps, server: config, authProvider, fetch, onLost, signal };
    connection = await openConnection({
      ...session,
      onToolsChanged: () => void relearn(),
      onProcess: (next) => {
        tail = next;
      },
    });
    try {
      await learn(connection);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  };

  const lanes = createAccountLanes({
    clock,
    open,
    idle_ms: config.credentials === "per_user" ? idleMs : undefined,
    most_attempts: config.target.type === "stdio" ? deps.most_attempts : Number.POSITIVE_INFINITY,
    report: (error) => deps.report(error, config.name),
  });
  const accountOf = (person: string) => (config.credentials === "per_user" ? person : sharedAccount);

  const state = () => overallState(lanes.all());

  const transportOf = () =>
    lanes
      .all()
      .find((lane) => lane.transport() !== undefined)
      ?.transport();
  const problem = () => redact(problemOf(config, stopped, state(), remote));

  const mayBegin = () =>
    !config.disabled &&
    config.auto_start &&
    !stopped &&
    config.credentials !== "per_user" &&
    remote === undefined;
  const begin = () => lanes.of(sharedAccount).start();

  return {
    config,
    problem,
    remote: () => remote,
    status: () => {
      const now = state();
      const rests = now.state === "stopped" && !stopped && remote !== undefined && problem() === undefined;
      // Who reads a status knows already that it failed, and of a server.
      const cause = now.state === "failed" ? redact(now.problem) : undefined;
      const isStarting = now.state === "starting";
      const waits = isStarting ? startingFor(config, clock.now() - now.since, redact(tail())) : undefined;
      const why = now.state === "running" ? undefined : (waits ?? cause ?? problem() ?? redact(now.problem));
      return {
        name: config.name,
        skill_id: serverSkillId(config.name),
        transport: transportOf() ?? config.target.type,
        state: now.state,
        problem: rests ? "It starts when it is needed." : why,
        auto_start: config.auto_start,
        credentials: config.credentials,
        tools: (remote?.tools ?? []).map(({ name, description = "" }) => ({
          name,
          description,
          suppressed: config.suppressed.includes(name),
        })),
        since: lanes.all().length === 0 ? changedAt : now.since,
      };
    },
    async recall() {
      const read = rememberedSchema.safeParse(await store.get(memory));
      if (read.success && read.data.hash === config.hash) remote ??= read.data.remote;
    },
    wantsStart: mayBegin,
    ready: () => (mayBegin() && state().state !== "failed" ? begin : undefined),
    async start(byHand) {
      if (byHand) stopped = false;
      if (config.disabled || stopped) return;
      if (config.credentials === "per_user") return changed();
      await lanes.of(sharedAccount).start();
    },
    async stop() {
      stopped = true;
      await lanes.closeAll();
      changed();
    },
    async renew(name) {
      const account = accountOf(name);
      await lanes.close(account);
      if (!stopped && !config.disabled && login !== undefined && target !== undefined) {
        if (await login.isConnected(target, account)) await lanes.of(account).start();
      }
      changed();
    },
    async call(tool, input, context) {
      const refused = problem();
      if (refused !== undefined && state().state !== "failed") {
        return { status: "error", code: "server_unavailable", message: refused, hint: "Tell the person." };
      }
      const lane = lanes.use(accountOf(personKey(context.place.namespace, context.user.id)));
      const timeout_ms = config.timeout_ms ?? deps.call_ms;
      const { parked } = deps;
      return callServer(lane, { server: config, tool, input, context, timeout_ms, parked, redact });
    },
  };
}

const rememberedSchema = z.object({ hash: z.string(), remote: remoteServerSchema });

/** @throws ServerFailure `needs_login`, without asking the server: that could begin a login nobody wanted */
async function requireAccount(
  login: McpLogin | undefined,
  target: LoginServer | undefined,
  account: string,
): Promise<void> {
  if (target === undefined || target.oauth.grant === "client_credentials") return;
  if (login === undefined) throw new ServerFailure("unreachable", "Logins are not available here.");
  if (await login.isConnected(target, account)) return;
  throw new ServerFailure("needs_login", "An account has to be connected first.");
}

/** What most says of all connections of a server together. */
function overallState(lanes: readonly Lane[]): LaneState {
  const states = lanes.map((lane) => lane.state());
  const order = ["running", "starting", "failed", "needs_login"] as const;
  const [first] = order.flatMap((state) => states.find((each) => each.state === state) ?? []);
  return first ?? { state: "stopped", since: 0 };
}

/** Why the tools of a server cannot be used now, for people; undefined when they can, be it that it starts with the first call. */
function problemOf(
  config: ServerConfig,
  stopped: boolean,
  { state, problem, soon = false }: LaneState,
  remote: RemoteServer | undefined,
): string | undefined {
  const byHand = switchedOff(config, stopped, state);
  if (byHand !== undefined) return byHand;
  const soonThere =
    state === "stopped" ? "It is about to be started." : `Its server is starting${fetched(config)}.`;
  const starting = remote === undefined ? soonThere : undefined;
  if (config.credentials === "per_user") {
    return starting && `It needs an account; /mcp login ${config.name} connects yours.`;
  }
  if (state === "needs_login") {
    return `It needs an account; an operator connects one with /mcp login ${config.name}.`;
  }
  // A call waits for a server that is about to come back; taking its tools away for a moment would only confuse a model.
  if (state === "failed" && soon && remote !== undefined) return undefined;
  return state === "failed" ? `Its server failed. ${problem ?? ""}`.trim() : starting;
}

/** Programs that fetch a server before they start it, which takes minutes the first time and tells nobody. */
const fetching = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx|pnpm|yarn|docker|podman)(?:\.cmd|\.exe)?$/;

function fetched({ target }: ServerConfig): string {
  const [, program] = (target.type === "stdio" && fetching.exec(target.command)) || [];
  if (target.type !== "stdio" || program === undefined) return "";
  // Other arguments may hold a key.
  const name = target.args.find(
    (arg) =>
      /^@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?$/.test(arg) ||
      (/^[\w.-]+(?:@[\w.-]+){0,2}$/.test(arg) && /mcp|@/.test(arg)),
  );
  return `: ${program} is fetching ${name ?? "it"}, or starting it`;
}

/** What a server that is starting waits for. @param ms for how long it does @param tail what it wrote to stderr */
export function startingFor(config: ServerConfig, ms: number, tail: string): string {
  const last = tail.trim().split("\n").at(-1) ?? "";
  const wrote = last === "" ? "" : ` It wrote last: ${oneLine(last, 200)}`;
  return `Its server is starting${fetched(config)} (${Math.round(ms / 1000)} s).${wrote}`;
}

function switchedOff(
  { name, disabled, auto_start }: ServerConfig,
  stopped: boolean,
  state: LaneState["state"],
): string | undefined {
  if (disabled) return "It is switched off in the file of servers.";
  if (stopped) return `Its server was stopped; /mcp start ${name} starts it again.`;
  if (auto_start || state !== "stopped") return undefined;
  return `Its server is not started by itself (autoStart: false); /mcp start ${name} starts it.`;
}
