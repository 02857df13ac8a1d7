import type { LoginServer } from "./login-port.ts";
import type { ServerConfig } from "./server-config.ts";

/** How the login knows it; undefined when nobody can log in. */
export function loginServer({ name, target, credentials, oauth }: ServerConfig): LoginServer | undefined {
  if (target.type === "stdio" || credentials === "none") return undefined;
  return { name, url: target.url, credentials, oauth };
}
