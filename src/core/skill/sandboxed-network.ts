import { coversHost } from "./network-grants.ts";
import type { NetworkAccess } from "./programs.ts";
import type { ToolContext } from "./tool.ts";

/** Hosts one question to an operator names; code that tries more is not asked about. */
const mostHosts = 10;

/**
 * What came of a run. `refused` are the hosts it tried to reach at its end without being allowed to; those of this machine and of
 * private networks are among them.
 */
export interface NetworkOutcome<T> {
  value: T;
  refused: readonly string[];
}

/**
 * Runs code of a skill with the network operators granted it. They are asked for `knownHosts` before it runs, and it runs without those
 * they refuse: it may not need them. A host it only turns out to need is asked for afterwards, and the code is run again with it, but
 * only while the run had no connection at all: so nothing that reached the world is done twice. While an operator decides,
 * `context.network.request` rejects, and so does this.
 */
export async function withGrantedNetwork<T>(
  context: Pick<ToolContext, "network">,
  knownHosts: readonly string[],
  run: (access: NetworkAccess) => Promise<T>,
): Promise<NetworkOutcome<T>> {
  const { network } = context;
  const needed = missingHosts(knownHosts, await network.hosts()).filter(network.couldReach);
  const denied = needed.length > 0 && !(await network.request(needed)) ? needed : [];
  for (;;) {
    const watched = watchNetwork(await network.hosts());
    const value = await run(watched.access);
    const refused = missingHosts(watched.refused, []);
    const ran = { value, refused };
    const wanted = refused.filter((host) => network.couldReach(host) && !denied.includes(host));
    if (watched.connected() || wanted.length === 0 || wanted.length > mostHosts) return ran;
    if (!(await network.request(wanted))) return ran;
    // Granted in vain (the grant is bound to something else by now): the second run would end like the first.
    if (missingHosts(wanted, await network.hosts()).length > 0) return ran;
  }
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

/** Names of one or more labels, and addresses; with a port or without. */
const hostName = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[?(?=[0-9a-f.]*:)[0-9a-f:.]+\]?)(?::\d{1,5})?$/;

/** What can be asked for: names and addresses, each once. `*`, which stands for every host in a grant, is no host. */
function missingHosts(wanted: Iterable<string>, granted: readonly string[]): string[] {
  const names = [...wanted].map((host) => host.toLowerCase());
  return [...new Set(names)].filter(
    (host) => host.length <= 253 && hostName.test(host) && !coversHost(granted, host),
  );
}
