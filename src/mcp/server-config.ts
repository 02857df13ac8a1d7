import type { Approver, ToolEffect } from "../core/values/inbound.ts";
import type { LoginServer, OAuthSettings } from "./login-port.ts";

/** How a server is reached. `http` without `fallback` is Streamable HTTP only. */
export type Target =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd?: string | undefined }
  | { type: "http"; url: string; headers: Record<string, string>; fallback: boolean }
  | { type: "sse"; url: string; headers: Record<string, string> };

/** A target that is reached by HTTP as MCP says. */
export type HttpTarget = Extract<Target, { type: "http" | "sse" }>;

export function isHttp(target: Target): target is HttpTarget {
  return target.type === "http" || target.type === "sse";
}

/** One server of the file, validated, with its variables filled in. */
export interface ServerConfig {
  name: string;
  target: Target;
  /** The same for the same entry: tools stored under another hash belong to another entry. */
  hash: string;
  disabled: boolean;
  auto_start: boolean;
  /** Bare names of tools that nobody is offered. */
  suppressed: readonly string[];
  credentials: "none" | "shared" | "per_user";
  oauth: OAuthSettings;
  /** Maximum silence of one call, ms; undefined uses the general setting. */
  timeout_ms: number | undefined;
  description: string | undefined;
  risk: "low" | "medium" | "high";
  /** The same for the same program or address, whatever else its entry says: trust is given to a server, not to a name. */
  identity: string;
  /** By bare tool name; `*` is every tool. The server's own hints apply where nothing is set. */
  effects: Readonly<Record<string, ToolEffect>>;
  approvals: Readonly<Record<string, Approver | "none">>;
  /** Bare names of tools that may be called again with the same arguments, to wait for something; `*` is every tool. */
  repeatable: readonly string[];
  /** Values of variables and headers that must not be shown. */
  secrets: readonly string[];
}

/** The server as its login knows it; undefined if it has none. */
export function loginServer({ name, target, credentials, oauth }: ServerConfig): LoginServer | undefined {
  if (!isHttp(target) || credentials === "none") return undefined;
  return { name, url: target.url, credentials, oauth };
}
