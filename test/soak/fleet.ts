import { setTimeout as sleep } from "node:timers/promises";
import type { BotHome, BotProcess, StartOptions } from "../support/bot/bot-process.ts";
import { freePort } from "../support/bot/free-port.ts";
import type { SoakStore } from "./store.ts";

export const roleNames = ["all", "gateway", "worker"] as const;
export type Role = (typeof roleNames)[number];

/** A process of the bot, through all its lives. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  /** Starts it, and resolves when it is ready. */
  start(): Promise<void>;
  /** Starts it and kills it a moment later, ready or not. */
  startInVain(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
  /** Lets it end its turns, and starts another version of the bot in its place. */
  replace(program: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Whether one of its lives ended without a kill. */
  hasFallen(): boolean;
  /** What all its lives wrote to stderr. */
  log(): string;
}

/** All processes of a bot. */
export interface Fleet {
  readonly members: readonly Member[];
  /** Where clients reach it. */
  readonly addresses: readonly string[];
}

/** A process that is killed while it starts lives so long at most, ms. */
const maxVainMs = 2_000;

/** Times that a process is started before that counts as a failure: a server that restarts may refuse it. */
const maxStarts = 5;

export interface FleetOptions {
  roles: readonly Role[];
  /** Added to the environment of the process with this name. */
  env?(name: string): Record<string, string>;
}

/** Starts processes of these roles that share a data folder and a store. */
export async function startFleet(
  home: BotHome,
  store: SoakStore,
  { roles, env = () => ({}) }: FleetOptions,
): Promise<Fleet> {
  const members = await Promise.all(
    roles.map(async (role, at) => {
      const name = `${role}-${at}`;
      return createMember(home, {
        role,
        name,
        port: await freePort(),
        env: { ...store.env(name), ...env(name) },
      });
    }),
  );
  await Promise.all(members.map((member) => member.start()));
  return { members, addresses: members.filter(({ role }) => role !== "worker").map(({ url }) => url) };
}

function createMember(
  home: BotHome,
  { name, ...options }: { role: Role; name: string; port: number; env: Record<string, string> },
): Member {
  const { role, port } = options;
  const how: StartOptions = options;
  const ended: string[] = [];
  let bot: BotProcess | undefined;
  let fallen = false;
  const end = async (how: (life: BotProcess) => Promise<unknown>) => {
    const life = bot;
    bot = undefined;
    if (life === undefined) return;
    await how(life);
    ended.push(life.err());
  };
  return {
    name,
    role,
    url: `http://127.0.0.1:${port}`,
    async start() {
      for (let left = maxStarts - 1; bot === undefined; left -= 1) {
        bot = await home.start(how).catch((error: unknown) => {
          if (left === 0) throw error;
          ended.push(String(error));
          return undefined;
        });
      }
      const life = bot;
      void life.exited.then(() => {
        fallen ||= bot === life;
      });
    },
    async startInVain() {
      const child = home.spawn(["start", "--role", role, "--port", String(port)], how);
      await sleep(Math.random() * maxVainMs);
      child.signal("SIGKILL");
      await child.exited;
      ended.push(child.err());
    },
    kill: () => end((life) => life.kill()),
    async replace(program) {
      await end((life) => life.terminate());
      how.program = program;
      await this.start();
    },
    signal: (signal) => bot?.signal(signal),
    hasFallen: () => fallen,
    log: () => [...ended, bot?.err() ?? ""].join("\n---\n"),
  };
}
