import type { Clock } from "../ports/clock.ts";
import type { KeyValue } from "../ports/key-value.ts";
import { isInstalled, type Skill } from "./skill.ts";

/** Which hosts operators let the code of a skill reach. Copied-in skills cannot say so themselves. */
export interface NetworkGrants {
  /** Whether a host, by its name alone, could be reached if it were granted: this machine and private addresses cannot. */
  couldReach(host: string): boolean;
  /** Host names in lower case; `*.example.com` stands for its subdomains, `*` for every host. */
  hostsOf(skill: Skill): Promise<readonly string[]>;
  grant(skill: Skill, hosts: readonly string[], by: string): Promise<void>;
  /** Takes hosts back, all unless named. Those of the configuration stay. */
  revoke(skill: Skill, hosts?: readonly string[]): Promise<void>;
}

interface Grant {
  /** What it is bound to: another skill of the same id inherits nothing. */
  path: string;
  /** Set for installed packages: what is installed anew has to be granted anew. */
  hash?: string;
  hosts: { host: string; by: string; at: number }[];
}

/** `fixed` are the hosts the configuration grants. */
export function createNetworkGrants(
  store: KeyValue,
  fixed: (skill: Skill) => readonly string[],
  clock: Pick<Clock, "now">,
  couldReach: NetworkGrants["couldReach"] = () => true,
): NetworkGrants {
  const keyOf = (skill: Skill) => `grant:${skill.parent ?? skill.id}`;
  const bound = (skill: Skill, grant: Grant | undefined): Grant => {
    const { path } = skill.origin;
    const hash = isInstalled(skill) ? { hash: skill.hash } : {};
    if (grant?.path !== path || grant.hash !== hash.hash) return { path, ...hash, hosts: [] };
    return { ...grant, hosts: grant.hosts.filter(({ at }) => at >= (skill.origin.installed_at ?? 0)) };
  };
  const read = async (skill: Skill) => bound(skill, (await store.get(keyOf(skill))) as Grant | undefined);
  return {
    couldReach,
    async hostsOf(skill) {
      const { hosts } = await read(skill);
      return [...new Set([...fixed(skill), ...hosts.map(({ host }) => host)])].map((host) =>
        host.toLowerCase(),
      );
    },
    async grant(skill, hosts, by) {
      await store.update(keyOf(skill), (before) => {
        const grant = bound(skill, before as Grant | undefined);
        const fresh = hosts
          .map((host) => host.toLowerCase())
          .filter((host) => !grant.hosts.some((each) => each.host === host));
        return { ...grant, hosts: [...grant.hosts, ...fresh.map((host) => ({ host, by, at: clock.now() }))] };
      });
    },
    async revoke(skill, hosts) {
      const gone = hosts?.map((host) => host.toLowerCase());
      await store.update(keyOf(skill), (before) => {
        const grant = bound(skill, before as Grant | undefined);
        return {
          ...grant,
          hosts: grant.hosts.filter(({ host }) => gone !== undefined && !gone.includes(host)),
        };
      });
    },
  };
}

/** Whether a list of granted hosts covers a host. */
export function coversHost(granted: readonly string[], host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return granted.some(
    (each) => each === "*" || each === name || (each.startsWith("*.") && name.endsWith(each.slice(1))),
  );
}
