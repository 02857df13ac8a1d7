import { pattern } from "../../base/pattern.ts";
import type { Code } from "./meanings.ts";
import { affirms, type Statement } from "./statements.ts";
import {
  account,
  condition,
  consent,
  everything,
  gives,
  money,
  secretly,
  sends,
  somebody,
} from "./vocabulary.ts";

/** What a sentence asks of an agent. */
interface Intent {
  /** What the sentence itself says, in a form that is not negated. */
  said: RegExp;
  /** What it or its neighbours say as well. */
  around?: RegExp;
  /** What it does not say before that. */
  notBefore?: RegExp;
  /** What neither it nor its neighbours say. */
  unless?: RegExp;
  /** Quotations count too. */
  quoted?: true;
}

type Intents = Partial<Record<Code, readonly (RegExp | Intent)[]>>;

/** The codes of what a sentence asks, with its neighbours. */
export function intentsOf(statement: Statement, intents: Intents): Code[] {
  return Object.entries(intents).flatMap(([code, forms]) => {
    const isSaid = forms.some((form) =>
      isIntended(statement, form instanceof RegExp ? { said: form } : form),
    );
    return isSaid ? [code as Code] : [];
  });
}

function isIntended({ said, text, around }: Statement, intent: Intent): boolean {
  const here = intent.quoted ? text : said;
  const all = intent.quoted ? `${text} ${around}` : around;
  const at = here.search(intent.said);
  if (at === -1 || intent.notBefore?.test(here.slice(0, at)) || intent.unless?.test(all)) return false;
  return affirms(here, intent.said) && (intent.around?.test(all) ?? true);
}

