import { oneLine } from "../base/markdown-text.ts";
import type { Lane, LaneState } from "./lane.ts";
import type { RemoteServer } from "./remote-tool.ts";
import type { ServerConfig } from "./server-config.ts";

/** What most says of all connections of a server together. */
export function overallState(lanes: readonly Lane[]): LaneState {
  const states = lanes.map((lane) => lane.state());
  const order = ["running", "starting", "failed", "needs_login"] as const;
  const [first] = order.flatMap((state) => states.find((each) => each.state === state) ?? []);
  return first ?? { state: "stopped", since: 0 };
}

/** Why the tools of a server cannot be used now, for people; undefined when they can, be it that it starts with the first call. */
export function problemOf(
  config: ServerConfig,
  stopped: boolean,
  { state, problem, soon = false }: LaneState,
  remote: RemoteServer | undefined,
): string | undefined {
  const byHand = switchedOff(config, stopped, state);
  if (byHand !== undefined) return byHand;
  const soonThere =
    state === "stopped" ? "It is about to be started." : `Its server is starting${fetched(config)}.`;
  const starting = remote === undefined ? soonThere : undefined;
  if (config.credentials === "per_user") {
    return starting && `It needs an account; /mcp login ${config.name} connects yours.`;
  }
  if (state === "needs_login") {
    return `It needs an account; an operator connects one with /mcp login ${config.name}.`;
  }
  // A call waits for a server that is about to come back; taking its tools away for a moment would only confuse a model.
  if (state === "failed" && soon && remote !== undefined) return undefined;
  return state === "failed" ? `Its server failed. ${problem ?? ""}`.trim() : starting;
}

/** Programs that fetch a server before they start it, which takes minutes the first time and tells nobody. */
const fetching = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx|pnpm|yarn|docker|podman)(?:\.cmd|\.exe)?$/;

function fetched({ target }: ServerConfig): string {
  const [, program] = (target.type === "stdio" && fetching.exec(target.command)) || [];
  if (target.type !== "stdio" || program === undefined) return "";
  // Other arguments may hold a key.
  const name = target.args.find(
    (arg) =>
      /^@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?$/.test(arg) ||
      (/^[\w.-]+(?:@[\w.-]+){0,2}$/.test(arg) && /mcp|@/.test(arg)),
  );
  return `: ${program} is fetching ${name ?? "it"}, or starting it`;
}

/** What a server that is starting waits for. @param ms for how long it does @param tail what it wrote to stderr */
export function startingFor(config: ServerConfig, ms: number, tail: string): string {
  const last = tail.trim().split("\n").at(-1) ?? "";
  const wrote = last === "" ? "" : ` It wrote last: ${oneLine(last, 200)}`;
  return `Its server is starting${fetched(config)} (${Math.round(ms / 1000)} s).${wrote}`;
}

function switchedOff(
  { name, disabled, auto_start }: ServerConfig,
  stopped: boolean,
  state: LaneState["state"],
): string | undefined {
  if (disabled) return "It is switched off in the file of servers.";
  if (stopped) return `Its server was stopped; /mcp start ${name} starts it again.`;
  if (auto_start || state !== "stopped") return undefined;
  return `Its server is not started by itself (autoStart: false); /mcp start ${name} starts it.`;
}
