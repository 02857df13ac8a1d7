import type { Context } from "hono";
import { isForwarded, isLoopback, type Security } from "./access.ts";
import { HttpProblem } from "./http-problem.ts";

/**
 * Refuses what only programs on the bot's own machine may ask, such as to read a folder there. Those are calls of the same process,
 * and calls to a server that listens for this machine alone and stands behind no proxy.
 * @throws HttpProblem (403)
 */
export function requireOwnMachine(context: Context, { host, allowedHosts = [] }: Security): void {
  if (isSameProcess(context)) return;
  if (isLoopback(host) && allowedHosts.length === 0 && !isForwarded(context)) return;
  throw new HttpProblem(
    403,
    "A path of the bot's machine is taken only from programs on that machine, while the bot listens on 127.0.0.1. Send the archive itself, or its address.",
    { code: "path_refused" },
  );
}

/** The listener gives every request its sockets; a call of the same process has none. */
function isSameProcess({ env }: Context): boolean {
  return typeof env !== "object" || env === null || !("incoming" in env);
}
