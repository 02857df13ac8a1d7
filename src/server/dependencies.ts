import type { App } from "../app/app.ts";
import type { Log } from "../core/ports/storage.ts";
import type { Assets } from "./console-assets.ts";
import type { StreamTiming } from "./event-stream.ts";
import type { LoginPages } from "./routes/login-routes.ts";

/** Dependencies of the routes. */
export interface ServerDependencies {
  app: App;
  assets: Assets;
  version: string;
  logger: Pick<Log, "error">;
  /** The name shown for the person at this machine. */
  operator: string;
  /** Whether callers may send a person's id of a platform as `user`. */
  speakForPeople: boolean;
  /** Aborts when the server closes; streams then end. */
  closing: AbortSignal;
  /** Whether the bot is shutting down: it finishes running turns and is no longer ready. */
  draining(): boolean;
  /** Metrics in Prometheus' text format; without it there is no `/metrics`. */
  metrics?: (() => Promise<{ content_type: string; text: string }>) | undefined;
  timing: StreamTiming;
  /** Logins at tool servers; without it there are no pages for them. */
  login?: LoginPages | undefined;
}
