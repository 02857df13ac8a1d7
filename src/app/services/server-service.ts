import type { Asker, Outcome } from "../../core/outcome.ts";
import type { ServerStatus } from "../../core/servers.ts";
import type { Diagnostic } from "../../core/skill.ts";
import type { Approver } from "../../core/tool.ts";

export type ServerAction = "start" | "stop" | "restart";

/** A tool of a server, and whether calls of it ask; what decides that is missing for tools that nobody is offered. */
export interface ServerToolView {
  name: string;
  description: string;
  suppressed: boolean;
  /** What the server says of it. */
  read_only?: boolean | undefined;
  destructive?: boolean | undefined;
  /** Names the tool as it is now; trust is given to this. */
  definition?: string | undefined;
  /** An operator let it run unasked as it is now. */
  trusted?: boolean | undefined;
  /** Who is asked when the model calls it for a member of a channel. */
  asks?: Approver | "nobody" | undefined;
}

/** A server as people see it. */
export interface ServerView extends Omit<ServerStatus, "tools"> {
  tools: ServerToolView[];
}

/** Tools that may run unasked, each as the operator saw it. */
type TrustedTools = readonly { name: string; definition: string }[];

/** Tool servers (MCP) as people see and control them. */
export interface ServerService {
  /** The servers as they are configured by now. Empty where none is. */
  list(): Promise<readonly ServerView[]>;
  /** What of the file of servers was left out or has no effect, and why. */
  problems(): Promise<readonly Diagnostic[]>;
  /** For operators: these tools of the server, and no others, may run unasked. */
  trust(name: string, tools: TrustedTools, asker: Asker): Promise<Outcome<ServerView>>;
  /** For operators. Answers how the server does afterwards: it may have failed to start. */
  control(name: string, action: ServerAction, asker: Asker): Promise<Outcome<ServerStatus>>;
  /** Where the asker connects their account, for them alone. An account that is shared is for operators to connect. */
  login(name: string, asker: Asker): Promise<Outcome<{ url: string }>>;
  /** Forgets the account of the asker; the shared one, for operators. */
  logout(name: string, asker: Asker): Promise<Outcome<ServerStatus>>;
}
