import { rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { backoff } from "../base/backoff.ts";
import { errorText } from "../base/error-text.ts";
import { oneLine } from "../base/markdown-text.ts";
import { sharedRun } from "../base/shared-run.ts";
import type { KeyValue } from "../core/ports/storage.ts";
import { serverSkillId } from "../core/skill/catalogue.ts";
import type { OfferedSkill, ServerStatus } from "../core/skill/packages.ts";
import type { ToolContext, ToolResult } from "../core/skill/tool.ts";
import type { ParkedCalls } from "../core/turn/parked-calls.ts";
import { type Json, toJson } from "../core/values/json.ts";
import { personKey } from "../core/values/place.ts";
import { createRedactor, type Redact } from "../core/values/redact.ts";
import { callServer } from "./call-server.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";
import { AccountLanes, type Lane, type LaneState } from "./lane.ts";
import { type LoginServer, type McpLogin, sharedAccount } from "./login-port.ts";
import { type RemoteServer, remoteServerSchema } from "./remote-tool.ts";
import { isHttp, loginServer, type ServerConfig } from "./server-config.ts";
import { httpFailure, ServerFailure } from "./server-failure.ts";

/** Idle time after which a connection of one person's account is closed, ms. */
const idleMs = 10 * 60_000;

/** Delay before tools are listed again, ms; it doubles while each list is out of date at once. */
const relearnPauses = { minMs: 1_000, maxMs: 60_000 };

/** What all servers are run with. */
export interface ServerMeans
  extends Pick<ConnectionOptions, "clock" | "requests" | "version" | "connect_ms"> {
  /** Stores the tools of servers. */
  store: KeyValue;
  /** Without it, servers that need an account cannot be used. */
  login?: McpLogin | undefined;
  /**
   * Absolute path of the folder in which the process of each server has one of its own, unless its entry names another (`cwd`). It is removed
   * when the entry leaves the file.
   */
  folder: string;
  /** Maximum silence of a call, ms, unless the server has its own. */
  call_ms: number;
  /** Consecutive attempts to start a process, after which somebody has to start it. */
  maxAttempts: number;
  report(error: unknown, where: string): void;
}

/** One configured server with all its connections. */
export class ManagedServer {
  readonly config: ServerConfig;
  readonly #means: ServerMeans;
  readonly #parked: ParkedCalls;
  readonly #redact: Redact;
  readonly #memory: string;
  readonly #home: string;
  readonly #target: LoginServer | undefined;
  readonly #lanes: AccountLanes;
  /** The login of each account that was last used for a connection. */
  readonly #logins = new Map<string, string | undefined>();
  #remote: RemoteServer | undefined;
  #stopped = false;
  #changedAt: number;
  #tail = () => "";

  constructor(config: ServerConfig, means: ServerMeans, parked: ParkedCalls) {
    this.config = config;
    this.#means = means;
    this.#parked = parked;
    this.#redact = createRedactor(config.secrets);
    this.#memory = `mcp-tools:${config.name}`;
    this.#home = path.join(means.folder, serverSkillId(config.name));
    this.#target = loginServer(config);
    this.#changedAt = means.clock.now();
    this.#lanes = new AccountLanes({
      clock: means.clock,
      open: (...of) => this.#open(...of),
      maxIdleMs: config.credentials === "per_user" ? idleMs : undefined,
      maxAttempts: config.target.type === "stdio" ? means.maxAttempts : Number.POSITIVE_INFINITY,
      report: (error) => means.report(error, config.name),
    });
  }

  status(): ServerStatus {
    const { config } = this;
    const { state, since } = this.#state();
    return {
      name: config.name,
      skill_id: serverSkillId(config.name),
      transport: this.#transport() ?? config.target.type,
      state,
      problem: this.#statusLine(),
      auto_start: config.auto_start,
      credentials: config.credentials,
      tools: (this.#remote?.tools ?? []).map(({ name, description = "" }) => ({
        name,
        description,
        suppressed: config.suppressed.includes(name),
      })),
      offers_skills: this.#remote?.offers_skills,
      since: this.#lanes.all().length === 0 ? this.#changedAt : since,
    };
  }

  /** What is known of it, running or not. */
  remote(): RemoteServer | undefined {
    return this.#remote;
  }

  /** Why its tools cannot be used now, for people. */
  problem(): string | undefined {
    return this.#redact(problemOf(this.config, this.#stopped, this.#state(), this.#remote));
  }

  /** Restores what was stored about it. */
  async recall(): Promise<void> {
    const read = rememberedSchema.safeParse(await this.#means.store.get(this.#memory));
    if (read.success && read.data.hash === this.config.hash) this.#remote ??= read.data.remote;
  }

  /** Notices what other processes learned of it, and the shared account that they connected. */
  async refresh(): Promise<void> {
    if (this.#remote === undefined) await this.recall();
    if (this.#state().state === "needs_login") await this.#endOldSession(sharedAccount);
  }

  /** Whether it must and may be started before anybody can be offered its tools. */
  wantsStart(): boolean {
    const { disabled, auto_start, credentials } = this.config;
    const mayStart = !disabled && auto_start && !this.#stopped && credentials !== "per_user";
    return mayStart && this.#remote === undefined;
  }

  /** Whether it never ran, and may be started to find out its tools. */
  wantsFirstStart(): boolean {
    return this.wantsStart() && this.#state().state !== "failed";
  }

  /** Connects; resolves when it runs or has failed. `byHand` ends an earlier stop. */
  async start(byHand: boolean): Promise<void> {
    if (byHand) this.#stopped = false;
    if (this.config.disabled || this.#stopped) return;
    if (this.config.credentials === "per_user") this.#changed();
    else await this.#lanes.of(sharedAccount).start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#lanes.closeAll();
    this.#changed();
  }

  /** Stops it, and removes its folder. */
  async discard(): Promise<void> {
    await this.stop();
    await rm(this.#home, { recursive: true, force: true });
  }

  /** An account was connected or deleted: its connection is replaced. */
  async renew(person: string): Promise<void> {
    const account = this.#accountOf(person);
    await this.#lanes.close(account);
    const target = this.#target;
    if (!this.#stopped && !this.config.disabled && target !== undefined) {
      if (await this.#means.login?.isConnected(target, account)) await this.#lanes.of(account).start();
    }
    this.#changed();
  }

  /** As `offeredSkills`, of the shared account; a sentence if there are none. */
  async skills(maxBytes: number, signal: AbortSignal): Promise<OfferedSkill[] | string> {
    try {
      return await (await this.#lanes.use(sharedAccount).connection()).skills(maxBytes, signal);
    } catch (error) {
      return `The skills of ${this.config.name} cannot be read. ${this.#redact(errorText(error))}`;
    }
  }

  async call(tool: string, input: Json, context: ToolContext): Promise<ToolResult> {
    const refused = this.problem();
    if (refused !== undefined && this.#state().state !== "failed") {
      return { status: "error", code: "server_unavailable", message: refused, hint: "Tell the person." };
    }
    const account = this.#accountOf(personKey(context.place.namespace, context.lender ?? context.user.id));
    await this.#endOldSession(account);
    return await callServer(this.#lanes.use(account), {
      server: this.config,
      tool,
      input,
      context,
      timeout_ms: this.config.timeout_ms ?? this.#means.call_ms,
      clock: this.#means.clock,
      parked: this.#parked,
      redact: this.#redact,
    });
  }

  /** Whether an account is connected; `person` is a `personKey`. */
  async isConnected(person: string): Promise<boolean> {
    const target = this.#target;
    return target !== undefined && (await this.#means.login?.isConnected(target, person)) === true;
  }

  #accountOf(person: string): string {
    return this.config.credentials === "per_user" ? person : sharedAccount;
  }

  /** A session belongs to one login: it ends when any process connected the account anew, or deleted it. */
  async #endOldSession(account: string): Promise<void> {
    const target = this.#target;
    if (target === undefined || !this.#logins.has(account)) return;
    const login = await this.#means.login?.loginOf(target, account);
    if (login === this.#logins.get(account)) return;
    this.#logins.delete(account);
    await this.#lanes.close(account);
    this.#changed();
  }

  #state(): LaneState {
    return overallState(this.#lanes.all());
  }

  #transport(): Connection["transport"] | undefined {
    return this.#lanes.all().flatMap((lane) => lane.transport() ?? [])[0];
  }

  /** The explanation of a status; undefined while it runs. */
  #statusLine(): string | undefined {
    const { state, since, problem } = this.#state();
    if (state === "running") return undefined;
    if (state === "starting") {
      const last = this.#redact(this.#tail()).trim().split("\n").at(-1) ?? "";
      const wrote = last === "" ? "" : ` It wrote last: ${oneLine(last, 200)}`;
      const seconds = Math.round((this.#means.clock.now() - since) / 1000);
      return `Its server is starting (${seconds} s).${wrote}`;
    }
    // The state already says that a server failed.
    if (state === "failed" && problem !== undefined) return this.#redact(problem);
    const why = this.problem();
    const rests = state === "stopped" && !this.#stopped && this.#remote !== undefined && why === undefined;
    return rests ? "It starts when it is needed." : (why ?? this.#redact(problem));
  }

  #changed(): void {
    this.#changedAt = this.#means.clock.now();
  }

  async #open(account: string, onLost: (reason: string) => void, signal: AbortSignal): Promise<Connection> {
    const { config } = this;
    const { clock, login, report } = this.#means;
    const target = this.#target;
    if (target !== undefined) this.#logins.set(account, await login?.loginOf(target, account));
    await requireAccount(login, target, account);
    let connection: Connection | undefined;
    let changes = 0;
    let inRow = 0;
    const relearn = sharedRun(async () => {
      if (connection === undefined || signal.aborted) return;
      const known = changes;
      await this.#learn(connection).catch((error: unknown) =>
        report(error, `tools of the server ${config.name}`),
      );
      // Some servers announce a change whenever they list their tools.
      await clock.sleep(backoff(inRow + 1, relearnPauses), signal).catch(() => undefined);
      inRow = changes > known ? inRow + 1 : 0;
    });
    const headers = isHttp(config.target) ? config.target.headers : {};
    connection = await openConnection({
      ...this.#means,
      server: config,
      legacy: this.#remote?.era === "legacy",
      home: this.#home,
      authProvider: target && login?.providerFor(target, account),
      fetch: target && login?.fetchFor(target, account, headers),
      onLost,
      signal,
      onToolsChanged: () => {
        changes += 1;
        void relearn();
      },
      onProcess: (tail) => {
        this.#tail = tail;
      },
    });
    try {
      await this.#learn(connection);
      return connection;
    } catch (error) {
      await connection.close();
      if (!isHttp(config.target)) throw error;
      throw await httpFailure(error, config.target.url, target !== undefined);
    }
  }

  async #learn(connection: Connection): Promise<void> {
    const remote = await connection.describe();
    if (JSON.stringify(remote) === JSON.stringify(this.#remote)) return;
    this.#remote = remote;
    this.#changed();
    await this.#means.store.set(this.#memory, { hash: this.config.hash, remote: toJson(remote) });
  }
}

const rememberedSchema = z.object({ hash: z.string(), remote: remoteServerSchema });

/** @throws ServerFailure `needs_login`, without contacting the server: that could begin a login nobody wanted */
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

/** The best state of all connections of a server. */
function overallState(lanes: readonly Lane[]): LaneState {
  const states = lanes.map((lane) => lane.state());
  const order = ["running", "starting", "failed", "needs_login"] as const;
  const [first] = order.flatMap((state) => states.find((each) => each.state === state) ?? []);
  return first ?? { state: "stopped", since: 0 };
}

/** Why the tools of a server cannot be used now, for people; undefined when they can, even if it starts only with the first call. */
function problemOf(
  config: ServerConfig,
  stopped: boolean,
  { state, problem, soon = false }: LaneState,
  remote: RemoteServer | undefined,
): string | undefined {
  const byHand = switchedOff(config, stopped, state);
  if (byHand !== undefined) return byHand;
  const soonThere = state === "stopped" ? "It is about to be started." : "Its server is starting.";
  const starting = remote === undefined ? soonThere : undefined;
  if (config.credentials === "per_user") {
    return starting && `It needs an account; /mcp login ${config.name} connects yours.`;
  }
  if (state === "needs_login") {
    return `It needs an account; an operator connects one with /mcp login ${config.name}.`;
  }
  // A call waits for a server that is about to reconnect; removing its tools for a moment would only confuse a model.
  if (state === "failed" && soon && remote !== undefined) return undefined;
  return state === "failed" ? `Its server failed. ${problem ?? ""}`.trim() : starting;
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
