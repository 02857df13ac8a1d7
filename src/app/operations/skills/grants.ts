import { z } from "zod";
import type { Skill } from "../../../core/skill/skill.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { skillId } from "../../services/shapes.ts";
import { auditNote, operation, operators } from "../operation.ts";
import type { Services } from "../services.ts";
import { listed } from "../words.ts";
import { findSkill, skillOption, whichSkill } from "./find-skill.ts";

const hosts = z.array(z.string().min(1).max(300)).max(100);

const granted = z.object({
  skill_id: z.string(),
  granted: z.array(z.string()).describe("what its code may reach now"),
});

const who = operators("decide what the code of a skill reaches");
const answers = "what it may reach now";

export const grantHosts = operation({
  name: "skill.grant",
  input: z.object({
    id: skillId,
    hosts: hosts.min(1).describe("names such as api.example.com or *.example.com; * is every host"),
  }),
  output: granted,
  who,
  http: {
    route: "POST /skills/{id}/grant",
    summary: "Let the code of a skill reach hosts, in every channel",
    answers,
  },
  chat: {
    command: "skill grant",
    public: true,
    description: "Lets the code of a skill reach hosts, in every channel",
    options: [
      skillOption,
      {
        name: "hosts",
        description: "The hosts, separated by spaces: api.weather.example",
        required: true,
        usage: "<host> [<host> …]",
      },
    ],
    read(words) {
      const [id, ...hosts] = listed(words);
      return id === undefined || hosts.length === 0 ? undefined : { id, hosts };
    },
    missing: "Which skill, and which hosts? For example `/skill grant weather api.weather.example`.",
  },
  commandLine: { command: "skills grant <id> <host...>", read: ({ id, host }) => ({ id, hosts: host }) },
  text: (output) => `${reaches(output)} This counts in every channel.`,
  async run({ input, asker, services }) {
    const skill = await findRoot(input.id, services);
    if (!skill.ok) return skill;
    const hosts = readHosts(input.hosts);
    if (!hosts.ok) return hosts;
    const beyond = hosts.value.filter((host) => !services.grants.couldReach(host));
    if (beyond.length > 0) return outOfReach(beyond);
    await services.grants.grant(skill.value, hosts.value, asker.by.id);
    return grantedTo(skill.value, services);
  },
  audit({ skill_id }, { input }) {
    const detail = `let **${skill_id}** reach ${namesOf(input.hosts)}`;
    return auditNote("network_granted", skill_id, detail);
  },
});

export const revokeHosts = operation({
  name: "skill.revoke",
  input: z.object({ id: skillId, hosts: hosts.optional().describe("all hosts when left out") }),
  output: granted,
  who,
  http: {
    route: "POST /skills/{id}/revoke",
    summary: "Take hosts back from a skill, all unless named",
    answers,
  },
  chat: {
    command: "skill revoke",
    public: true,
    description: "Takes hosts back from a skill, all unless named",
    options: [
      skillOption,
      { name: "hosts", description: "The hosts to take back; all unless given", usage: "[<host> …]" },
    ],
    read(words) {
      const [id, ...hosts] = listed(words);
      return id === undefined ? undefined : { id, hosts: hosts.length === 0 ? undefined : hosts };
    },
    missing: whichSkill,
  },
  commandLine: {
    command: "skills revoke <id> [host...]",
    read: ({ id, host }) => ({ id, hosts: host?.length === 0 ? undefined : host }),
  },
  text(output, { hosts }) {
    const stays =
      hosts === undefined && output.granted.length > 0
        ? " The remaining hosts are in the bot's configuration, under `skills.network`."
        : "";
    return `${reaches(output)}${stays}`;
  },
  async run({ input, services }) {
    const skill = await findRoot(input.id, services);
    if (!skill.ok) return skill;
    const hosts = input.hosts === undefined ? undefined : readHosts(input.hosts);
    if (hosts !== undefined && !hosts.ok) return hosts;
    await services.grants.revoke(skill.value, hosts?.value);
    return grantedTo(skill.value, services);
  },
  audit({ skill_id }, { input }) {
    const what = input.hosts === undefined ? "all hosts" : namesOf(input.hosts);
    return auditNote("network_revoked", skill_id, `took ${what} back from **${skill_id}**`);
  },
});

