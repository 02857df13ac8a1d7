import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, placeIn } from "../review-subject.ts";
import { linePatternRule } from "./line-patterns.ts";

const injection = {
  severity: "danger" as const,
  code: "prompt_injection",
  message: "It tells the agent to set aside its instructions.",
};
const secrecy = {
  severity: "danger" as const,
  code: "hides_from_people",
  message: "It tells the agent to keep something from the person it works for.",
};

const consent = {
  severity: "warning" as const,
  code: "claims_consent",
  message: "It speaks for people: it says that they agree, or what they choose when they are asked.",
  roles: ["prose"] as const,
};
const memory = {
  severity: "warning" as const,
  code: "plants_memory",
  message:
    "It makes the agent remember a statement of the skill, which later conversations may treat as true.",
  roles: ["prose"] as const,
};

/** Sentences that turn an agent against the people it works for, in the languages of known incidents. */
export const instructionRule = linePatternRule([
  {
    ...injection,
    patterns: [
      /\b(?:(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|earlier|existing|system|safety|your|all other)|(?:override|bypass)\b.{0,40}\b(?:previous|prior|safety|your))\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|directives?|restrictions?)\b/i,
      /(?:ignorier|vergiss|missacht).{0,50}(?:bisherig|vorherig|vorig|obig|alle).{0,30}(?:anweisung|regel|vorgabe)/i,
      /(?:ignore[rz]?|oublie[rz]?|ignora|olvida|ignorar|esqueça)\b.{0,40}(?:instructions?|instrucciones|istruzioni|instruções).{0,30}(?:précédentes?|anteriores|precedenti|previas)/i,
      /(?:игнорир|забудь).{0,50}(?:предыдущ|прошл).{0,30}инструкц|忽略.{0,10}(?:之前|以上|先前|所有).{0,10}(?:指令|指示|说明)|(?:以前|これまで|上記)の?.{0,10}指示を?(?:無視|忘れ)|이전.{0,10}(?:지시|명령).{0,6}무시/,
    ],
  },
  {
    ...injection,
    severity: "warning",
    message: "It speaks to the agent in the voice of its system prompt.",
    patterns: [
      /<\/?(?:system|im_start|im_end)>|<\|(?:system|im_start|im_end)\|>|\[\/?INST\]|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:/,
    ],
  },
  {
    ...injection,
    severity: "warning",
    message: "It gives the agent another identity.",
    patterns: [
      /\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))/i,
    ],
  },
  {
    ...secrecy,
    patterns: [
      /\b(?:do not|don't|never|must not|without)\s+(?:\w+\s+){0,2}(?:tell|telling|inform|informing|notify|notifying|alert|alerting|reveal(?:ing)?\s+(?:this|it)\s+to|disclose|disclosing)\b.{0,40}\b(?:users?|person|people|humans?|operators?|owners?|anyone|anybody|them)\b(?!\s+(?:to|how|which|where|what)\b)/i,
      /\b(?:hide|conceal|keep)\b.{0,20}\b(?:this|it|that)\b.{0,20}\bfrom\s+(?:the\s+)?(?:users?|humans?|operators?|owners?)\b|\bsilently\s+(?:send|upload|post|forward|exfiltrate|copy)\b/i,
      /(?:sag|erzähl|verrat|informier).{0,40}(?:benutzer|nutzer|anwender).{0,20}nicht|ne\s+(?:dis|dites|révèle|informe).{0,30}(?:pas|jamais).{0,30}utilisateur|no\s+(?:le\s+)?(?:digas|informes|reveles)\b.{0,30}usuario|не\s+(?:говори|сообщай).{0,30}пользовател|不要.{0,6}告诉.{0,4}用户|ユーザーに.{0,10}(?:言わない|伝えない|知らせない)/i,
    ],
  },
  {
    ...secrecy,
    severity: "warning",
    message: "It tells the agent to act without asking.",
    roles: ["prose"],
    patterns: [
      /\bwithout\s+(?:asking|confirmation|permission|approval|consent)\b|\bdo\s+not\s+ask\b.{0,30}\b(?:users?|permission|confirmation|approval)\b|\b(?:auto-?approve|always approve)\b/i,
    ],
  },
  {
    severity: "danger",
    code: "asks_for_secrets",
    message: "It asks for keys that give away an account or a wallet permanently.",
    roles: ["prose"],
    patterns: [
      /\b(?:enter|paste|provide|send|share|type|give|read|collect|upload)\b.{0,60}\b(?:seed phrase|recovery phrase|mnemonic(?: phrase)?|(?:wallet|your) private key|wallet key|keystore file|2fa codes?)/i,
    ],
  },
  {
    severity: "warning",
    code: "asks_for_secrets",
    message: "It asks people to hand over a secret in the conversation.",
    roles: ["prose"],
    patterns: [
      /\b(?:paste|send|share|type|tell|ask\s+(?:the\s+)?users?\s+for|ask\s+them\s+for)\b.{0,50}\b(?:passwords?|api[ _-]?keys?|access tokens?|secret keys?|credentials)\b/i,
    ],
  },
  {
    severity: "danger",
    code: "sends_secrets",
    message: "It tells the agent to send secrets or conversations to somebody.",
    patterns: [
      /\b(?:exfiltrat\w*|(?:send|post|upload|forward|email|transmit)\b.{0,60}\b(?:all |the |any |your )?(?:\.env\b|environment variables|ssh keys?|private keys?|cookies|passwords|chat history|conversation history|memory\.md|soul\.md|openclaw\.json))/i,
    ],
  },
  {
    ...consent,
    patterns: [
      /(?<!\b(?:if|when|once|after|until|unless|whether|only|assume|ensure|that)\s(?:(?:the|an?|your)\s)?)\b(?:users?|persons?|people|humans?|operators?|owners?|admins?|administrators?|team|everyone|everybody|they)\b(?:\s(?:here|in\s\w+))?\s(?:(?:has|have|had|is|are|was|were)\s)?(?:(?:already|previously)\s(?:\w+\s)?(?:agreed|said yes|consented|approved|authori[sz]ed|permitted|allowed|granted|confirmed|accepted|given\b.{0,20}\b(?:consent|permission|approval))|pre-?(?:approved|authori[sz]ed)|(?:agreed|consented|approved|authori[sz]ed|permitted|allowed|accepted|said yes|given\b.{0,20}\b(?:consent|permission|approval))\b.{0,20}\b(?:all|every|any|each)\b.{0,20}\b(?:calls?|actions?|tools?|requests?|steps?|commands?|questions?))\b/i,
      /\b(?:consent|approval|permission|confirmation)\b.{0,40}\b(?:is|are|was|counts? as|has been|has)\salready\s(?:been\s)?(?:given|granted|obtained)\b|\byou\s(?:already\s)?have\b.{0,30}\b(?:permission|consent|approval)\b.{0,40}\b(?:all|any|every(?:thing)?)\b|\bno\s(?:further\s)?(?:confirmation|approval|permission|consent)\b.{0,20}\b(?:needed|required|necessary)\b.{0,30}\b(?:tools?|calls?|anything)\b|\b(?:consent|approval|permission|confirmation)\b.{0,40}\b(?:is|are|counts? as)\s(?:implied|implicit|assumed|presumed)\b|\b(?:consent|approval|permission|confirmation)\s(?:to|for)\s(?:all|any|each|every)\b.{0,40}\b(?:is|has been)\s(?:given|granted|obtained)\b|\b(?:tool|every|each|all|any)\s(?:calls?|actions?|requests?)\b.{0,30}\b(?:pre-?(?:approved|authori[sz]ed)|already (?:approved|authori[sz]ed|allowed))\b|\b(?:choose|press|click|pick|select|tap)\b.{0,20}["'“‘«*`_]{0,3}always\s(?:here|allow|approve)\b/i,
      /(?<!\b(?:wenn|sobald|falls|dass|ob|nachdem)\s(?:\w{1,10}\s)?)\b(?:nutzer|benutzer|anwender|person|mensch|alle|sie|er)\w{0,4}\s(?:hat|haben|ist|sind)\b.{0,60}\b(?:bereits|schon|vorab|im voraus|allen?|jede[mrns]?)\b.{0,60}(?:zugestimmt|eingewilligt|genehmigt|erlaubt|freigegeben|bestätigt|einverstanden)|(?:zustimmung|einwilligung|freigabe|genehmigung|erlaubnis)\b.{0,40}(?:(?:bereits|schon)\s(?:vor|erteilt|gegeben)|gilt als (?:erteilt|gegeben))|\bliegt\s(?:bereits|schon)\b.{0,20}(?:zustimmung|einwilligung|freigabe|genehmigung|erlaubnis)/i,
      /utilisateur\w{0,9}\s(?:a|ont)\sdéjà\s(?:accepté|approuvé|autorisé|consenti|donné)|usuarios?\sya\s(?:ha|han|dio|dieron)\b.{0,10}(?:acept|aprob|autoriz|consent|permi)|utente\sha\sgià\s(?:accett|approv|autorizz|acconsent)|usuário\sjá\s(?:aceit|aprov|autoriz|consent)|пользовател\S{0,4}\sуже\s(?:соглас|разреш|одобр)|用户已经?(?:同意|批准|授权|允许)|ユーザーは(?:すでに|既に).{0,12}(?:同意|承認|許可)/i,
    ],
  },
  {
    ...memory,
    patterns: [
      /\b(?:pin|memori[sz]e|remember|store|save|learn|write)\b.{0,30}\b(?:facts?|memory)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{8})|\b(?:use|call)\b.{0,20}\bmemory_\w{1,20}\b[^"'“‘«„]{0,30}["'“‘«„](?=[^"'”’»“]{8})|\b(?:store|save|learn)\b.{0,30}\b(?:facts?|memory)\b.{0,60}\b(?:IBAN|bank|wallet)\b|\b(?:pin|memori[sz]e|remember)\b.{0,60}\b(?:IBAN|account\s[A-Z]{2}\d{2}|account number|bank (?:account|details)|wallet address)\b|(?:merk|speicher|hefte)\w{0,3}\b.{0,30}\b(?:fakt\w{0,3}|gedächtnis|tatsache)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{8})/i,
    ],
  },
  {
    severity: "warning",
    code: "changes_agent",
    message: "It writes to the files that define an agent's identity and memory.",
    patterns: [
      /\b(?:write|append|insert|add|put|edit|modify|update|overwrite|echo|cat)\b.{0,80}\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT)\.md\b/i,
    ],
  },
]);

