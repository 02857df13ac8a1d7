import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { createCatchUp } from "../incoming/catch-up.ts";
import type { SlackBolt } from "./create-bolt-app.ts";
import type { SlackStatus } from "./slack-status.ts";
import { createSocketLine } from "./socket-line.ts";

export interface KeepConnectedDeps {
  status: SlackStatus;
  catchingUp: ReturnType<typeof createCatchUp>;
  clock: Clock;
  logger: Log;
  /** Name of the workspace, if it is one. */
  workspace: string | undefined;
}

/**
 * Keeps the socket open until the signal, and looks for what was missed each time it stands. Over HTTP, where Slack comes to us,
 * it looks once.
 */
export async function keepConnected(
  { socket }: SlackBolt,
  { status, catchingUp, clock, logger, workspace }: KeepConnectedDeps,
  signal: AbortSignal,
): Promise<void> {
  let standing = new AbortController();
  const connected = () => {
    standing = new AbortController();
    status.connected(workspace);
    logger.info({ platform: "slack", workspace }, "connected to Slack");
    catchingUp.connected(AbortSignal.any([standing.signal, signal]));
  };
  const lost = (error: unknown) => {
    standing.abort();
    status.lost(error, "app");
    logger.warn({ err: error, platform: "slack" }, "the connection to Slack is lost; trying again");
  };
  if (socket === undefined) connected();
  else await createSocketLine({ client: socket.client, clock, logger, connected, lost }).run(signal);
}
