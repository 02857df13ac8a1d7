import type { Clock, KeyValue } from "../ports/storage.ts";
import type { NetworkAccess } from "./programs.ts";
import { isInstalled, type Skill } from "./skill.ts";
import type { ToolContext } from "./tool.ts";

type Grant = {
  /** The folder that the grant is bound to: another skill with the same id inherits nothing. */
  path: string;
  /** Set for installed packages: after a new installation the grant has to be given again. */
  hash?: string;
  hosts: { host: string; by: string; at: number }[];
};

/** The hosts that operators let a skill's code reach. Skills cannot grant themselves hosts. */
export class NetworkGrants {
  /** Whether a host could be reached if granted, judged by its name. This machine and private addresses cannot. */
  readonly couldReach: (host: string) => boolean;
  readonly #store: KeyValue;
  readonly #fixed: (skill: Skill) => readonly string[];
  readonly #clock: Pick<Clock, "now">;

  /** @param fixed returns the hosts that the configuration grants */
  constructor(
    store: KeyValue,
    fixed: (skill: Skill) => readonly string[],
    clock: Pick<Clock, "now">,
    couldReach = (_host: string) => true,
  ) {
    this.#store = store;
    this.#fixed = fixed;
    this.#clock = clock;
    this.couldReach = couldReach;
  }

  /** Host names in lower case; `*.example.com` stands for its subdomains, `*` for every host. */
  async hostsOf(skill: Skill): Promise<readonly string[]> {
    const { hosts } = boundTo(skill, await this.#store.get(grantKey(skill)));
    const all = [...this.#fixed(skill), ...hosts.map(({ host }) => host)];
    return [...new Set(all)].map((host) => host.toLowerCase());
  }

  async grant(skill: Skill, hosts: readonly string[], by: string): Promise<void> {
    await this.#change(skill, (granted) => {
      const fresh = hosts
        .map((host) => host.toLowerCase())
        .filter((host) => !granted.some((each) => each.host === host));
      return [...granted, ...fresh.map((host) => ({ host, by, at: this.#clock.now() }))];
    });
  }

  /** Revokes hosts, by default all. Hosts from the configuration stay granted. */
  async revoke(skill: Skill, hosts?: readonly string[]): Promise<void> {
    const gone = hosts?.map((host) => host.toLowerCase());
    await this.#change(skill, (granted) =>
      granted.filter(({ host }) => gone !== undefined && !gone.includes(host)),
    );
  }

  async #change(skill: Skill, change: (granted: Grant["hosts"]) => Grant["hosts"]): Promise<void> {
    await this.#store.update(grantKey(skill), (before) => {
      const grant = boundTo(skill, before);
      return { ...grant, hosts: change(grant.hosts) };
    });
  }
}

const grantKey = (skill: Skill) => `grant:${skill.parent ?? skill.id}`;

/** The stored grant of a skill, as far as it is bound to the skill as it is now. */
function boundTo(skill: Skill, stored: unknown): Grant {
  const grant = stored as Grant | undefined;
  const { path, installed_at = 0 } = skill.origin;
  const hash = isInstalled(skill) ? { hash: skill.hash } : {};
  if (grant?.path !== path || grant.hash !== hash.hash) return { path, ...hash, hosts: [] };
  return { ...grant, hosts: grant.hosts.filter(({ at }) => at >= installed_at) };
}

/** Whether a list of granted hosts covers a host. */
export function coversHost(granted: readonly string[], host: string): boolean {
  const name = plainHost(host);
  return granted.some(
    (each) => each === "*" || each === name || (each.startsWith("*.") && name.endsWith(each.slice(1))),
  );
}

/** Access to the granted hosts. @param reached called for each connection with its host */
export function accessTo(
  granted: readonly string[],
  reached: (host: string) => void = () => {},
): NetworkAccess {
  return {
    permits(host) {
      const isGranted = coversHost(granted, host);
      if (isGranted) reached(plainHost(host));
      return isGranted;
    },
  };
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Maximum hosts in one question to an operator. If code tries more, nobody is asked. */
const maxHosts = 10;

/**
 * The result of a run. `refused` are the hosts, including those of this machine and of private networks, that the last run tried to reach
 * without permission.
 */
interface NetworkOutcome<T> {
  value: T;
  refused: readonly string[];
}

/**
 * Runs code of a skill with the network access that operators granted. They are asked for `knownHosts` before the run; hosts they refuse
 * may not be needed, so the code runs without them. For other hosts they are asked after the run, and the code is run again, but only if
 * the first run had no connection at all: nothing that reached the network is done twice. While an operator decides,
 * `context.network.request` rejects, and so does this function.
 */
export async function withGrantedNetwork<T>(
  context: Pick<ToolContext, "network">,
  knownHosts: readonly string[],
  run: (access: NetworkAccess) => Promise<T>,
): Promise<NetworkOutcome<T>> {
  const { network } = context;
  const denied = await requestHosts(context, knownHosts);
  for (;;) {
    const watched = watchNetwork(await network.hosts(), network.reached);
    const value = await run(watched.access);
    const refused = missingHosts(watched.refused, []);
    const ran = { value, refused };
    const wanted = refused.filter((host) => network.couldReach(host) && !denied.includes(host));
    if (watched.connected() || wanted.length === 0 || wanted.length > maxHosts) return ran;
    if (!(await network.request(wanted))) return ran;
    // The grant had no effect, because it is bound to another version by now. A second run would end like the first.
    if (missingHosts(wanted, await network.hosts()).length > 0) return ran;
  }
}

/** Asks an operator for hosts that code is known to need. Returns those that were refused. */
export async function requestHosts(
  { network }: Pick<ToolContext, "network">,
  hosts: readonly string[],
): Promise<readonly string[]> {
  const needed = missingHosts(hosts, await network.hosts()).filter(network.couldReach);
  return needed.length > 0 && !(await network.request(needed)) ? needed : [];
}

/** The explanation for a failure of code that was refused hosts; undefined if there were none. */
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
  return `It tried to reach ${refused.slice(0, maxHosts).join(", ")}, which it may not. ${how}`;
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

function watchNetwork(granted: readonly string[], reached: (host: string) => void): WatchedNetwork {
  const refused = new Set<string>();
  let connected = false;
  const access = accessTo(granted, (host) => {
    connected = true;
    reached(host);
  });
  const permits = (host: string): boolean => {
    const isGranted = access.permits(host);
    if (!isGranted && refused.size < 100) refused.add(plainHost(host));
    return isGranted;
  };
  return { access: { permits }, refused, connected: () => connected };
}

/** Names of one or more labels, and addresses; with or without a port. */
const hostName = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[?(?=[0-9a-f.]*:)[0-9a-f:.]+\]?)(?::\d{1,5})?$/;

/** The hosts that can be requested: names and addresses, without duplicates. `*`, which stands for every host in a grant, is not a host. */
function missingHosts(wanted: Iterable<string>, granted: readonly string[]): string[] {
  const names = [...wanted].map((host) => host.toLowerCase());
  return [...new Set(names)].filter(
    (host) => host.length <= 253 && hostName.test(host) && !coversHost(granted, host),
  );
}
