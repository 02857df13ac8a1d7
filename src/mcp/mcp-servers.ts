import { errorText } from "../base/error-text.ts";
import { serverSkillId } from "../core/skill/catalogue.ts";
import type { Servers } from "../core/skill/packages.ts";
import type { Diagnostic, LoadedSkills, SkillOrigin, SkillSource } from "../core/skill/skill.ts";
import { ParkedCalls } from "../core/turn/parked-calls.ts";
import { shownPerson } from "../core/values/place.ts";
import { createArgumentCheck } from "./argument-check.ts";
import { type ConfigFile, createConfigFile } from "./config-file.ts";
import type { Environment } from "./expand-variables.ts";
import { type McpLogin, sharedAccount } from "./login-port.ts";
import type { ManagedServer, ServerMeans } from "./managed-server.ts";
import { loginServer, type ServerConfig } from "./server-config.ts";
import { createServerSkills, type ServerFacts } from "./server-skill.ts";

/** Maximum servers that are started at the same time in the background, so that other work is not slowed down. */
const startsAtOnce = 2;

export interface McpServersOptions extends ServerMeans {
  /** Absolute path of the file of servers; it may be missing. */
  file: string;
  /** Source of the values for `${NAME}` in the file. Servers get nothing else of it except `network`. */
  environment: Environment;
  /** Variables that point programs to this machine's proxy, registries and certificates; those of an entry override them. */
  network?: Readonly<Record<string, string>>;
  /** How long a call stays open while a person is asked, ms. */
  question_ms: number;
}

export type McpServers = ReturnType<typeof createMcpServers>;

