import type { CatalogueLoader } from "../../core/catalogue.ts";
import type { NetworkGrants } from "../../core/network-grants.ts";
import type { Asker, Outcome } from "../../core/outcome.ts";
import { mayOperate } from "../../core/permissions.ts";
import type { Skill } from "../../core/skill.ts";
import { resolveSkill } from "../../core/skill-identifier.ts";
import type { Feed } from "../turns/feed.ts";
import type { Audit } from "./audit.ts";
import type { Granted, GrantService } from "./grant-service.ts";
import { readHost } from "./host-name.ts";

export interface GrantServiceDeps {
  grants: NetworkGrants;
  catalogue: CatalogueLoader;
  audit: Audit;
  feed: Feed;
}

export function createGrantService({ grants, catalogue, audit, feed }: GrantServiceDeps): GrantService {
  const find = async (id: string): Promise<Outcome<Skill>> => {
    const { skills } = await catalogue.current();
    const resolved = resolveSkill(id, skills.values());
    const skill = resolved.status === "found" ? skills.get(resolved.id) : undefined;
    const root = skill?.parent === undefined ? skill : (skills.get(skill.parent) ?? skill);
    if (root !== undefined) return { ok: true, value: root };
    const near = resolved.status === "unknown" ? resolved.nearest : [];
    const hint =
      near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`/skill list` shows what there is.";
    return { ok: false, status: 404, message: `There is no skill called ${id || "that"}. ${hint}` };
  };

  const answer = async (skill: Skill): Promise<Outcome<Granted>> => ({
    ok: true,
    value: { skill_id: skill.id, granted: [...(await grants.hostsOf(skill))] },
  });

  const note = (action: string, detail: string, skill: Skill, asker: Asker) => {
    audit.record({ action, ...asker, subject: skill.id, detail });
    feed.changed(asker.namespace);
  };

  return {
    async grant(id, hosts, asker) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await find(id);
      if (!found.ok) return found;
      const read = readHosts(hosts);
      if (!read.ok) return read;
      const beyond = read.value.filter((host) => !grants.couldReach(host));
      if (beyond.length > 0) return outOfReach(beyond);
      await grants.grant(found.value, read.value, asker.by.id);
      const detail = `let **${found.value.id}** reach ${listed(read.value)}`;
      note("network_granted", detail, found.value, asker);
      return answer(found.value);
    },

    async revoke(id, hosts, asker) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await find(id);
      if (!found.ok) return found;
      const read = hosts === undefined ? undefined : readHosts(hosts);
      if (read !== undefined && !read.ok) return read;
      await grants.revoke(found.value, read?.value);
      const what = read === undefined ? "all hosts" : listed(read.value);
      note("network_revoked", `took ${what} back from **${found.value.id}**`, found.value, asker);
      return answer(found.value);
    },
  };
}

function listed(hosts: readonly string[]): string {
  return hosts.map((host) => `\`${host}\``).join(", ");
}

function readHosts(texts: readonly string[]): Outcome<string[]> {
  if (texts.length === 0) return wrong("Name at least one host, such as `api.example.com`.");
  const hosts: string[] = [];
  for (const text of texts) {
    const host = readHost(text);
    if (host === undefined) {
      return wrong(
        `\`${text.replaceAll("`", "").slice(0, 100)}\` is no host. Write a name such as \`api.example.com\`, \`*.example.com\` for all below it, \`api.example.com:8443\` for a port of its own, or \`*\` for every host.`,
      );
    }
    hosts.push(host);
  }
  return { ok: true, value: [...new Set(hosts)] };
}

function wrong(message: string): Outcome<never> {
  return { ok: false, status: 400, message };
}

function outOfReach(hosts: readonly string[]): Outcome<never> {
  const message = `${hosts.join(", ")}: code of skills reaches neither this machine nor private networks, whatever is granted. The bot's operator can make an exception for addresses of a private network with KNACK_NET_ALLOW.`;
  return { ok: false, status: 400, message };
}

const onlyOperators: Outcome<never> = {
  ok: false,
  status: 403,
  message: "Only operators of the bot may decide what the code of a skill reaches. Ask one of them.",
};
