import type { App } from "../app/app.ts";
import type { Log } from "../core/ports/storage.ts";
import type { Assets } from "./console-assets.ts";
import type { StreamTiming } from "./event-stream.ts";
import type { LoginPages } from "./routes/login-routes.ts";

/** What the routes work with. */
export interface ServerDependencies {
  app: App;
  assets: Assets;
  version: string;
  logger: Pick<Log, "error">;
  /** The name shown for the person at this machine. */
  operator: string;
  /** Whether callers may give a person's id of a platform as their `user`. */
  speakForPeople: boolean;
  /** Aborts when the server closes: streams end. */
  closing: AbortSignal;
  /** Whether the bot is about to stop: it finishes what runs, and is no longer ready. */
  draining(): boolean;
  /** What is counted, in Prometheus' text format; without it there is no page of it. */
  metrics?: (() => Promise<{ content_type: string; text: string }>) | undefined;
  timing: StreamTiming;
  /** Logins at tool servers; without it there are no pages for them. */
  login?: LoginPages | undefined;
}