/** The tool servers of the configuration file, as skills. Changes of the file take effect with the next `load`. */
export function createMcpServers(options: McpServersOptions) {
  const { file, login } = options;
  const known = new KnownServers(options);
  const skills = new SkillsOfServers(file, options.report);
  const forgetListener = login?.onConnected((name, account) => known.renew(name, account));
  let latest: LoadedSkills = { skills: [], diagnostics: [] };
  const source: SkillSource = {
    id: `mcp:${file}`,
    async load() {
      await known.sync();
      const made = known.all().map((server) => skills.of(server));
      const next = {
        skills: made.flatMap((each) => each.skills),
        diagnostics: [...known.diagnostics, ...made.flatMap((each) => each.diagnostics)],
      };
      if (!isSame(next.skills, latest.skills) || !isSame(next.diagnostics, latest.diagnostics)) latest = next;
      return latest;
    },
  };
  const servers: Servers = { ...controls(known, skills), ...logins(login, known) };
  return {
    source,
    servers,
    /** The skills that a server offers, or a sentence why there are none. @param maxBytes of all their files */
    skillsOf: async (name: string, maxBytes: number, signal: AbortSignal) =>
      (await known.find(name))?.skills(maxBytes, signal) ?? `There is no tool server called ${name}.`,
    /** Starts, in the background, the servers whose tools are unknown. All others start with their first call. */
    start: () => known.start(),
    /** Ends all sessions and processes. */
    async close(): Promise<void> {
      forgetListener?.();
      await Promise.all([skills.close(), known.close()]);
    },
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

/** The servers of the file, as last read. */
class KnownServers {
  diagnostics: readonly Diagnostic[] = [];
  readonly #options: McpServersOptions;
  readonly #file: ConfigFile;
  readonly #parked: ParkedCalls;
  readonly #servers = new Map<string, ManagedServer>();
  #read: readonly ServerConfig[] | undefined;
  #started = false;
  #closed = false;
  #background: Promise<unknown> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#file = createConfigFile(options.file, options.environment, options.network);
    this.#parked = new ParkedCalls(options.clock, options.question_ms);
  }

  all(): ManagedServer[] {
    return [...this.#servers.values()];
  }

  /** One at a time: two turns that begin together must not start a server twice. */
  sync(): Promise<void> {
    this.#syncing ??= this.#catchUp().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  async find(name: string): Promise<ManagedServer | undefined> {
    await this.sync();
    return this.#servers.get(name);
  }

  start(): void {
    this.#started = true;
    this.#inBackground(this.sync().then(() => this.#startWanted()));
  }

  /** An account was connected: its connection is replaced. */
  renew(name: string, account: string): void {
    this.#inBackground(this.find(name).then((server) => server?.renew(account)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#parked.close();
    await Promise.all(this.all().map((server) => server.stop()));
    await this.#background;
  }

  async #catchUp(): Promise<void> {
    await this.#apply();
    const { report } = this.#options;
    const refresh = (server: ManagedServer) =>
      server.refresh().catch((error: unknown) => report(error, server.config.name));
    await Promise.all(this.all().map(refresh));
  }

  async #apply(): Promise<void> {
    const next = await this.#file.read();
    this.diagnostics = next.diagnostics;
    if (next.servers === this.#read || this.#closed) return;
    this.#read = next.servers;
    const configs = new Map(next.servers.map((config) => [config.name, config]));
    for (const [name, server] of this.#servers) {
      const config = configs.get(name);
      const isGone = config === undefined && this.#file.isWhole();
      if (JSON.stringify(config) !== JSON.stringify(server.config)) this.#remove(name, server, isGone);
    }
    for (const config of next.servers) if (!this.#servers.has(config.name)) await this.#add(config);
    if (this.#started) this.#startWanted();
  }

  async #add(config: ServerConfig): Promise<void> {
    // Most bots have no server and need none of this.
    const { ManagedServer } = await import("./managed-server.ts");
    const server = new ManagedServer(config, this.#options, this.#parked);
    await server.recall();
    this.#servers.set(config.name, server);
  }

  #remove(name: string, server: ManagedServer, isGone: boolean): void {
    this.#servers.delete(name);
    this.#inBackground(isGone ? server.discard() : server.stop());
  }

  #startWanted(): void {
    if (this.#servers.size > 0) this.#inBackground(startWanted(this.all()));
  }

  #inBackground(work: Promise<unknown>): void {
    const safe = work.catch((error: unknown) => this.#options.report(error, "tool servers"));
    // The results are dropped: chained promises would keep all of them in memory.
    this.#background = Promise.all([this.#background, safe]).then(() => undefined);
  }
}

/** What the skills of a server are made of; they change with it. */
function factsOf(server: ManagedServer): ServerFacts {
  return {
    remote: server.remote(),
    problem: server.problem(),
    ready: server.wantsFirstStart() ? () => server.start(false) : undefined,
  };
}

/** The skills of servers; the same objects while nothing about a server changed. */
class SkillsOfServers {
  readonly #origin: SkillOrigin;
  readonly #report: McpServersOptions["report"];
  readonly #check = createArgumentCheck();
  readonly #made = new WeakMap<ManagedServer, ServerFacts & { loaded: LoadedSkills }>();

  constructor(file: string, report: McpServersOptions["report"]) {
    this.#origin = { source: "mcp", precedence: 2, path: file };
    this.#report = report;
  }

  /** Never throws: what is odd in one server or tool never reaches another. */
  of(server: ManagedServer): LoadedSkills {
    const facts = factsOf(server);
    const { remote, problem, ready } = facts;
    const before = this.#made.get(server);
    const isSame = before?.remote === remote && before?.problem === problem && !before?.ready === !ready;
    if (before !== undefined && isSame) return before.loaded;
    const loaded = this.#make(server, facts);
    const told = new Set(before?.loaded.diagnostics.map(({ message }) => message));
    for (const { message } of loaded.diagnostics) {
      if (!told.has(message)) this.#report(new Error(message), server.config.name);
    }
    this.#made.set(server, { ...facts, loaded });
    return loaded;
  }

  #make(server: ManagedServer, facts: ServerFacts): LoadedSkills {
    try {
      return createServerSkills(server, facts, this.#origin, this.#check);
    } catch (error) {
      const message = `Server ${server.config.name}: its tools cannot be read: ${errorText(error)}`;
      const about = { path: this.#origin.path, skill_id: serverSkillId(server.config.name) };
      return { skills: [], diagnostics: [{ ...about, severity: "error", code: "odd_server", message }] };
    }
  }

  close(): Promise<void> {
    return this.#check.close();
  }
}

/** A few at a time, in the order of the file. */
async function startWanted(servers: readonly ManagedServer[]): Promise<void> {
  const waiting = servers.filter((server) => server.wantsStart());
  const work = async () => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
      if (server.wantsStart()) await server.start(false);
    }
  };
  await Promise.all(Array.from({ length: startsAtOnce }, work));
}

/** For a person known only by a key: `U1 (Slack)`. */
function readablePerson(person: string): string {
  return shownPerson(person, person.split(":").slice(2).join(":") || person);
}

function controls(known: KnownServers, skills: SkillsOfServers): Omit<Servers, "login" | "logout"> {
  const doing = (work: (server: ManagedServer) => Promise<void>) => async (name: string) => {
    const server = await known.find(name);
    if (server !== undefined) await work(server);
    return server?.status();
  };
  return {
    list: () => known.all().map((server) => server.status()),
    problems: () => [...known.diagnostics, ...known.all().flatMap((server) => skills.of(server).diagnostics)],
    start: doing((server) => server.start(true)),
    stop: doing((server) => server.stop()),
    restart: doing(async (server) => {
      await server.stop();
      await server.start(true);
    }),
  };
}

function logins(login: McpLogin | undefined, known: KnownServers): Pick<Servers, "login" | "logout"> {
  const targetOf = async (name: string, person: string) => {
    const server = await known.find(name);
    const target = server && loginServer(server.config);
    return { server, target, account: target?.credentials === "shared" ? sharedAccount : person };
  };
  return {
    async login(name, person, shown) {
      const { server, target, account } = await targetOf(name, person);
      if (server === undefined) return { ok: false, reason: `There is no server called ${name}.` };
      if (target === undefined || login === undefined) {
        return { ok: false, reason: `The server ${name} works without an account.` };
      }
      return login.begin(target, account, shown ?? readablePerson(person));
    },
    async logout(name, person) {
      const { server, target, account } = await targetOf(name, person);
      if (target === undefined || login === undefined) return;
      await login.forget(target, account);
      await server?.renew(account);
    },
  };
}
