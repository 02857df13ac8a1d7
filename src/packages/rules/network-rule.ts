import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, placeIn, type ReviewedLine, type ReviewSubject } from "../review-subject.ts";

const addresses =
  /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff.-]{0,250}))/g;
const unusual: readonly [RegExp, string][] = [
  [/^\d{1,3}(?:\.\d{1,3}){3}$|^\[|^0x[0-9a-f]+$|^\d{8,10}$/, "a bare IP address, whose owner is unknown"],
  [
    /(?:^|\.)(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|trycloudflare\.com|loca\.lt|serveo\.net|localhost\.run|burpcollaborator\.net|oast\.\w+|interact\.sh|beeceptor\.com|hookbin\.com)$/,
    "a service where anybody can receive what others send",
  ],
  [
    /(?:^|\.)(?:pastebin\.com|glot\.io|rentry\.(?:co|org)|paste\.ee|hastebin\.com|termbin\.com|ix\.io|0x0\.st|transfer\.sh|file\.io|gofile\.io|anonfiles\.com|catbox\.moe)$/,
    "a service where anybody can upload anything anonymously",
  ],
  [
    /^(?:bit\.ly|tinyurl\.com|t\.ly|is\.gd|cutt\.ly|rb\.gy|shorturl\.at|t\.co|goo\.gl)$/,
    "a short address that hides its destination",
  ],
  [/\.(?:onion|i2p)$/, "a hidden service"],
  [/(?:^|\.)xn--|[^\x20-\x7e]/, "a name in letters that look like others"],
];
const chatHooks =
  /(?:discord(?:app)?\.com\/api\/webhooks|api\.telegram\.org\/bot|hooks\.slack\.com\/services)\/\S{10,}/i;
const ownMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Hosts that a skill has little reason to contact. */
export const unusualHostRule: FileRule = (file) =>
  file.lines.flatMap(({ number, text }): PackageFinding[] => {
    const finding = (what: string, where: string) => ({
      severity: "warning" as const,
      code: "unusual_host",
      message: `It names ${what}.`,
      ...placeIn(file, number, where),
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

/** An address, also one without a scheme after a request verb. Its end may expect more text. */
const named =
  /(?:\b(?:https?|wss?|ftp):\/\/|\b(?=[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}(?:\/[^\s?]{0,100})?\?\w))[^\s"'`<>)\]|\\^]{1,400}/gi;
const sendVerbs =
  /(?<!\p{L})(?:send|post|forward|upload|submit|report|transmit|push|copy|share|append|add|encode|put|insert|include|embed|pack|write|attach|deliver|mail|schick|(?:send|schick|übermittl|übertrag|lade|häng|füg|setz|meld|leit)\w{1,3}|envoie[rz]?|ajoute[rz]?|env[ií]a\w{0,2}|añad\w{1,2}|invia\w{0,2})(?![\p{L}-])|(?<!\p{L})(?:отправ|добав)\p{L}{1,4}|发送|附加|送信|追加/giu;
/** Messages of people, or facts about them. */
const talk =
  /(?<!\p{L})(?:(?:last|latest|previous|preceding|current|recent|whole|entire|full|complete|all|every|each|user['’]?s?|person['’]?s?|their|his|her|summar\w{1,6} of|recap of|copy of)\s(?:(?:the|of|this|our|last|whole|latest)\s){0,3}(?:messages?|words|conversations?|chats?|talk|threads?|transcripts?|discussion|replies|reply)|(?:chat|message|conversation)\s(?:history|transcript|log|text)|user_?names?|everything|(?:conversation|chat|discussion)\sso\sfar|(?:the|this)\s(?:conversation|transcript|chat)|what(?:ever)?\s(?:the\s)?(?:users?|person|people|they)\b.{0,10}\b(?:said|says?|wrote|writes?|asked|typed)|(?:letzt|vorig|ganz|gesamt|komplett|bisherig|jed|all)\w{1,3}\s(?:nachricht|unterhaltung|gespräch|chat|verlauf|worte)\p{L}{0,8}|(?:gesprächs|chat)-?verlauf|was\s(?:der\s|die\s)?(?:nutzer|person|benutzer|leute)\p{L}{0,3}\b.{0,20}(?<!\p{L})(?:ge)?(?:sag|schreib|schrieb)\p{L}{0,4}|derniers?\smessages?|la\sconversation|últimos?\smensajes?|la\sconversación|ultimo\smessaggio|última\smensagem)|последн\p{L}{1,4}\sсообщени|最后一条消息|聊天记录|对话|最後のメッセージ|会話/giu;
const links =
  /\b(?:followed by|append\w{0,3}|add(?:ing)?|plus|with|contain(?:s|ing)|including|carrying|where|gefolgt von|mit|plus|wobei|suivie? de|seguid[oa] d[eia]l?)(?!\p{L})|后面|加上|に続けて/giu;
const prepositions =
  /(?:^|\s)(?:to|into|onto|at|via|through|in|after|behind|by|an|zu|nach|hinter|über|à|sur|al?|en|в|на|к)\s|到|给|に/iu;
/** `?d={last_message}`, `?text=[CONVERSATION]`: a placeholder that the agent fills with messages. */
const filled =
  /[?&][\w.-]{1,40}=[^&]{0,40}?(?:[{[<$%(]{1,3}|%7B)[^&]{0,20}(?:messages?|conversation|chat|transcript|history|prompt|summary|said)/i;
/** A picture whose address has a placeholder: it is sent as soon as the picture is shown. */
const picture =
  /(?:!\[[^\]\n]{0,100}\]\(\s{0,3}<?|<img\b[^<>]{0,200}\bsrc\s{0,3}=\s{0,3}["']?)(?:https?:)?\/\/[^\s?"'<>)]{1,200}(?:\?[^\s"')]{0,200}?=(?:[{[<$]|%7B|%s|[A-Z][A-Z_]{2,40}(?:[&)"'\s]|$)|[)"'])|\/(?:[{<$]|USER|NAME|MESSAGE|SUMMARY))/;

/** Sentences that tell the agent to send something to an address; more severe for messages of people. */
export const sendingRule: FileRule = (file) => {
  if (file.role !== "prose") return [];
  const findings: PackageFinding[] = [];
  for (const { line, text } of sentences(file.lines)) {
    const place = placeIn(file, line, text);
    if (picture.test(text)) {
      const message =
        "It makes the agent fill in the address of a picture: showing the picture sends that to the host.";
      findings.push({ severity: "warning", code: "sends_conversation", message, ...place });
      continue;
    }
    const addressed = [...text.matchAll(named)].filter(([address]) => !isOwnMachine(address));
    if (addressed.length === 0) continue;
    if (addressed.some((address) => sendsConversation(text, address))) {
      const message = "It tells the agent to send what people say to a web address.";
      findings.push({ severity: "warning", code: "sends_conversation", message, ...place });
    } else if (addressed.some((address) => sendsAnything(text, address))) {
      const message = "It tells the agent to send something to a web address, or to complete one.";
      findings.push({ severity: "info", code: "sends_to_address", message, ...place });
    }
  }
  return findings;
};

function isOwnMachine(address: string): boolean {
  return ownMachine.test(/^\w+:\/\/(\[[^\]]*\]?|[^/:?#]*)/.exec(address)?.[1]?.toLowerCase() ?? "");
}

/** `https://…/?d=`, `https://…/?d=TEXT`: something is to be added. */
function isOpen(address: string): boolean {
  return /(?:[=?&:]|=[A-Z][A-Z_]{2,40})[.,]{0,3}$/.test(address);
}

/** `send … to ADDRESS`, or an address that expects more text. */
function sendsAnything(text: string, { 0: address, index }: RegExpExecArray): boolean {
  if (/=(?:[.]{3}|[A-Z_]{0,20}(?:USER|NAME|MESSAGE|TEXT|SUMMARY)[A-Z_]{0,20})?$/.test(address)) return true;
  const before = text.slice(Math.max(0, index - 100), index);
  const [verb] = before.matchAll(sendVerbs);
  return verb !== undefined && /(?:\s(?:to|an|nach|à|al?)|到|给|に)\s*[<(["'`*]{0,3}$/iu.test(before);
}

/** “Send all messages to ADDRESS”, “ADDRESS followed by the last message”, “ADDRESS?d={message}”. */
function sendsConversation(text: string, { 0: address, index }: RegExpExecArray): boolean {
  if (filled.test(address)) return true;
  const before = text.slice(Math.max(0, index - 200), index);
  const said = [...before.matchAll(talk)].at(-1);
  if (said !== undefined && prepositions.test(before.slice(said.index))) {
    const verb = [...before.slice(0, said.index).matchAll(sendVerbs)].at(-1);
    if (verb !== undefined && said.index - verb.index <= 80) return true;
  }
  const end = index + address.length;
  const after = text.slice(end, end + 140);
  const [next] = after.matchAll(talk);
  if (next === undefined) return false;
  return next.index <= 80 && (isOpen(address) || after.slice(0, next.index).search(links) !== -1);
}

/** Maximum length; longer sentences come in pieces. */
const maxSentence = 600;

/** Sentences and list items, also those that continue in the next line. */
function sentences(lines: readonly ReviewedLine[]): { line: number; text: string }[] {
  const paragraphs: { line: number; text: string }[] = [];
  let open = false;
  for (const { number, text } of lines) {
    const last = paragraphs.at(-1);
    const begins = /^\s*(?:[-*+>|#]|\d{1,3}[.)]\s|```)/.test(text);
    if (open && !begins && last !== undefined && last.text.length < maxSentence) {
      last.text = `${last.text} ${text.trim()}`;
    } else paragraphs.push({ line: number, text });
    open = text.trim() !== "";
  }
  return paragraphs.flatMap(({ line, text }) =>
    text
      .split(/(?<=(?<!\.\.)[.!?])\s+|(?<=。)/)
      .flatMap((sentence) => sentence.match(/.{1,600}/gs) ?? [])
      .map((sentence) => ({ line, text: sentence })),
  );
}

const maxNames = 100;

/** All hosts that code and text name, in order. */
export function hostsOf({ files }: ReviewSubject): string[] {
  const hosts = new Set<string>();
  for (const { lines } of files) {
    for (const { text } of lines) {
      for (const [, host = ""] of text.matchAll(addresses)) {
        if (hosts.size >= maxNames) break;
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
/** Variables of every process, and those every script gets about its call (the core's script environment and the sandbox's fixed one). */
const ordinary = new Set(
  `PATH HOME TMPDIR TEMP TMP LANG LC_ALL PWD USER SHELL NODE_ENV DEBUG TERM NO_COLOR
  KNACK_SKILL_ID KNACK_AGENT_ID KNACK_USER_ID KNACK_NAMESPACE KNACK_THREAD_ID KNACK_TURN_ID KNACK_PERMISSIONS KNACK_WORKSPACE
  KNACK_SKILL_DIR KNACK_OUTPUT_DIR LINX_AGENT_ID LINX_USER_ID LINX_SESSION_ID`.split(/\s+/),
);

/** Variables that code reads, without those of every process, with the first place. */
export function variablesOf({ files }: ReviewSubject): Map<string, { path: string; line: number }> {
  const found = new Map<string, { path: string; line: number }>();
  for (const { path, lines } of files.filter(({ role }) => role === "code")) {
    for (const { number, text } of lines) {
      for (const name of variableNames(text)) {
        if (found.size < maxNames && !found.has(name)) found.set(name, { path, line: number });
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
