import type { PackageFinding } from "../../core/packages.ts";
import { excerptOf, type FileRule, type ReviewSubject } from "../review-subject.ts";

const addresses =
  /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff.-]{0,250}))/g;
const unusual: readonly [RegExp, string][] = [
  [
    /^\d{1,3}(?:\.\d{1,3}){3}$|^\[|^0x[0-9a-f]+$|^\d{8,10}$/,
    "a bare address, so that nobody can tell whose it is",
  ],
  [
    /(?:^|\.)(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|trycloudflare\.com|loca\.lt|serveo\.net|localhost\.run|burpcollaborator\.net|oast\.\w+|interact\.sh|beeceptor\.com|hookbin\.com)$/,
    "a place where anybody receives what others send",
  ],
  [
    /(?:^|\.)(?:pastebin\.com|glot\.io|rentry\.(?:co|org)|paste\.ee|hastebin\.com|termbin\.com|ix\.io|0x0\.st|transfer\.sh|file\.io|gofile\.io|anonfiles\.com|catbox\.moe)$/,
    "a place where anybody puts anything without a name",
  ],
  [
    /^(?:bit\.ly|tinyurl\.com|t\.ly|is\.gd|cutt\.ly|rb\.gy|shorturl\.at|t\.co|goo\.gl)$/,
    "a short address that hides where it leads",
  ],
  [/\.(?:onion|i2p)$/, "a hidden service"],
  [/(?:^|\.)xn--|[^\x20-\x7e]/, "a name in letters that may pass for others"],
];
const chatHooks =
  /(?:discord(?:app)?\.com\/api\/webhooks|api\.telegram\.org\/bot|hooks\.slack\.com\/services)\/\S{10,}/i;
const ownMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Hosts that a skill has little reason to talk to. */
export const unusualHostRule: FileRule = (file) =>
  file.lines.flatMap(({ number, text }): PackageFinding[] => {
    const finding = (what: string, where: string) => ({
      severity: "warning" as const,
      code: "unusual_host",
      message: `It names ${what}.`,
      ...{ path: file.path, line: number, excerpt: excerptOf(where) },
    });
    if (chatHooks.test(text))
      return [finding("somebody's own mailbox in a chat service, where it could send things", text)];
    for (const [address, host = ""] of text.matchAll(addresses)) {
      const name = host.toLowerCase();
      const why = ownMachine.test(name) ? undefined : unusual.find(([form]) => form.test(name))?.[1];
      if (why !== undefined) return [finding(why, address)];
    }
    return [];
  });

const mostNames = 100;

/** All hosts that code and text name, in order. */
export function hostsOf({ files }: ReviewSubject): string[] {
  const hosts = new Set<string>();
  for (const { lines } of files) {
    for (const { text } of lines) {
      for (const [, host = ""] of text.matchAll(addresses)) {
        if (hosts.size >= mostNames) break;
        hosts.add(host.toLowerCase().replace(/(?<!\.)\.+$/, ""));
      }
    }
  }
  return [...hosts].toSorted();
}

const variables = [
  /\bprocess\.env(?:\.|\?\.)([A-Z_a-z][A-Z_a-z0-9]{1,80})/g,
  /\bprocess\.env\[\s*["'`]([A-Z_a-z][A-Z_a-z0-9]{1,80})/g,
  /\b(?:os\.)?environ(?:\.get\(|\[)\s*["']([A-Z_a-z][A-Z_a-z0-9]{1,80})/g,
  /\bgetenv\(\s*["']([A-Z_a-z][A-Z_a-z0-9]{1,80})/g,
  /\bENV(?:\[|\.fetch\()\s*["']([A-Z_a-z][A-Z_a-z0-9]{1,80})/g,
  /\$env:([A-Za-z_][A-Za-z0-9_]{1,80})/gi,
  /\$\{?([A-Z][A-Z0-9]{1,40}_(?:KEY|TOKEN|SECRET|PASSWORD|API|ID|URL)[A-Z0-9_]{0,30})\b/g,
];
const ordinary = new Set([
  "PATH",
  "HOME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "LANG",
  "LC_ALL",
  "PWD",
  "USER",
  "SHELL",
  "NODE_ENV",
  "DEBUG",
  "TERM",
  "NO_COLOR",
  // What every script is told of its call; see the core's script environment and the sandbox's fixed one.
  ...["KNACK_SKILL_ID", "KNACK_AGENT_ID", "KNACK_USER_ID", "KNACK_NAMESPACE", "KNACK_THREAD_ID"],
  ...["KNACK_TURN_ID", "KNACK_PERMISSIONS", "KNACK_WORKSPACE", "KNACK_SKILL_DIR", "KNACK_OUTPUT_DIR"],
  ...["LINX_AGENT_ID", "LINX_USER_ID", "LINX_SESSION_ID"],
]);

/** Variables that code reads, those of every process left out, with where it does first. */
export function variablesOf({ files }: ReviewSubject): Map<string, { path: string; line: number }> {
  const found = new Map<string, { path: string; line: number }>();
  for (const { path, lines } of files.filter(({ role }) => role === "code")) {
    for (const { number, text } of lines) {
      for (const name of variableNames(text)) {
        if (found.size < mostNames && !found.has(name)) found.set(name, { path, line: number });
      }
    }
  }
  return found;
}

function variableNames(text: string): string[] {
  return variables
    .flatMap((form) => [...text.matchAll(form)].map(([, name = ""]) => name))
    .filter((name) => !ordinary.has(name));
}