type Granted = z.output<typeof granted>;

/** The skill, or the skill it is a part of: grants apply to the whole package. */
async function findRoot(id: string, services: Services): Promise<Outcome<Skill>> {
  const found = await findSkill(id, services);
  if (!found.ok || found.value.parent === undefined) return found;
  const { skills } = await services.catalogue.current();
  return { ok: true, value: skills.get(found.value.parent) ?? found.value };
}

async function grantedTo(skill: Skill, { grants }: Services): Promise<Outcome<Granted>> {
  return { ok: true, value: { skill_id: skill.id, granted: [...(await grants.hostsOf(skill))] } };
}

function readHosts(texts: readonly string[]): Outcome<string[]> {
  if (texts.length === 0) return failed(400, "Name at least one host, such as `api.example.com`.");
  const hosts = texts.map((text) => ({ text, host: readHost(text) }));
  const wrong = hosts.find(({ host }) => host === undefined);
  if (wrong === undefined) return { ok: true, value: [...new Set(hosts.flatMap(({ host }) => host ?? []))] };
  const message = `\`${wrong.text.replaceAll("`", "").slice(0, 100)}\` is not a host. Write a name such as \`api.example.com\`, \`*.example.com\` for all below it, \`api.example.com:8443\` for a specific port, or \`*\` for every host.`;
  return failed(400, message);
}

function outOfReach(hosts: readonly string[]): Outcome<never> {
  const message = `${hosts.join(", ")}: code of skills reaches neither this machine nor private networks, whatever is granted. The bot's operator can make an exception for addresses of a private network with KNACK_NET_ALLOW.`;
  return failed(400, message);
}

/** The hosts as they were read, in Markdown. */
function namesOf(texts: readonly string[]): string {
  const hosts = readHosts(texts);
  return (hosts.ok ? hosts.value : texts).map((host) => `\`${host}\``).join(", ");
}

function reaches({ skill_id, granted }: Granted): string {
  if (granted.length === 0) return `The code of **${skill_id}** may reach no host now.`;
  const files = "It reads files of the threads it is called in, and may send them there.";
  if (granted.includes("*")) return `The code of **${skill_id}** may reach every public host now. ${files}`;
  const hosts = granted.map((host) => `\`${host}\``).join(", ");
  return `The code of **${skill_id}** may reach ${hosts} now. ${files}`;
}

/** A label of a DNS host name (RFC 1123); internationalised labels in their ASCII form. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Ports that the grant of a host covers, as in URLs. */
const webPorts = ["", "80", "443"];

/**
 * Reads a host: a name or IPv4 address in lower case and ASCII, `*.name` or `*`. From an address such as `https://api.example.com/v1` only
 * the host is taken. A single host keeps a port other than 80 and 443, `name:8080`, because such a port has to be granted separately.
 * Undefined when the text is none of these.
 */
export function readHost(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "*") return "*";
  if (/^https?:\/\//i.test(trimmed)) return hostOfUrl(trimmed);
  const wild = trimmed.startsWith("*.");
  const [, name = "", port = ""] = /^([^:]*)(:\d{1,5})?$/.exec(wild ? trimmed.slice(2) : trimmed) ?? [];
  if (/[\s/?#@*\\%]/.test(name) || (wild && port !== "")) return undefined;
  const host = hostOfUrl(`http://${name}${port}/`);
  return wild && host !== undefined ? `*.${host}` : host;
}

function hostOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, username } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const isName = host.length <= 253 && host.split(".").every((part) => label.test(part));
  if (username !== "" || !isName) return undefined;
  return webPorts.includes(port) ? host : `${host}:${port}`;
}
