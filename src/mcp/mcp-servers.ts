import type { Clock, KeyValue } from "../core/ports/storage.ts";
import type { Servers } from "../core/skill/packages.ts";
import type { Diagnostic, LoadedSkills, Skill, SkillSource } from "../core/skill/skill.ts";
import { createParkedCalls } from "../core/turn/parked-calls.ts";
import { shownPerson } from "../core/values/place.ts";
import { createArgumentCheck } from "./argument-check.ts";
import { createConfigFile } from "./config-file.ts";
import type { Environment } from "./expand-variables.ts";
import { type McpLogin, sharedAccount } from "./login-port.ts";
import { loginServer } from "./login-server.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { RemoteServer } from "./remote-tool.ts";
import type { ServerConfig } from "./server-config.ts";
import type { ServerRequests } from "./server-requests.ts";
import { createServerSkills } from "./server-skill.ts";

/** Servers that are started at the same time without anybody waiting for them: the machine has other things to do. */
const startsAtOnce = 2;

export interface McpServersOptions {
  /** Absolute path of the file of servers; it may be missing. */
  file: string;
  /** What `${NAME}` in the file is filled from. Servers get nothing else of it but `network`. */
  environment: Environment;
  /** Variables by which programs find this machine's proxy, registries and certificates; those of an entry win. */
  network?: Readonly<Record<string, string>>;
  /** Remembers what tools servers have. */
  store: KeyValue;
  clock: Clock;
  /** Knack's own version. */
  version: string;
  /** Longest time until a server has introduced itself, ms. */
  connect_ms: number;
  /** Longest silence of a call, ms. */
  call_ms: number;
  /** Attempts in a row to start a process, after which somebody has to. */
  most_attempts: number;
  /** How long a call stays open while a person is asked, ms. */
  question_ms: number;
  /** Without it servers that need an account cannot be used. */
  login?: McpLogin | undefined;
  /** Without it what servers ask is refused. */
  requests?: ServerRequests | undefined;
  report(error: unknown, where: string): void;
}

export interface McpServers {
  servers: Servers;
  source: SkillSource;
  /** Begins to start, in the background, the servers nothing is known of yet. All others start with their first call. */
  start(): void;
  /** Ends all sessions and processes. */
  close(): Promise<void>;
}

interface MadeSkills {
  remote: RemoteServer | undefined;
  problem: string | undefined;
  ready: (() => Promise<void>) | undefined;
  skills: readonly Skill[];
}

/** The tool servers of the configuration file, as skills. Changes of the file count from the next `load` on. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { clock, login, report } = options;
  const file = createConfigFile(options.file, options.environment, options.network);
  const parked = createParkedCalls(clock, options.question_ms);
  const check = createArgumentCheck();
  const known = new Map<string, ManagedServer>();
  const origin = { source: "mcp", precedence: 2, path: options.file };
  let diagnostics: readonly Diagnostic[] = [];
  let read: readonly ServerConfig[] | undefined;
  let latest: LoadedSkills = { skills: [], diagnostics };
  const made = new WeakMap<ManagedServer, MadeSkills>();
  let started = false;
  let closed = false;
  let background: Promise<unknown> = Promise.resolve();
  let syncing: Promise<void> | undefined;

  const inBackground = (work: Promise<unknown>) => {
    const safe = work.catch((error: unknown) => report(error, "tool servers"));
    // Without their results: kept, those of all work there ever was would hang on each other.
    background = Promise.all([background, safe]).then(() => undefined);
  };

  const add = async (config: ServerConfig) => {
    // Most bots have no server, and need nothing of this.
    const { createManagedServer } = await import("./managed-server.ts");
    const server = createManagedServer(config, {
      ...options,
      login,
      requests: options.requests,
      parked,
    });
    await server.recall();
    known.set(config.name, server);
  };
  const remove = (name: string) => {
    const server = known.get(name);
    known.delete(name);
    if (server !== undefined) inBackground(server.stop());
  };

  const apply = async () => {
    const next = await file.read();
    diagnostics = next.diagnostics;
    if (next.servers === read || closed) return;
    read = next.servers;
    const configs = new Map(next.servers.map((config) => [config.name, config]));
    for (const [name, { config }] of known) {
      if (JSON.stringify(configs.get(name)) !== JSON.stringify(config)) remove(name);
    }
    for (const config of next.servers) if (!known.has(config.name)) await add(config);
    if (started) startInBackground();
  };
  const startInBackground = () => {
    if (known.size === 0) return;
    inBackground(startWanted([...known.values()]));
  };
  /** One at a time: two turns that begin together must not start a server twice. */
  const sync = (): Promise<void> => {
    syncing ??= apply().finally(() => {
      syncing = undefined;
    });
    return syncing;
  };

  /** The skills of a server; the same objects while nothing about them changed. */
  const skillsOf = (server: ManagedServer): readonly Skill[] => {
    const remote = server.remote();
    const problem = server.problem();
    const ready = server.ready();
    const before = made.get(server);
    const isSame = before?.remote === remote && before?.problem === problem && before?.ready === ready;
    if (before !== undefined && isSame) return before.skills;
    const { config, call } = server;
    const skills = createServerSkills({ server: config, origin, remote, problem, ready, check, call });
    made.set(server, { remote, problem, ready, skills });
    return skills;
  };

  const find = async (name: string) => {
    await sync();
    return known.get(name);
  };
  const forgetListener = login?.onConnected((name, account) => {
    inBackground(find(name).then((server) => server?.renew(account)));
  });

  return {
    source: {
      id: `mcp:${options.file}`,
      async load() {
        await sync();
        const skills = [...known.values()].flatMap(skillsOf);
        const isSame =
          latest.diagnostics === diagnostics &&
          skills.length === latest.skills.length &&
          skills.every((skill, at) => skill === latest.skills[at]);
        if (!isSame) latest = { skills, diagnostics };
        return latest;
      },
    },
    servers: {
      list: () => [...known.values()].map((server) => server.status()),
      problems: () => diagnostics,
      async start(name) {
        const server = await find(name);
        await server?.start(true);
        return server?.status();
      },
      async stop(name) {
        const server = await find(name);
        await server?.stop();
        return server?.status();
      },
      async restart(name) {
        const server = await find(name);
        await server?.stop();
        await server?.start(true);
        return server?.status();
      },
      ...logins(login, find),
    },
    start() {
      started = true;
      inBackground(sync().then(startInBackground));
    },
    async close() {
      closed = true;
      forgetListener?.();
      parked.close();
      await Promise.all([check.close(), ...[...known.values()].map((server) => server.stop())]);
      await background;
    },
  };
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

/** For who is known by their key alone: `U1 (Slack)`. */
function readablePerson(person: string): string {
  return shownPerson(person, person.split(":").slice(2).join(":") || person);
}

function logins(
  login: McpLogin | undefined,
  find: (name: string) => Promise<ManagedServer | undefined>,
): Pick<Servers, "login" | "logout"> {
  const targetOf = async (name: string, person: string) => {
    const server = await find(name);
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
