/** Where people come back to from logins at tool servers, and where logins read who this bot is. */
import type { Config } from "../config/schema.ts";
import { type Clock, type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import type { Web } from "../core/ports/web.ts";
import { createMcpLogin, type McpLoginWithReturn } from "../mcp/login/create-mcp-login.ts";
import { loginPaths } from "../server/routes/login-routes.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";

interface LoginDeps {
  store: KeyValue;
  web: Web;
  clock: Clock;
  /** Where this bot listens, once it does. */
  listening(): string | undefined;
  report(error: unknown, where: string): void;
}

/** Logins at tool servers; their tokens are sealed with the bot's key. */
export function openToolServerLogin(config: Config, deps: LoginDeps): McpLoginWithReturn {
  const { server, data, secret_key } = config;
  const { store, web, clock, listening, report } = deps;
  const home = () => server.public_url ?? listening() ?? `http://127.0.0.1:${server.port}`;
  const isPublic = server.public_url?.startsWith("https://") ?? false;
  return createMcpLogin({
    store: scopeKeyValue(sealKeyValue(store, createSecretKey(data.folder, secret_key)), "mcp-login:"),
    web,
    clock,
    report,
    redirectUrl: () => addressOf(home(), loginPaths.callback),
    clientMetadataUrl: isPublic ? addressOf(home(), loginPaths.client) : undefined,
  });
}

/** A path under an address that may end in a slash or have a path of its own. */
function addressOf(home: string, path: string): string {
  return home.replace(/(?<!\/)\/+$/, "") + path;
}
