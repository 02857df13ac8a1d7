import type { ServerStatus } from "../core/servers.ts";
import type { Diagnostic } from "../core/skill.ts";
import type { Asker, Outcome } from "./outcome.ts";

export type ServerAction = "start" | "stop" | "restart";

/** Tool servers (MCP) as people see and control them. */
export interface ServerService {
  /** The servers as they are configured by now. Empty where none is. */
  list(): Promise<readonly ServerStatus[]>;
  /** What of the file of servers was left out or has no effect, and why. */
  problems(): Promise<readonly Diagnostic[]>;
  /** For operators. Answers how the server does afterwards: it may have failed to start. */
  control(name: string, action: ServerAction, asker: Asker): Promise<Outcome<ServerStatus>>;
  /** Where the asker connects their account, for them alone. An account that is shared is for operators to connect. */
  login(name: string, asker: Asker): Promise<Outcome<{ url: string }>>;
  /** Forgets the account of the asker; the shared one, for operators. */
  logout(name: string, asker: Asker): Promise<Outcome<ServerStatus>>;
}