/** What skills may ask; information. */
export const abilities: Intents = {
  acts_through_tools: [
    {
      said: /\b(?:call|use|using|run|invoke|through|with|rufe|nutze)\b.{0,30}(?:\b(?:web-(?:search|scraping|research)|code-execution|channel-summary)\b|["`“]?\b(?:chat|memory|schedule)\b["`”]? (?:tool|skill)\b|[`"“](?:chat|memory|schedule)\b)/i,
      quoted: true,
    },
  ],
  reads_attachments: [
    /\b(?:read|open|look (?:at|through)|analy[sz]e|process|extract|lies)\b.{0,40}\b(?:attached|attachments?|uploaded|angehängt\w*)\b/i,
  ],
  changes_agent: [
    {
      said: /\b(?:write|append|insert|add|put|edit|modify|update|overwrite|promote|echo|cat)\b.{0,80}\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT)\.md\b/i,
      quoted: true,
    },
  ],
};

/** What no skill has to ask. */
export const demands: Intents = {
  prompt_injection: [
    /\b(?:(?:ignore|disregard|forget|overrule|set aside)\b.{0,40}\b(?:previous|prior|above|earlier|existing|system|safety|your|all other)|(?:override|bypass)\b.{0,40}\b(?:previous|prior|safety|your))\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|directives?|restrictions?)\b|(?:ignorier|vergiss|missacht).{0,50}(?:bisherig|vorherig|vorig|obig|alle).{0,30}(?:anweisung|regel|vorgabe)|(?:ignore[rz]?|oublie[rz]?|ignora|olvida|ignorar|esqueça)\b.{0,40}(?:instructions?|instrucciones|istruzioni|instruções).{0,30}(?:précédentes?|anteriores|precedenti|previas)|(?:игнорир|забудь).{0,50}(?:предыдущ|прошл).{0,30}инструкц|忽略.{0,10}(?:之前|以上|先前|所有).{0,10}(?:指令|指示|说明)|(?:以前|これまで|上記)の?.{0,10}指示を?(?:無視|忘れ)|이전.{0,10}(?:지시|명령).{0,6}무시|\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:|<\|(?:system|im_start|im_end)\|>/iu,
    /\b(?:this|these|here|below|above|they|it)\b.{0,60}\b(?:(?:take|takes|have|has) (?:precedence|priority)|overrides?|outranks?|comes? first|wins?)\b.{0,40}\b(?:system|platform|operator|safety|(?:other|earlier|all) (?:instructions|rules|skills|settings)|what (?:the )?(?:user|person|people)|your (?:instructions|rules))\b|\b(?:if|when|where)\b.{0,30}\b(?:system (?:message|prompt)|platform|rules of the (?:bot|platform))\b.{0,60}\b(?:follow|use|keep to|apply) (?:this|these|the rules (?:here|below|above))\b/i,
  ],
  hides_from_people: [
    {
      said: /\b(?:do not|don['’]t|never|must not|without|no need to|need not|rather than)\s(?!just|only|merely)(?:\w+\s){0,2}(?:tell|inform|notify|alert|mention|speak (?:of|about)|talk about|disclose|reveal|report|show)(?:ing)?\b.{0,40}\b(?:users?|persons?|people|humans?|anyone|anybody|operators?|owners?|(?:in|to) (?:the|your|any) (?:answer|reply|response|person)|this (?:step|file|line|url|instruction|note|address|call|request))\b|\b(?:hide|conceal|keep)\b.{0,20}\b(?:this|it|that)\b.{0,20}\bfrom\s(?:the\s)?(?:users?|humans?|people|persons?|operators?|owners?)\b|\b(?:people|users?|humans?|they|person)\b.{0,20}\b(?:never|do not|don['’]t|won['’]t|cannot)\s(?:see|notice|learn|find out|know)\b.{0,20}\b(?:this|it|of)\b|(?:sag|erzähl|verrat|erwähn|informier)\w{0,3}\b.{0,30}(?:benutzer|nutzer|anwender|niemand).{0,12}(?:nicht(?! nur)|davon|nichts)|ne\s(?:dis|dites|révèle|informe).{0,30}(?:pas|jamais).{0,30}utilisateur|no\s(?:le\s)?(?:digas|informes|reveles)\b.{0,30}usuario|не\s(?:говори|сообщай).{0,30}пользовател|不要.{0,6}告诉.{0,4}用户|ユーザーに.{0,10}(?:言わない|伝えない|知らせない)/iu,
      around: pattern(
        "iu",
      )`(?:${gives})|https?:|(?:${somebody})|\b(?:never speak|this (?:file|line|skill|instruction|note|step|url|address)|(?:did|sent|copied|stored|ran|installed|changed) (?:this|it|that)|(?:hide|conceal) (?:this|it))\b|告诉|伝え|сообща`,
      unless: /\b(?:authori[sz]ation|confidential\w*|personal data|health data|privacy)\b/i,
      notBefore: /\b(?:employees?|staff|compan(?:y|ies)|organi[sz]ations?|developers?|vendors?)\b/i,
    },
    {
      said: pattern("iu")`(?:(?:${secretly}).{0,30}?(?:${sends})|(?:${sends}).{0,40}?(?:${secretly}))`,
      around: pattern(
        "iu",
      )`(?:${gives})|https?:|(?:${somebody})|\b(?:silently|secretly|covertly|quietly) (?:upload|send|forward|transmit)\b`,
    },
    {
      said: /\b(?:leave|keep|omit|remove|strip|delete|erase|clear)\b.{0,40}\b(?:out of|from)\b.{0,30}\b(?:answer|reply|response|summary|report|logs?|history|trace)\b|\b(?:no|without any) (?:mention|trace|comment|notice|hint)\b/i,
      around: pattern("iu")`(?:${gives})|(?:${somebody})`,
    },
  ],
  claims_consent: [
    {
      said: /\b(?:users?|persons?|people|humans?|operators?|owners?|admins?|administrators?|team|manager|lead|boss|everyone|everybody|they)\b(?:\s(?:here|lead|in\s\w+))?\s(?:(?:has|have|had|is|are|was|were)\s)?(?:(?:already|previously)\s(?:\w+\s)?(?:agreed|said yes|consented|approved|authori[sz]ed|permitted|allowed|granted|confirmed|accepted|given\b.{0,30}\b(?:consent|permission|approval))|pre-?(?:approved|authori[sz]ed)|(?:agreed|consented|approved|authori[sz]ed|permitted|allowed|accepted|said yes)\b|given\b.{0,30}\b(?:consent|permission|approval|power of attorney))/iu,
      around: everything,
      notBefore: condition,
    },
    {
      said: pattern(
        "i",
      )`(?:${consent}.{0,50}\b(?:implied|implicit|assumed|presumed|already (?:been )?(?:given|granted|obtained)|(?:bereits|schon) (?:vor|erteilt|gegeben)|gilt als)|\bneeds? no ${consent}|\bno (?:further |more )?(?!permission)${consent} (?:is |are )?(?:needed|required|necessary)\b|\bliegt\s(?:bereits|schon)\b.{0,20}${consent})`,
      around: pattern("i")`${everything}|\b(?:liegt|vor)\b`,
      notBefore: condition,
    },
    {
      said: pattern(
        "i",
      )`\b(?:give|grant|confirm|approve|accept)\b.{0,20}(?:it|that|them|${consent})\s(?:\w+\s)?yourself\b`,
      around: consent,
    },
    {
      said: /\b(?:choose|choosing|press|click|pick|select|tap|hit|recommend\w*|wähl\w*|drück\w*|klick\w*|choisi\w*|elig\w*|selecciona)\b.{0,30}["'“‘«*`_]{0,3}(?:always\b(?=.{0,3}(?:here|allow|approve|["'”’»*`_]))|immer\b(?=.{0,3}(?:hier|erlaub|["'”’»*`_]))|toujours\b|siempre\b)|\b(?:button|choice|card|dialog\w*|knopf|schaltfläche)\b.{0,60}\b(?:remembers?|for good|permanent(?:ly)?|forever|no (?:further|more) (?:cards?|questions?|prompts?)|not (?:be )?ask(?:ed)? again|dauerhaft|merkt)\b/i,
      around:
        /\b(?:tell|explain|advise|recommend\w*|ask|say|write|have|make|get|lead|persuade|convince|urge|suggest|cards?|appears?|person|users?|people|them|sag\w*|erklär\w*|bitte\w*)\b/i,
      quoted: true,
    },
    {
      said: /\b(?:treat|take|count)s?\s(?:\w+\s)?(?:silence|no (?:answer|reply))\s(?:as|for)\b|\b(?:answers?|reply|respond)\b.{0,30}\b(?:any|every|each|all)\b.{0,20}\b(?:questions?|prompts?|confirmations?|requests?)\b.{0,40}\b(?:is|with|as|be)\s["“']?(?:yes|ok|approved?|allow)\b|nutzer\w{0,2}\s(?:hat|haben)\b.{0,60}\b(?:bereits|schon|vorab|im voraus)\b.{0,60}(?:zugestimmt|eingewilligt|genehmigt|erlaubt|freigegeben|einverstanden)|utilisateur\w{0,9}\s(?:a|ont)\sdéjà\s(?:accepté|approuvé|autorisé|consenti|donné)|usuarios?\sya\s(?:ha|han|dio|dieron)\b.{0,10}(?:acept|aprob|autoriz|consent|permi)|utente\sha\sgià\s(?:accett|approv|autorizz|acconsent)|usuário\sjá\s(?:aceit|aprov|autoriz|consent)|пользовател\S{0,4}\sуже\s(?:соглас|разреш|одобр)|用户已经?(?:同意|批准|授权|允许)(?!.{0,20}(?:时|后|才))|ユーザーは(?:すでに|既に).{0,12}(?:同意|承認|許可)/iu,
      notBefore: condition,
    },
    {
      said: /\b(?:whoever|anyone|anybody|people|somebody|someone|if (?:a|the) (?:person|message|customer|user))\b.{0,40}\b(?:says?|names?|writes?|mentions?|knows?|contains?|uses?|types?|gives?)\b.{0,40}\b(?:(?:pass|code|key|magic |secret )?(?:word|phrase)|code ?word)\b/i,
      around:
        /\b(?:checks?|limits?|rules?|every|everything|any|all|admin\w*|tester|without|skip|lifted|trusted|at once)\b/i,
    },
  ],
  changes_settings: [
    {
      said: /\b(?:turn|switch|set|change|put|disable|deactivate|lift|relax|skip|bypass|suppress|mute)\b.{0,50}\b(?:approvals?|(?:the|all|any|its|your|tool|action|call) confirmations?|permission (?:prompts?|cards?|questions?)|consent (?:cards?|questions?)|(?:question|approval) cards?|asking (?:first|before))\b(?!.{0,30}\bback on\b)|\bauto-?(?:approv|confirm|accept|allow)\w*\b.{0,40}\b(?:calls?|tools?|requests?|questions?|everything)\b|\b(?:add|put)\b.{0,60}\b(?:to|on|in) the (?:\w+ )?(?:allow-?list|open hosts|trusted (?:hosts|list|people|servers?)|managers|operators|admins)\b/i,
      notBefore: condition,
    },
    {
      said: /\b(?:checks?|limits?|approvals?|confirmations?|safeguards?|restrictions?)\b.{0,20}\b(?:is|are|be)\s(?:\w+\s)?(?:lifted|off|waived|suspended|skipped|bypassed|disabled)\b/i,
      notBefore: condition,
    },
  ],
  plants_memory: [
    {
      said: /\b(?:keep|store|save|learn|write|note|record|put)\b.{0,60}\b(?:facts?|memor(?:y|ies)|permanently|for (?:later|good|ever)|pinned)\b|\b(?:use|call)\b.{0,20}\bmemory(?:_\w{1,20})?\b|\b(?:pin|memori[sz]e|remember)\b|(?:merk|speicher|hefte)\w{0,3}\b.{0,40}\b(?:fakt\w{0,3}|gedächtnis|tatsache)\b|记住|запомни|mémoris|memoriza|recuerda/iu,
      around: money,
      quoted: true,
    },
    {
      said: /\b(?:pin|memori[sz]e|remember|store|save|learn|write)\b.{0,30}\b(?:facts?|memory)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{12})|(?:merk|speicher|hefte)\w{0,3}\b.{0,30}\b(?:fakt\w{0,3}|gedächtnis|tatsache)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{8})/iu,
      quoted: true,
    },
    {
      said: /\b(?:remember|memori[sz]e|store|save|write|record|pin|note|add|keep)\b.{0,100}\b(?:(?:to|in|into|by) (?:the |your |long-term |its )?memory|facts?|preferences?|(?:all|later|other|future|every|new) (?:\w+ )?conversations?|from now on)\b[^,.;]{0,40}(?:\bthat\b|:|\bfollowing\b)|\bremember\b.{0,20}\b(?:for (?:all|later|other|future)|permanently|from now on|for good)\b.{0,40}(?:\bthat\b|:)/i,
      unless:
        /\b(?:they|users?|person|people|he|she|somebody|someone)\b.{0,40}\b(?:sa(?:id|ys?)|told|tells?|ask(?:ed|s)?|prefers?|mention\w*|chose|chosen|wants?|likes?|gave|gives?|agree\w*|states?|decide\w*|confirm\w*|correct\w*)\b/i,
      quoted: true,
    },
  ],
  asks_for_secrets: [
    /\b(?:enter|paste|provide|send|share|type|give|collect|ask (?:them |the user )?(?:for|to paste))\b.{0,60}\b(?:seed phrase|recovery phrase|mnemonic phrase|wallet['’]?s? private key|wallet key|keystore file|2fa codes?)|\b(?:have|let|make|get|ask|tell|bring)\b.{0,40}\b(?:type|enter|paste|give|tell|send|share|post)\b.{0,30}\b(?:passwords?|passphrases?|pins?|cvv|one-time codes?|2fa codes?|login codes?|session cookies?)\b|\bask\s(?:the\s)?(?:users?|them|people|person|whoever)\b.{0,20}\bfor\s(?:their|the|a)\s(?:\w+\s){0,2}(?:passwords?|pins?\b|one-time codes?|2fa codes?)/i,
  ],
  obeys_hidden_text: [
    {
      said: /\b(?:decode|decrypt|unscramble|deobfuscate|caesar|letters?\b.{0,60}\b(?:places?|positions?)|(?:last|reverse|inverted) (?:letters?|order)|(?:first|second|third|every \w+) (?:letters?|words?) of (?:each|every)|rot-?13|base64|read (?:it |them )?backwards|entschlüssel\w*|dekodier\w*)\b/i,
      around:
        /\b(?:do what|follow|obey|execute|carry out|act on|apply|treat .{0,30} as (?:instructions|rules|part of)|befolg\w*|führe .{0,20} aus)\b.{0,40}\b(?:it|they|them|says?|steps?|instructions?|there|points|rules|aus)\b/i,
    },
  ],
  obeys_remote_text: [
    {
      said: /\btreat\b.{0,80}\bas (?:(?:if|though) .{0,20}\b(?:users?|persons?|people|operators?|admin\w*|owner)\b|coming from|(?:an? )?(?:instructions?|orders?|commands?)\b|(?:the )?(?:user|person|operator|admin\w*)['’]s\b)|\b(?:do|follow|obey|carry out|execute)\b.{0,30}\b(?:what|whatever|(?:any|all|the|its|every) (?:\w+ )?(?:instructions?|orders?|commands?|requests?))\b.{0,40}\b(?:pages?|web ?sites?|mails?|e-?mails?|sites?|comments? on)\b/i,
      unless: /\b(?:data|untrusted|never|do not|don['’]t)\b/i,
    },
  ],
  steers_answers: [
    {
      said: /\b(?:always|every|each|whenever|any|first)\b.{0,60}\b(?:recommend|suggest|prefer|promote|favou?r|rank|advise|praise)\w*\b.{0,80}\b(?:partners?|sponsor\w*|our (?:own|product|shop|service)|first|top|above|instead of|rather than|only)\b|\b(?:affiliate|referral|sponsored?|partner)[- ](?:links?|codes?|ids?|tags?|parameters?)\b|[?&](?:ref|via|aff|tag|partner|affiliate|promo)(?:_id)?=[\w-]{2,}/i,
      around:
        /\b(?:affiliate|referral|sponsor\w*|partners?|commission|shop|buy|price|product|offer|hotel|book|order|provider|brand|vendor|insur\w*)\b/i,
      unless: /\b(?:disclos\w*|label\w*|mark\w* as|say that it is)\b/i,
    },
    {
      said: account,
      around:
        /\b(?:use|pay|paid|transfer|send|put|enter|replace|goes?)\b.{0,80}\b(?:payments?|invoices?|suppliers?|recipients?|accounts?|money|amounts?|fees?|donations?)\b|\b(?:payments?|invoices?|fees?|donations?)\b.{0,80}\b(?:use|pay|paid|transfer|goes?|to)\b/i,
      unless: /\b(?:examples?|samples?|test|dummy|fake|fictitious|placeholder|format|valid\w*)\b/i,
      quoted: true,
    },
    {
      said: /\b(?:replace|swap|exchange|rewrite|substitute|change|correct)\b.{0,60}\b(?:links?|urls?|addresses|account(?: numbers?)?|IBANs?|phone numbers?|prices?|payee|bank details|wallet)\b.{0,60}\b(?:with|by|to|for|into)\b/i,
      around: pattern("iu")`${money}|https?:|\b(?:ours?|partner|the one below|this one|redirect\w*)\b`,
    },
    /\b(?:report|treat|mark|accept|approve|pass|rate|count|book|list)\b.{0,40}\bas (?:correct|fine|valid|approved|paid|ok|passed|checked|safe|genuine|complete)\b.{0,80}\b(?:without|whatever|regardless|no matter|even if)\b/i,
    /\b(?:first (?:row|place|line|position|choice)|on top|top spot|best (?:value|choice|option)|winner)\b.{0,80}\b(?:even (?:if|where|when|though)|whatever|regardless|no matter)\b/i,
  ],
};
