import type { Approver, ToolEffect } from "../core/values/inbound.ts";
import type { OAuthSettings } from "./login/oauth-settings.ts";
import type { LoginServer } from "./login-port.ts";

/** How a server is reached. `http` without `fallback` is Streamable HTTP alone. */
export type Target =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd?: string | undefined }
  | { type: "http"; url: string; headers: Record<string, string>; fallback: boolean }
  | { type: "sse"; url: string; headers: Record<string, string> };

/** One server of the file, checked, its variables filled in. */
export interface ServerConfig {
  name: string;
  target: Target;
  /** The same for the same entry: tools remembered under another one are not these. */
  hash: string;
  disabled: boolean;
  auto_start: boolean;
  /** Bare names of tools nobody is offered. */
  suppressed: readonly string[];
  credentials: "none" | "shared" | "per_user";
  oauth: OAuthSettings;
  /** Longest silence of one call, ms; what is configured for all unless its own. */
  timeout_ms: number | undefined;
  description: string | undefined;
  risk: "low" | "medium" | "high";
  /** The same for the same program or address, whatever else its entry says: trust is given to a server, not to a name. */
  identity: string;
  /** By bare tool name; `*` is every tool. The server's own hints count where nothing is said. */
  effects: Readonly<Record<string, ToolEffect>>;
  approvals: Readonly<Record<string, Approver | "none">>;
  /** Bare names of tools that are called again with the same arguments, to wait for something; `*` is every tool. */
  repeatable: readonly string[];
  /** Values that must not be shown: of variables and headers. */
  secrets: readonly string[];
}

/** How the login knows it; undefined when nobody can log in. */
export function loginServer({ name, target, credentials, oauth }: ServerConfig): LoginServer | undefined {
  if (target.type === "stdio" || credentials === "none") return undefined;
  return { name, url: target.url, credentials, oauth };
}
