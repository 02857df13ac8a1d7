import { once } from "../../base/made-once.ts";
import type { ReviewedLine } from "../review-lines.ts";
import names from "./names.json" with { type: "json" };

const addresses =
  /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff.-]{0,250}))(?::\d{1,5})?([/?][^\s"'`<>]{0,300})?/g;
/** Without a scheme, but with a path and a query. */
const schemeless =
  /(?<![\w/@.:-])((?:[\w-]{1,40}\.){1,4}[a-z]{2,12})(\/[^\s`"']{0,100}\?\w{1,20}=[^\s`"']{0,100})/g;
/** Hosts that code names in a command or a text. */
const inCommands =
  /\b(?:curl|wget|nc|ncat|telnet|ssh|scp|rsync|sftp|ftp|mail)\s(?:[^|;&]{0,200}?[\s"@'])?((?:[a-z0-9][\w-]{0,60}\.){1,5}[a-z]{2,12})(?=[:/\s"'?]|$)/gi;
const inQuotes =
  /"((?:[a-z\d-]{1,60}\.){1,4}(?:com|net|org|io|dev|app|ai|co|cc|me|info|xyz|cloud|example|test|[a-z]{2}))"/g;
/** Endings of files, which are no domains. */
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
const chatHooks =
  /(?:discord(?:app)?\.com\/api\/webhooks\/\d|api\.telegram\.org\/bot\d|hooks\.slack\.com\/services\/T)\S{10,}/i;
const ownMachine =
  /^(?:localhost|.+\.(?:local|localhost|internal|lan|home|arpa)|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** An address in a text: its host in small letters, its path and query, and `host/path`, as `Purpose.names` takes it. */
type NamedAddress = Record<"host" | "tail" | "place", string>;

/** The addresses with a scheme in a text, without those of the machine itself. */
export function addressesIn(text: string): NamedAddress[] {
  return [addresses, schemeless].flatMap((form) =>
    [...text.matchAll(form)].flatMap(({ 1: host = "", 2: tail = "" }) => named(host, tail)),
  );
}

/** The hosts that a statement of code or a command names in any way. */
export function hostsReached(text: string): NamedAddress[] {
  const bare = [inCommands, inQuotes].flatMap((form) =>
    [...text.matchAll(form)].flatMap(({ 1: host = "" }) => named(host)),
  );
  return [...addressesIn(text), ...bare.filter(({ host }) => !fileNames.test(host))];
}

function named(written: string, tail = ""): NamedAddress[] {
  const host = written.toLowerCase().replace(/(?<!\.)\.+$/, "");
  return ownMachine.test(host) ? [] : [{ host, tail, place: `${host}${tail.split("?")[0]}` }];
}

/** Somebody in particular: a mailbox, a channel or account by its name or id, a telephone. */
const somebody = [
  /(?<![\w/:@.=])(?!(?:you|your|name|user|me|someone|somebody|first|last|jane|john)\b)[\w.+-]{1,60}@(?!(?:\w+\.)?(?:example|company|email|domain|university|test|acme)\.\w)[\w-]{1,60}(?:\.[\w-]{2,30}){1,3}/gi,
  /\b[CDGUWT]0[A-Z0-9]{7,11}\b|(?<![\w.-])\d{17,19}(?![\w.-])/g,
  /(?<=\b(?:channel|room|to|into|in|with|via|an|nach|kanal|dans|canal|al?|en|à) [`"'“*]{0,2})#[a-z][\w-]{2,60}/gi,
  /(?<=\b(?:to|message|dm|cc|bcc|invite|add|account|user|person|group|by|from|of|with|an|von|par|de|à|al?) (?:the (?:(?:account|user|person|bot|group) )?)?[`"'“*]{0,2})@(?!everyone|here|channel|all\b)[a-z][\w-]{2,60}(?![/\w-]|\.\w)/gi,
  /(?<![\w.])\+(?!1\D{0,2}\d{3}\D{0,2}555)\d{2}[\d ()/-]{7,18}\d\b/g,
];

/** Those whom a sentence names. */
export function somebodyIn(text: string): string[] {
  return somebody.flatMap((form) => text.match(form) ?? []);
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

/** Variables that code reads, without those of every process, with the first place. */
export function variablesOf(
  lines: readonly (ReviewedLine & { path: string })[],
): Map<string, { path: string; line: number }> {
  const found = new Map<string, { path: string; line: number }>();
  for (const { path, number: line, text } of lines)
    for (const [, name = ""] of variables.flatMap((form) => [...text.matchAll(form)]))
      if (!ordinary().has(name) && !found.has(name) && found.size < maxNames) found.set(name, { path, line });
  return found;
}
