import { coversHost } from "./network-grants.ts";
import type { NetworkAccess } from "./programs.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** Hosts one question to an operator names; code that tries more is not asked about. */
const mostHosts = 10;

/**
 * What came of a run. `refused` are the hosts it tried to reach at its end without being allowed to; those of this machine and of
 * private networks are among them.
 */
export type NetworkOutcome<T> =
  | { status: "ran"; value: T; refused: readonly string[] }
  | { status: "refused"; hosts: readonly string[] };

/**
 * Runs code of a skill with the network operators granted it. They are asked for `knownHosts` before it runs: refused, it does not
 * run. A host it only turns out to need is asked for afterwards, and the code is run again with it, but only while the run had no
 * connection at all: so nothing that reached the world is done twice. While an operator decides, `context.network.request` rejects,
 * and so does this.
 */
export async function withGrantedNetwork<T>(
  context: Pick<ToolContext, "network">,
  knownHosts: readonly string[],
  run: (access: NetworkAccess) => Promise<T>,
): Promise<NetworkOutcome<T>> {
  const { network } = context;
  const needed = missingHosts(knownHosts, await network.hosts()).filter(network.couldReach);
  if (needed.length > 0 && !(await network.request(needed))) return { status: "refused", hosts: needed };
  for (;;) {
    const watched = watchNetwork(await network.hosts());
    const value = await run(watched.access);
    const refused = missingHosts(watched.refused, []);
    const ran = { status: "ran", value, refused } as const;
    const wanted = refused.filter(network.couldReach);
    if (watched.connected() || wanted.length === 0 || wanted.length > mostHosts) return ran;
    if (!(await network.request(wanted))) return ran;
    // Granted in vain (the grant is bound to something else by now): the second run would end like the first.
    if (missingHosts(wanted, await network.hosts()).length > 0) return ran;
  }
}

/** What a model reads instead of running code whose hosts an operator did not allow. */
export function refusedNetwork(skillId: string, hosts: readonly string[]): ToolResult {
  return {
    status: "error",
    code: "network_refused",
    message: `The skill ${skillId} was not run: it needs to reach ${hosts.join(", ")}, and no operator allowed that.`,
    hint: `${howToGrant(skillId, hosts)} Do not try it again in this turn.`,
  };
}

/** What explains the failure of code that was kept from hosts; undefined when there were none. */
export function networkHint(
  skillId: string,
  refused: readonly string[],
  couldReach: (host: string) => boolean,
): string | undefined {
  if (refused.length === 0) return undefined;
  const grantable = refused.filter(couldReach);
  const how =
    grantable.length === 0
      ? "Code of skills reaches neither this machine nor private networks."
      : howToGrant(skillId, grantable);
  return `It tried to reach ${refused.slice(0, mostHosts).join(", ")}, which it may not. ${how}`;
}

function howToGrant(skillId: string, hosts: readonly string[]): string {
  const commands = hosts.slice(0, 3).map((host) => `/skill grant ${skillId} ${host}`);
  return `An operator can allow it: ${commands.join(", ")}.`;
}

interface WatchedNetwork {
  access: NetworkAccess;
  refused: Set<string>;
  connected(): boolean;
}

function watchNetwork(granted: readonly string[]): WatchedNetwork {
  const refused = new Set<string>();
  let connected = false;
  const permits = (host: string): boolean => {
    const allowed = coversHost(granted, host);
    if (allowed) connected = true;
    else if (refused.size < 100) refused.add(host.toLowerCase().replace(/\.$/, ""));
    return allowed;
  };
  return { access: { permits }, refused, connected: () => connected };
}

/** What can be asked for: names and addresses, each once. `*`, which stands for every host in a grant, is no host. */
function missingHosts(wanted: Iterable<string>, granted: readonly string[]): string[] {
  const names = [...wanted].map((host) => host.toLowerCase());
  return [...new Set(names)].filter(
    (host) => /^[a-z0-9_.:-]{1,253}$/.test(host) && !coversHost(granted, host),
  );
}
