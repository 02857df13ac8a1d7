import type { Diagnostic } from "./skill.ts";

/** How a tool server (MCP) is doing. `needs_login`: somebody has to connect an account first. */
export type ServerState = "stopped" | "starting" | "running" | "failed" | "needs_login";

export interface ServerStatus {
  name: string;
  /** The skill that offers its tools. */
  skill_id: string;
  transport: "stdio" | "http" | "sse";
  state: ServerState;
  /** Why it failed or is stopped, in words for a person; secrets masked. */
  problem?: string | undefined;
  /** Whether it is started by itself when it is needed. */
  auto_start: boolean;
  /** Whose account it works with. */
  credentials: "none" | "shared" | "per_user";
  tools: { name: string; description: string; suppressed: boolean }[];
  /** Since when it is in this state, ms since the epoch. */
  since: number;
}

/** The tool servers of the configuration. Names that are not configured answer undefined. */
export interface Servers {
  list(): readonly ServerStatus[];
  /** What of the file of servers was left out or has no effect, and why. */
  problems(): readonly Diagnostic[];
  /** Resolves when it runs or has failed. */
  start(name: string): Promise<ServerStatus | undefined>;
  stop(name: string): Promise<ServerStatus | undefined>;
  restart(name: string): Promise<ServerStatus | undefined>;
  /**
   * The address at which this person (`personKey`) connects their account, to be given to them alone; `shared` credentials are for
   * operators to connect. Not ok: why there is none.
   * @param shown how the person is called where they confirm the login (`shownPerson`); a form of `person` unless told
   */
  login(
    name: string,
    person: string,
    shown?: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Forgets the account of this person, or the shared one. */
  logout(name: string, person: string): Promise<void>;
}