/** Verbs that tell somebody to do something, and their objects. */
const telling =
  /https?:\/\/|\b(?:run|execute|download|install|send|always|never|must|ignore|instead|secret|password|curl|agent|assistant|you (?:should|must|will))\b/i;

/** Text that is hidden when a page is rendered. */
export const hiddenMarkupRule: FileRule = (file) => {
  if (file.role !== "prose") return [];
  const findings: PackageFinding[] = [];
  const lineAt = lineCounter(file.raw);
  const add = (at: number, text: string, message: string) => {
    const place = placeIn(file, lineAt(at), text);
    findings.push({ severity: "warning", code: "hidden_instructions", message, ...place });
  };
  for (const { start, text } of comments(file.raw)) {
    if (!telling.test(text) || isMarker(text)) continue;
    add(start, text, "A comment that is not shown to readers of the page tells a model what to do.");
  }
  if (!/\.html?$/i.test(file.path)) {
    const styled =
      /<[a-z]+\b[^>]{0,200}\b(?:color\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>/gi;
    for (const found of file.raw.slice(0, 500_000).matchAll(styled)) {
      add(
        found.index,
        file.raw.slice(found.index, found.index + 200),
        "It contains text that is styled to be invisible to readers.",
      );
    }
  }
  return findings;
};

/** `prettier-ignore`, `omit in toc`: for programs that format the page. */
function isMarker(text: string): boolean {
  return /^\s*[\w-]+(?:\s[\w-]+){0,2}\s*$/.test(text);
}

function comments(raw: string): { start: number; text: string }[] {
  const found: { start: number; text: string }[] = [];
  for (let start = raw.indexOf("<!--"); start !== -1 && found.length < 200; ) {
    const end = raw.indexOf("-->", start + 4);
    const stop = end === -1 ? raw.length : end;
    found.push({ start, text: raw.slice(start + 4, Math.min(stop, start + 4_000)) });
    start = raw.indexOf("<!--", stop);
  }
  return found;
}

/** The line number of a place, from 1. Places requested in their order take linear time together. */
function lineCounter(raw: string): (at: number) => number {
  let line = 1;
  let next = raw.indexOf("\n");
  let last = 0;
  return (at) => {
    if (at < last) {
      line = 1;
      next = raw.indexOf("\n");
    }
    last = at;
    for (; next !== -1 && next < at; next = raw.indexOf("\n", next + 1)) line += 1;
    return line;
  };
}
