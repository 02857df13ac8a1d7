import type { Skill } from "../../core/skill/skill.ts";
import { hosts as known, suffixes } from "./known-names.ts";

const addresses =
  /\b[a-z][a-z+]{1,11}:\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9\u00a1-\uffff][A-Za-z0-9\u00a1-\uffff.-]{0,250})(?::\d{1,5})?([/?][^\s"'`<>]{0,300})?/g;
/** Hosts without a scheme: behind a command or a parameter that takes one, and alone in a text of code. */
const inCommands =
  /\b(?:curl|wget|nc|ncat|telnet|ssh|scp|rsync|s?ftp)\s(?:[^|;&]{0,200}?[\s"@'])?((?:[a-z0-9][\w-]{0,60}\.){1,5}[a-z]{2,13}|(?:\d{1,3}\.){3}\d{1,3})(?=[:/\s"'?]|$)/gi;
const inQuotes =
  /"(?:\/\/)?((?:[a-z\d-]{1,60}\.){1,4}[a-z]{2,13}|(?:\d{1,3}\.){3}\d{1,3})(?:\/[^"\s]{0,200})?"/g;
/** Hosts that a skill has little reason to contact, and what they are. */
// biome-ignore format: one kind a line
const oddHosts: readonly (readonly [form: RegExp, what: string])[] = [
  [/^(?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)\d{1,3}(?:\.\d{1,3}){3}$|^\[(?!(?:::1?|f[cde]\S+)\])/, "a bare IP address, whose owner is unknown"],
  [/(?:^|\.)(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|trycloudflare\.com|loca\.lt|serveo\.net|burpcollaborator\.net|oast\.\w+|interact\.sh|beeceptor\.com|hookbin\.com)$/, "a service where anybody can receive what others send"],
  [/(?:^|\.)(?:pastebin\.com|glot\.io|rentry\.(?:co|org)|paste\.(?:ee|rs)|hastebin\.com|ghostbin\.\w+|termbin\.com|ix\.io|0x0\.st|transfer\.sh|file\.io|gofile\.io|anonfiles\.com|catbox\.moe)$/, "a service where anybody can upload anything anonymously"],
  [/\.(?:onion|i2p)$/, "a hidden service"],
  [/(?:^|\.)xn--|[^\x20-\x7e]|\.(?:com|org|net)-/, "a name that looks like another"],
];
/** Somebody's mailbox in a chat service: its secret is in the address. */
const chatHooks =
  /(?:discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d|api\.telegram\.org\/bot\d|hooks\.slack\.com\/services\/T)(?!\S{0,60}(?:X{3}|0{6}|\.\.\.|your|<))\S{10,}/i;
/** This machine and its network; and hosts that stand for others: those that RFC 2606 keeps for examples, and public resolvers. */
const ownMachine =
  /^(?:localhost|.+\.(?:local|localhost|internal|lan|home)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2,3}|0\.0\.0\.0|\[::1?\])$/;
const standIn =
  /^(?:(?:(?:www|docs?|api|app|db|mail)\.)?example\.(?:com|org|net)|1\.[01]\.[01]\.1|8\.8\.[48]\.[48])$/;

/** The part of a host that has an owner of its own. */
const domainOf = (host: string) =>
  host
    .split(".")
    .slice(/\.(?:com?|org|ac|gou?v)\.[a-z]{2}$|\.example\.(?:com|org|net)$/.test(host) ? -3 : -2)
    .join(".");

/** The hosts that a text names with a scheme; in code and commands, also those without one. Small letters. */
export function hostsIn(text: string, isCode: boolean): string[] {
  const found = [...text.matchAll(addresses)].map(([, host = ""]) => host);
  if (isCode)
    for (const [, host = ""] of [...text.matchAll(inCommands), ...text.matchAll(inQuotes)])
      if (/\d$/.test(host) || suffixes.has(host.slice(host.lastIndexOf(".") + 1))) found.push(host);
  return found
    .map((host) => host.toLowerCase().replace(/(?<!\.)\.+$/, ""))
    .filter((host) => !ownMachine.test(host) && (host.includes(".") || host.startsWith("[")));
}

/** Why a skill has little reason to contact the host of an address in this text; undefined if nothing speaks against it. */
export function oddPlace(text: string, hosts = hostsIn(text, false)): string | undefined {
  if (chatHooks.test(text)) return "somebody's own mailbox in a chat service, where it could send things";
  return oddHosts.find(([form]) => hosts.some((host) => form.test(host)))?.[1];
}

/**
 * Which hosts a skill accounts for: public ones that skills of all kinds use, and those whose domain, or name in it, its description, its
 * declared requirements, or the text that people read besides, contain as words.
 */
export function accountedBy({ id, description, requires }: Skill, further = ""): (host: string) => boolean {
  const text = [description, ...requires.env, ...requires.bins, further].join(" \n ");
  const small = text.toLowerCase();
  const words = text.match(/[\p{L}\d]+/gu) ?? [];
  // A common noun names nobody: anybody can register a domain of that name. Nor does the skill's own name.
  const written = new Set(
    words.flatMap((word, at) =>
      /^[\p{Ll}]+$/u.test(word)
        ? []
        : [1, 2, 3].map((count) =>
            words
              .slice(at, at + count)
              .join("")
              .toLowerCase(),
          ),
    ),
  );
  written.delete(id.replaceAll("-", ""));
  return (host) => {
    const domain = domainOf(host);
    return known.has(domain) || standIn.test(host) || small.includes(domain) || written.has(ownLabel(domain));
  };
}

/** The name in a domain, without what owners add to theirs: `buffer` of `bufferapp.com`. */
const ownLabel = (domain: string) =>
  (domain.split(".")[0] ?? "").replaceAll("-", "").replace(/(?<=\w{4})(?:apis?|app|hq|ai|io|labs?)$/, "");

/** Whether a host belongs to a key that a text names: `OPENROUTER_API_KEY` of `openrouter.ai`. */
export function keysIn(text: string): (host: string) => boolean {
  const names = text.match(/\b[A-Z][A-Z0-9]{2,30}(?=_(?:[A-Z]+_){0,2}(?:KEY|TOKEN|SECRET|API)\b)/g) ?? [];
  const keys = new Set(names.map((name) => name.toLowerCase()));
  return (host) => keys.size > 0 && keys.has(ownLabel(domainOf(host)));
}

const variables = [
  /\b(?:process\.env|(?:os\.)?environ|ENV)(?:\.get\(|\.fetch\(|\?\.|\.|\[)\s*["'`]?([A-Z_][A-Z0-9_]{1,80})\b/g,
  /\b(?:getenv\(\s*["']|\$env:)([A-Za-z_][A-Za-z0-9_]{1,80})/gi,
  /\$\{?([A-Z][A-Z0-9]{1,40}_(?:KEY|TOKEN|SECRET|PASSWORD|API|ID|URL)[A-Z0-9_]{0,30})\b/g,
];
/** Variables of every process, and those every script gets about its call. */
const ordinary =
  /^(?:PATH|HOME|TE?MP(?:DIR)?|LANG|LC_ALL|PWD|USER|SHELL|NODE_ENV|DEBUG|TERM|NO_COLOR|(?:KNACK|LINX)_(?:SKILL_(?:ID|DIR)|\w{4,9}_ID|NAMESPACE|PERMISSIONS|WORKSPACE|OUTPUT_DIR))$/;

/** Names of variables that a line of code reads, without those of every process. */
export function variablesIn(text: string): string[] {
  const found = variables.flatMap((form) => [...text.matchAll(form)].map(([, name = ""]) => name));
  return found.filter((name) => !ordinary.test(name));
}
