import type { OpenAPIHono } from "@hono/zod-openapi";
import type { App } from "../app/app.ts";
import type { Log } from "../core/ports/storage.ts";
import { requireSafeSetup, type Security } from "./access.ts";
import type { Assets } from "./console-assets.ts";
import type { ServerDependencies } from "./dependencies.ts";
import type { StreamTiming } from "./event-stream.ts";
import { createHttpApi } from "./http-api.ts";
import { createListener, type OutsideHandler } from "./listener.ts";
import type { LoginPages } from "./routes/login-routes.ts";

export interface ServerOptions {
  app: App;
  assets: Assets;
  security: Security;
  /** Knack's version. */
  version: string;
  logger: Pick<Log, "error">;
  /** The name shown for the person at this machine; `operator` unless told. */
  operator?: string;
  /** Whether callers may speak for people of platforms, by their ids; not unless told. */
  speakForPeople?: boolean;
  timing?: StreamTiming;
  /** Where people come back to from logins at tool servers. */
  login?: LoginPages | undefined;
  /** What is counted, in Prometheus' text format. */
  metrics?: ServerDependencies["metrics"];
  /** Requests it takes are not checked here, and need no token. */
  outside?: OutsideHandler;
}

/** The HTTP API, the console and the health checks. */
export interface KnackServer {
  /** Handles requests of the same process: `server.app.fetch(new Request("http://localhost/api/v1/about"))`. */
  readonly app: OpenAPIHono;
  /** Answers the console's address. @throws ServerSetupError when the address cannot be had */
  listen(): Promise<{ url: string }>;
  /** From now on the bot says that it is not ready, so that whatever shares out requests goes elsewhere. */
  drain(): void;
  /** Ends the streams, lets other requests finish, and stops listening. */
  close(): Promise<void>;
}

/** @throws ServerSetupError when others could reach the server and it has no token */
export function createServer(options: ServerOptions): KnackServer {
  requireSafeSetup(options.security);
  const closing = new AbortController();
  let draining = false;
  const app = createHttpApi(
    {
      app: options.app,
      assets: options.assets,
      version: options.version,
      logger: options.logger,
      operator: options.operator ?? "operator",
      speakForPeople: options.speakForPeople ?? false,
      closing: closing.signal,
      draining: () => draining,
      metrics: options.metrics,
      login: options.login,
      timing: options.timing ?? { heartbeat_ms: 15_000, stall_ms: 30_000 },
    },
    options.security,
  );
  const listener = createListener(app.fetch, options.security, options.outside);
  return {
    app,
    listen: () => listener.listen(),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      closing.abort();
      await listener.close();
    },
  };
}
