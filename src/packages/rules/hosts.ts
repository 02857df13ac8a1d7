import { once } from "../../base/made-once.ts";
import { pattern } from "../../base/pattern.ts";
import type { ReviewedLine } from "../review-lines.ts";
import names from "./names.json" with { type: "json" };

const addresses =
  /\b(?:https?|wss?|s?ftps?|ssh|git|smtps?|ldaps?|rsync|tcp|udp|amqps?|mqtts?|rediss?|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|nats|grpcs?):\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff.-]{0,250}))(?::\d{1,5})?([/?][^\s"'`<>]{0,300})?/g;
/** Without a scheme, but with a path and a query. */
const schemeless =
  /(?<![\w/@.:-])((?:[\w-]{1,40}\.){1,4}[a-z]{2,12})(\/[^\s`"']{0,100}\?\w{1,20}=[^\s`"']{0,100})/g;
/** Hosts that code names in a command or a text, that data has by themselves; and endings of files, which are no domains. */
const endings =
  /(?:com|net|org|info|biz|dev|app|xyz|cloud|site|online|tech|support|services?|systems?|tools|link|live|pro|shop|store|agency|digital|network|team|works|top|click|run|sh|page|farm|rest|zone|space|host|press|world|life|fun|icu|best|email|chat|news|blog|art|design|media|studio|solutions|software|technology|engineering|consulting|center|company|business|finance|money|credit|health|care|legal|tax|example|test|[a-z]{2})/;
const inCommands = pattern(
  "gi",
)`\b(?:curl|wget|nc|ncat|telnet|ssh|scp|rsync|sftp|ftp|mail)\s(?:[^|;&]{0,200}?[\s"@'])?((?:[a-z0-9][\w-]{0,60}\.){1,5}${endings})(?=[:/\s"'?]|$)|\bhost(?:name|addr)?\s{0,3}=\s{0,3}["']?((?:[a-z0-9][\w-]{0,60}\.){1,5}${endings})(?=["'\s;,]|$)`;
const inQuotes = pattern(
  "g",
)`"((?:[a-z\d-]{1,60}\.){1,4}${endings}|(?:\d{1,3}\.){3}\d{1,3})"|(?<=["'(])//((?:[a-z\d-]{1,60}\.){1,4}${endings})(?=[/?"'])`;
export const inCells = /(?<![\w@./-])((?:[a-z\d-]{1,60}\.){1,4}[a-z]{2,10})(?![\w.(/-])/gi;
const fileNames =
  /\.(?:py|m?js|[ct]sv?|jsonl?|md|txt|ya?ml|html?|sh|xml|pdf|png|jpe?g|gif|svg|webp|log|zip|t?gz|bz2|xz|tar|toml|ini|cfg|conf|lock|db|sqlite|dat|bin|tmp|docx?|xlsx?|pptx?|env|key|pem|sql|css|wav|ogg|m4a|flac|webm|mp[34]|mov|parquet|ipynb|exe|dmg|iso|out|bak)$/;
/** Hosts that a skill has little reason to contact, and what they are. */
// biome-ignore format: one kind a line
const oddHosts: readonly (readonly [form: RegExp, what: string])[] = [
  [/^(?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|(?:1\.1\.1\.1|8\.8\.[48]\.[48]|1\.2\.3\.4)$)\d{1,3}(?:\.\d{1,3}){3}$|^\[(?!(?:::1?|f[cde]\S+)\])|^0x[0-9a-f]+$|^\d{8,10}$/, "a bare IP address, whose owner is unknown"],
  [/(?:^|\.)(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|trycloudflare\.com|loca\.lt|serveo\.net|localhost\.run|burpcollaborator\.net|oast\.\w+|interact\.sh|beeceptor\.com|hookbin\.com)$/, "a service where anybody can receive what others send"],
  [/(?:^|\.)(?:pastebin\.com|glot\.io|rentry\.(?:co|org)|paste\.ee|hastebin\.com|ghostbin\.\w+|termbin\.com|ix\.io|0x0\.st|transfer\.sh|file\.io|gofile\.io|anonfiles\.com|catbox\.moe)$/, "a service where anybody can upload anything anonymously"],
  [/^(?:bit\.ly|tinyurl\.com|t\.ly|is\.gd|cutt\.ly|rb\.gy|shorturl\.at|t\.co|goo\.gl)$/, "a short address that hides its destination"],
  [/\.(?:onion|i2p)$/, "a hidden service"],
  [/(?:^|\.)xn--|[^\x20-\x7e]|\.(?:com|org|net)(?:-|\.[\w-]{1,60}\.[a-z])/, "a name that looks like another"],
];
/** Somebody's mailbox in a chat service: its secret is in the address. */
export const chatHooks =
  /(?:discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d|api\.telegram\.org\/bot\d|hooks\.slack\.com\/services\/T)(?!\S{0,60}(?:X{3}|0{6}|\.\.\.|your|<))\S{10,}/i;
const ownMachine =
  /^(?:localhost|.+\.(?:local|localhost|internal|lan|home|arpa)|(?:[\w.-]{0,80}\.)?(?:acme|contoso|your-?[\w-]{0,40}|my-?(?:company|org|domain|app|site|server))\.[a-z.]{2,20}|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2,3}|0\.0\.0\.0|1\.[01]\.[01]\.1|8\.8\.[48]\.[48]|9\.9\.9\.9|\[::1?\])$/;

/** An address in a text: its host in small letters, its path and query, and `host/path`, as `Purpose.names` takes it. */
export type NamedAddress = Record<"host" | "tail" | "place", string>;

/** The last two labels of a host, which often have an owner of their own. */
export const domainOf = (host: string) => host.toLowerCase().split(".").slice(-2).join(".");

/** The addresses with a scheme in a text, without those of the machine itself. */
export function addressesIn(text: string): NamedAddress[] {
  return [addresses, schemeless].flatMap((form) =>
    [...text.matchAll(form)].flatMap(({ 1: host = "", 2: tail = "" }) => named(host, tail)),
  );
}

/** The hosts that a statement of code or a command names in any way; or, of data, those that a cell has by themselves as well. */
export function hostsReached(text: string, forms = [inCommands, inQuotes]): NamedAddress[] {
  const bare = forms.flatMap((form) => [...text.matchAll(form)]);
  const hosts = bare.flatMap(({ 1: host, 2: other = "" }) => named(host ?? other));
  return [...addressesIn(text), ...hosts.filter(({ host }) => !fileNames.test(host))];
}

function named(written: string, tail = ""): NamedAddress[] {
  const host = written.toLowerCase().replace(/(?<!\.)\.+$/, "");
  return ownMachine.test(host) || /^(?!0x)[a-z][\w-]*$/.test(host)
    ? []
    : [{ host, tail, place: `${host}${tail.split("?")[0]}` }];
}

/** What people may have been told of an address: its host, its domain, or that it is a page of a forge. */
export function ownersOf({ host, tail }: NamedAddress): string[] {
  const isForge = /^(?:github|gitlab|codeberg)\.(?:com|org)$/.test(host);
  const isPage = isForge && !/\/(?:raw|archive|download)\/|\.git$/.test(tail);
  return [host, ...(domainOf(host).length > 6 ? [domainOf(host)] : []), ...(isPage ? [""] : [])];
}

/** A link in a page or a guide that shows a domain. */
const links = [
  /<a\s[^<>]{0,300}?href\s{0,3}=\s{0,3}["']https?:\/\/(?<to>[\w.-]{4,100})[^<>]{0,600}>\s{0,80}(?:https?:\/\/)?(?<shown>(?:[a-z\d-]{1,60}\.){2,4}[a-z]{2,12}|[a-z\d-]{1,60}\.(?:com|org|de|fr|example))\b/gi,
  /\[(?:https?:\/\/)?(?<shown>(?:[a-z\d-]{1,60}\.){2,4}[a-z]{2,12}|[a-z\d-]{1,60}\.(?:com|org|de|fr|example))\b[^\]\n]{0,200}\]\(https?:\/\/(?<to>[\w.-]{4,100})/gi,
];

/** Whether a link shows another domain than the one it leads to. */
export function isElsewhere(text: string): boolean {
  const found = links.flatMap((form) => [...text.matchAll(form)].map(({ groups }) => groups ?? {}));
  return found.some(({ to = "", shown = "" }) => !fileNames.test(shown) && domainOf(to) !== domainOf(shown));
}

/** What belongs to somebody in particular, as its form tells, and first of all people themselves: a mailbox, a telephone, a channel or account by its name or id. Well-known examples belong to nobody. */
// biome-ignore format: one kind a line
const belongings: readonly (readonly [fact: string, form: RegExp])[] = [
  ["mailbox", /(?<![\w/@.=]|(?<!mailto):)(?!(?:you|your|name|user|me|someone|somebody|first|last|jane|john|acme)\b)[\w.+-]{1,60}@(?!(?:(?:mail|mx|smtp|corp|company|intranet)\.)?example\.\w|(?:\w+\.)?(?:company|email|domain|university|test|acme|your[\w-]{0,20})\.\w)[\w-]{1,60}(?:\.[\w-]{2,30}){1,3}/gi],
  ["telephone", /(?<![\w.])\+(?!1\D{0,2}\d{3}\D{0,2}555)\d{2}[\d ()/-]{7,18}\d\b/g],
  ["member", /\b[CDGUWT]0[A-Z0-9]{7,11}\b|(?<![\w.-])\d{17,19}(?![\w.-])/g],
  ["member", /(?<=\b(?:channel|room|to|into|in|with|via|an|nach|kanal|dans|canal|al?|en|à) [`"'“*]{0,2})#[a-z][\w-]{2,60}/gi],
  ["member", /(?<=\b(?:to|message|dm|cc|bcc|invite|add|account|user|person|group|by|from|of|with|an|von|par|de|à|al?) (?:the (?:(?:account|user|person|bot|group) )?)?[`"'“*]{0,2})@(?!(?:everyone|here|channel|all|author|user\w*|name|handle|person|someone|botfather)\b)[a-z][\w-]{2,60}(?![/\w-]|\.\w)/gi],
  ["account", /\b(?!DE89 ?3704|DE02 ?1203|FR76 ?3000|CH93 ?0076|AT61 ?1904|NL91 ?ABNA|DE12 ?3456|\w\w00)(?:AT|BE|BG|CH|CY|CZ|DE|DK|EE|ES|FI|FR|GB|GR|H[RU]|I[ET]|L[ITUV]|MT|N[LO]|P[LT]|RO|S[EIKM]|MC)\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{25,60}\b/g],
  ["public_key", /\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-\S{1,30}) AAAA[\w+/=]{20,800}/g],
  ["range", /(?<=(?:allow|\bfrom|source|ingress|inbound|trusted|cidr|ranges?|whitelist|permit|ip4|dns|nameserver|resolver|endpoint|proxy)\w{0,12}\W[^\n]{0,80})\b(?!1\.[01]\.[01]\.1|8\.8\.|9\.9\.9\.|0\.|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|2[2-5]\d\.)\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?\b/gi],
  ["bucket", /\b(?:s3|gs|r2|b2):\/\/(?!your|my-|example|bucket)[a-z\d][\w.-]{5,62}/g],
  ["foreign_role", /\barn:aws:(?:iam|sts)::(?!123456789012|1{12}|0{12}|111122223333|444455556666)\d{12}:[\w/+=,.@*-]{1,80}/g],
];

/** The belongings that a text has, with what they are. */
export function belongingsIn(text: string): { fact: string; found: readonly string[] }[] {
  return belongings.map(([fact, form]) => ({ fact, found: text.match(form) ?? [] }));
}

/** Those whom a sentence names. */
export function somebodyIn(text: string): string[] {
  const isPerson = /^(?:mailbox|telephone|member)$/;
  return belongingsIn(text).flatMap(({ fact, found }) => (isPerson.test(fact) ? found : []));
}

/** Why a skill has little reason to contact the host of an address in this text; undefined if nothing speaks against it. */
export function oddPlace(text: string): string | undefined {
  if (chatHooks.test(text)) return "somebody's own mailbox in a chat service, where it could send things";
  const hosts = addressesIn(text).map(({ host }) => host);
  return oddHosts.find(([form]) => hosts.some((host) => form.test(host)))?.[1];
}

const maxNames = 100;

/** All hosts that code and text name, in order. */
export function hostsOf(files: readonly { lines: readonly ReviewedLine[] }[]): string[] {
  const hosts = files.flatMap(({ lines }) => lines.flatMap(({ text }) => addressesIn(text)));
  return [...new Set(hosts.map(({ host }) => host))].slice(0, maxNames).toSorted();
}

const variables = [
  /\b(?:process\.env|(?:os\.)?environ|ENV)(?:\.get\(|\.fetch\(|\?\.|\.|\[)\s*["'`]?([A-Z_][A-Z0-9_]{1,80})\b/g,
  /\b(?:getenv\(\s*["']|\$env:)([A-Za-z_][A-Za-z0-9_]{1,80})/gi,
  /\$\{?([A-Z][A-Z0-9]{1,40}_(?:KEY|TOKEN|SECRET|PASSWORD|API|ID|URL)[A-Z0-9_]{0,30})\b/g,
];
/** Variables of every process, and those every script gets about its call (the core's script environment and the sandbox's fixed one). */
const ordinary = once(() => new Set(names.ordinary.split(" ")));

/** Variables, with a place that reads them. */
export type Variables = ReadonlyMap<string, { path: string; line: number }>;

/** Variables that code reads, without those of every process, with the first place. */
export function variablesOf(lines: readonly (ReviewedLine & { path: string })[]): Variables {
  const found = new Map<string, { path: string; line: number }>();
  for (const { path, number: line, text } of lines)
    for (const [, name = ""] of variables.flatMap((form) => [...text.matchAll(form)]))
      if (!ordinary().has(name) && !found.has(name) && found.size < maxNames) found.set(name, { path, line });
  return found;
}
