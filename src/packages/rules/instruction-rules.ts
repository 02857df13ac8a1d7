import { pattern } from "../../base/pattern.ts";
import { type Capability, type FileRule, foundIn, type ReviewSubject } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";
import type { Code } from "./meanings.ts";
import { affirms, isExplained, type Statement, statementsOf } from "./statements.ts";

/** Words of people, files of theirs, secrets, and facts about them, in the languages of known incidents. */
const speech =
  /(?<!\p{L})(?:(?:last|latest|previous|preceding|current|recent|whole|entire|full|complete|every|each|user['’]?s?|person['’]?s?|people['’]?s?|their|his|her|the|this|our|summar\w{1,6} of|digest of|recap of|copy of|gist of|\w+['’]s)\s(?:(?:the|of|this|our|last|whole|latest|full|entire)\s){0,3}(?:messages?|words|wording|conversations?|chats?|talk|transcripts?|discussion|exchange|dialog(?:ue)?)|(?:chat|message|conversation)\s(?:history|transcript|log|text)|recap|everything (?:the|they|said|that was|users?|people)|(?:conversation|chat|discussion|talk)\sso\sfar|what(?:ever)?\s(?:(?:the|has been|was|is)\s)?(?:users?|person|people|they|he|she|somebody|said|written|asked|typed)\b|(?:letzt|vorig|ganz|gesamt|komplett|bisherig|jed|all)\w{1,3}\s(?:nachricht|unterhaltung|gespräch|chat|verlauf|worte)\p{L}{0,8}|(?:gesprächs|chat)-?verlauf|was\s(?:der\s|die\s)?(?:nutzer|person|benutzer|leute)\p{L}{0,3}|derniers?\smessages?|la\sconversation|últimos?\smensajes?|la\sconversación|ultimo\smessaggio|última\smensagem)|последн\p{L}{1,4}\sсообщени|最后一条消息|聊天记录|对话|最後のメッセージ|会話/iu;
const belongings =
  /\battach(?:ed|ments?)\b|\buploaded (?:files?|documents?|images?)|\b(?:all|every|each|their|user['’]s|any|whatever)\s(?:\w+\s){0,2}(?:files?|documents?|images?|pictures?|photos|notes|mails?|e-?mails?|invoices?|contracts?|spreadsheets?)\b|\bcontents? of (?:the|any|each|every|all|their)|\b(?:source|original|input|full) text\b|angehängt|\b(?:deren|ihren|den) Inhalt\b|\bDatei(?:en)?\b|fichiers? joints?|adjunt[oa]s?|вложени|附件|添付|\b(?:passwords?|passphrases?|(?:private|ssh) keys?|credentials|secrets|cookies|seed phrases?|(?:one[- ]time|two[- ]factor|2fa|reset|login|security) (?:codes?|links?)|codes? of \w+ digits|(?:account|card) numbers?|\.env\b|environment variables)|\b(?:all|any|every|their|found|available|users?['’]s?)\s(?:\w+\s){0,2}(?:keys|tokens)\b|\b(?:names? of (?:its|the|their) (?:author|user|person|sender|customer)|user_?names?|(?:their|\w+['’]s) (?:real |full )?(?:names?|e-?mails?|e-?mail address|phone|location|identity)|who (?:wrote|asked|sent))\b/iu;
const personal = pattern("iu")`(?:${speech}|${belongings})`;
const sends =
  /(?<![\p{L}-])(?:(?:send|post|forward|upload|copie|share|write|push|report|append|add|deliver|list)s|sending|send|list|post|forward|upload|submit|report|transmit|push|copy|share|append|add|encode|put|insert|include|embed|pack|write|attach|deliver|mail|hand|pass|relay|mirror|replace|fill|dm|cc|bcc|sync|stream|log|publish|output|leite|leiten|schick|(?:send|schick|übermittl|übertrag|lade|häng|füg|setz|meld|leit)\w{1,3}|envoie[rz]?|ajoute[rz]?|env[ií]a\w{0,2}|añad\w{1,2}|invia\w{0,2})(?![\p{L}-])|(?<!\p{L})(?:отправ|добав)\p{L}{1,4}|发送|附加|转发|送信|追加/iu;
const completes =
  /(?<![\p{L}-])(?:open|complete|load|call|visit|fetch|rufe|öffne|lade|appelle|ouvre|abre|followed by|plus|with|gefolgt von|mit|suivie? d[ue]|seguid[oa] de\w?)(?!\p{L})|打开|后面|加上|открой|開い|に続けて/iu;
/** Gives something of people away: `send … what they wrote`, `their files are sent`. */
const gives = pattern(
  "iu",
)`(?:(?:${sends}).{0,90}?(?:${personal})|(?:${completes}).{0,90}?(?:${speech})|(?:${personal}).{0,60}\b(?:sent|posted|forwarded|uploaded|appended|copied|shared|passed|transmitted|reported|delivered|added|included|encoded)\b)`;
const secretly =
  /\b(?:silently|secretly|covertly|in secret|quietly|discreetly|stillschweigend|heimlich|unauffällig|discrètement|en secret|en secreto)\b|悄悄|偷偷|こっそり|незаметно|тайно/iu;

/** `?d={last_message}`, `?t=…`, `/m/DIGEST-OF-THE-TALK.png`: a place in an address that the agent fills with words or names of people. */
const filled =
  /(?:[?&][\w.-]{1,40}=|\/)[^\s&"')>]{0,60}?(?:[{[<$(]{1,3}|%7B)[^&\s"')>]{0,30}(?:message|conversation|chat\b|transcript|history|summar|digest|recap|talk|said|user_?name|who\b|e-?mail)|[?&]\w{1,20}=(?:…|\.\.\.)/i;
const capitals =
  /(?:[?&][\w.-]{1,40}=|\/)[^\s&"')>]{0,60}?[A-Z_-]{0,30}(?:MESSAGE|CONVERSATION|TRANSCRIPT|HISTORY|SUMMARY|DIGEST|RECAP|TALK|USER|NAME)[A-Z_-]{0,30}(?:[&)"'.\s/]|$)/;
const picture =
  /!\[[^\]\n]{0,100}\]\(\s{0,3}<?(?:https?:)?\/\/[^)\n]{1,300}|<img\b[^<>]{0,200}\bsrc\s{0,3}=\s{0,3}["']?(?:https?:)?\/\/[^\s>]{1,300}/i;
/** Somebody in particular: a mailbox, a channel, an address without a scheme; or somebody behind the skill. */
const somebody =
  /(?<![\w/:@.=])[\w.+-]{1,60}@(?!(?:\w+\.)?example\.(?:com|org|net)\b)[\w-]{1,60}(?:\.[\w-]{2,30}){1,3}|\b(?:channel|to|into|in)\s[`"']?#[a-z][\w-]{2,60}|\b(?:to|message|dm)\s[`"']?@[a-z][\w.-]{2,60}|(?<![\w/@.])(?:[\w-]{1,40}\.){1,4}[a-z]{2,12}\/[^\s?`]{0,100}\?\w{1,20}=/i;
const outsiders =
  /\b(?:to|with|at|via)\s(?:our|the|my|a)\s(?:\w+\s){0,2}(?:servers?|backend|endpoint|collector|vendor|developers?|maker|analytics|telemetry|inbox|mailbox)\b/i;
/** Gives away what was spoken of before. */
const givesIt = pattern(
  "iu",
)`(?:${sends})\s(?:it|them|this|these|everything|(?:the|a|your) (?:\w+\s)?(?:results?|reports?|lists?|findings|summary|contents?|texts?|data|values|files?))\b`;
const forMaker =
  /\b(?:each|every|always|before|after|whenever|any|environment variables|private keys|ssh keys)\b|\.env\b/i;
const habit = /\b(?:each|every|always|before|after|whenever|any)\b/i;

/** What a skill tells the agent to send, and to whom. */
function sending(statement: Statement, { purpose }: ReviewSubject): Capability[] {
  const { text, said, path, line: number } = statement;
  // A guide about attacks quotes them.
  const hosts = addressesIn(purpose.isAboutAttacks ? said : text).map(({ place }) => place);
  const someone = somebody.exec(said)?.[0];
  if (hosts.length === 0 && someone === undefined && !outsiders.test(said)) return [];
  const unknown = hosts.filter((host) => !purpose.names(host));
  const isStranger = someone !== undefined && !purpose.text.toLowerCase().includes(someone.toLowerCase());
  const isStrange = unknown.length > 0 || isStranger || hosts.length === 0;
  const code =
    isStrange && !isExplained(statement)
      ? strangeSending(statement, unknown, isStranger ? someone : undefined)
      : undefined;
  const isSending = affirms(said, sends);
  const odd = oddPlace(text);
  if (code !== undefined)
    return [{ ...foundIn({ path }, { number, text }, "warning", ...code), hosts: unknown }];
  if (odd !== undefined) {
    const severity = isSending && !isExplained(statement) && !purpose.isAboutAttacks ? "warning" : "info";
    return [foundIn({ path }, { number, text }, severity, "unusual_host", `It names ${odd}.`)];
  }
  const message = "It tells the agent to send something to an address, or to complete one.";
  return isSending
    ? [{ ...foundIn({ path }, { number, text }, "info", "sends_to_address", message), hosts: unknown }]
    : [];
}

/** What a statement does with the hosts, or the person or channel, that the description does not name. */
function strangeSending(
  { text, said, around }: Statement,
  unknown: readonly string[],
  someone: string | undefined,
): [code: Code, message: string] | undefined {
  const shown = picture.exec(text)?.[0];
  if (shown !== undefined)
    return isFilled(shown, around)
      ? [
          "sends_conversation",
          "It makes the agent fill in the address of a picture: showing the picture sends that to the host.",
        ]
      : undefined;
  if (unknown.length > 0 && affirms(said, loads) && affirms(around, obeys))
    return [
      "obeys_remote_text",
      "It has the agent follow instructions from an address, which may change at any time.",
    ];
  const isPlace = unknown.length > 0 || someone !== undefined;
  const isToMaker = outsiders.test(said) && affirms(said, gives) && forMaker.test(said);
  return isToMaker || (isPlace && isGiven({ text, said, around }, someone))
    ? [
        "sends_conversation",
        "It tells the agent to send what people say, attach or keep to somebody whom its description does not name.",
      ]
    : undefined;
}

function isFilled(address: string, around: string): boolean {
  return (
    filled.test(address) ||
    capitals.test(address) ||
    (/[{[<$]|[A-Z]{3}[_-]/.test(address) && affirms(around, gives))
  );
}

/** Whether something of people goes to the place that a statement names. */
function isGiven(
  { text, said, around }: Pick<Statement, "text" | "said" | "around">,
  someone: string | undefined,
): boolean {
  const isSending = affirms(said, sends);
  if (affirms(around, gives) || (affirms(said, givesIt) && personal.test(around))) return true;
  if (filled.test(text) && (isSending || affirms(said, completes))) return true;
  return (
    someone !== undefined &&
    isSending &&
    (habit.test(said) || personal.test(said) || /\bcop(?:y|ies)\b/i.test(said))
  );
}

interface Intent {
  code: Code;
  /** Default: warning. */
  severity?: "info";
  /** What the sentence itself says, in a form that is not negated. */
  said: RegExp;
  /** What it or its neighbours say as well. */
  around?: RegExp;
  /** What it does not say before that. */
  notBefore?: RegExp;
  /** Quotations count too. */
  quoted?: true;
}

const consent =
  /\b(?:consents?|approvals?|permissions?|confirmations?|authori[sz]ations?|zustimmung|einwilligung|freigabe|genehmigung|erlaubnis)\b/i;
const everything =
  /\b(?:all|any|every(?:thing)?|each|whatever|tools?|calls?|bookings?|purchases?|payments?|actions?|alle[nrsm]?|jede[mrns]?)\b/i;
const condition =
  /\b(?:if|when|once|after|until|unless|whether|before|only|assume|ensure|check|wenn|sobald|falls|ob|erst|nachdem)\b/i;
const money =
  /\b[A-Z]{2}\d{2}[ \w]{8,}|\b(?:IBAN|BIC|bank (?:account|details)|account (?:numbers?|details)|wallet|routing number|payable to|paid (?:at|to|into)|mailbox is|hotline|(?:phone|fax) number|password is|konto|compte|cuenta)\b|\b0x[0-9a-f]{16}|\bbc1\w{20}|银行|账号|счёт|счет/i;

const intents: readonly Intent[] = [
  {
    code: "acts_through_tools",
    severity: "info",
    said: /\b(?:call|use|using|run|invoke|through|with|rufe|nutze)\b.{0,30}(?:\b(?:web-(?:search|scraping|research)|code-execution|channel-summary)\b|["`“]?\b(?:chat|memory|schedule)\b["`”]? (?:tool|skill)\b|[`"“](?:chat|memory|schedule)\b)/i,
    quoted: true,
  },
  {
    code: "reads_attachments",
    severity: "info",
    said: /\b(?:read|open|look (?:at|through)|analy[sz]e|process|extract|lies)\b.{0,40}\b(?:attached|attachments?|uploaded|angehängt\w*)\b/i,
  },
  {
    code: "changes_agent",
    severity: "info",
    said: /\b(?:write|append|insert|add|put|edit|modify|update|overwrite|promote|echo|cat)\b.{0,80}\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT)\.md\b/i,
    quoted: true,
  },
  {
    code: "prompt_injection",
    said: /\b(?:(?:ignore|disregard|forget|overrule|set aside)\b.{0,40}\b(?:previous|prior|above|earlier|existing|system|safety|your|all other)|(?:override|bypass)\b.{0,40}\b(?:previous|prior|safety|your))\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|directives?|restrictions?)\b|(?:ignorier|vergiss|missacht).{0,50}(?:bisherig|vorherig|vorig|obig|alle).{0,30}(?:anweisung|regel|vorgabe)|(?:ignore[rz]?|oublie[rz]?|ignora|olvida|ignorar|esqueça)\b.{0,40}(?:instructions?|instrucciones|istruzioni|instruções).{0,30}(?:précédentes?|anteriores|precedenti|previas)|(?:игнорир|забудь).{0,50}(?:предыдущ|прошл).{0,30}инструкц|忽略.{0,10}(?:之前|以上|先前|所有).{0,10}(?:指令|指示|说明)|(?:以前|これまで|上記)の?.{0,10}指示を?(?:無視|忘れ)|이전.{0,10}(?:지시|명령).{0,6}무시|\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:|<\|(?:system|im_start|im_end)\|>/iu,
  },
  {
    code: "hides_from_people",
    said: /\b(?:do not|don['’]t|never|must not|without|no need to|need not|rather than)\s(?!just|only|merely)(?:\w+\s){0,2}(?:tell|inform|notify|alert|mention|speak (?:of|about)|talk about|disclose|reveal|report|show)(?:ing)?\b.{0,40}\b(?:users?|persons?|people|humans?|anyone|anybody|operators?|owners?|(?:in|to) (?:the|your|any) (?:answer|reply|response|person)|this (?:step|file|line|url|instruction|note|address|call|request))\b|\b(?:hide|conceal|keep)\b.{0,20}\b(?:this|it|that)\b.{0,20}\bfrom\s(?:the\s)?(?:users?|humans?|people|persons?|operators?|owners?)\b|\b(?:people|users?|humans?|they|person)\b.{0,20}\b(?:never|do not|don['’]t|won['’]t|cannot)\s(?:see|notice|learn|find out|know)\b.{0,20}\b(?:this|it|of)\b|(?:sag|erzähl|verrat|erwähn|informier)\w{0,3}\b.{0,30}(?:benutzer|nutzer|anwender|niemand).{0,12}(?:nicht(?! nur)|davon|nichts)|ne\s(?:dis|dites|révèle|informe).{0,30}(?:pas|jamais).{0,30}utilisateur|no\s(?:le\s)?(?:digas|informes|reveles)\b.{0,30}usuario|не\s(?:говори|сообщай).{0,30}пользовател|不要.{0,6}告诉.{0,4}用户|ユーザーに.{0,10}(?:言わない|伝えない|知らせない)/iu,
    around: pattern(
      "iu",
    )`(?:${gives})|https?:|(?:${somebody})|\b(?:never speak|this (?:file|line|skill|instruction|note|step|url|address)|(?:did|sent|copied|stored|ran|installed|changed) (?:this|it|that)|(?:hide|conceal) (?:this|it))\b|告诉|伝え|сообща`,
    notBefore: /\b(?:employees?|staff|compan(?:y|ies)|organi[sz]ations?|developers?|vendors?)\b/i,
  },
  {
    code: "hides_from_people",
    said: pattern("iu")`(?:(?:${secretly}).{0,30}?(?:${sends})|(?:${sends}).{0,40}?(?:${secretly}))`,
    around: pattern(
      "iu",
    )`(?:${gives})|https?:|(?:${somebody})|\b(?:silently|secretly|covertly|quietly) (?:upload|send|forward|transmit)\b`,
  },
  {
    code: "claims_consent",
    said: /\b(?:users?|persons?|people|humans?|operators?|owners?|admins?|administrators?|team|manager|lead|boss|everyone|everybody|they)\b(?:\s(?:here|lead|in\s\w+))?\s(?:(?:has|have|had|is|are|was|were)\s)?(?:(?:already|previously)\s(?:\w+\s)?(?:agreed|said yes|consented|approved|authori[sz]ed|permitted|allowed|granted|confirmed|accepted|given\b.{0,30}\b(?:consent|permission|approval))|pre-?(?:approved|authori[sz]ed)|(?:agreed|consented|approved|authori[sz]ed|permitted|allowed|accepted|said yes)\b|given\b.{0,30}\b(?:consent|permission|approval|power of attorney))/iu,
    around: everything,
    notBefore: condition,
  },
  {
    code: "claims_consent",
    said: pattern(
      "i",
    )`(?:${consent}.{0,50}\b(?:implied|implicit|assumed|presumed|already (?:been )?(?:given|granted|obtained)|(?:bereits|schon) (?:vor|erteilt|gegeben)|gilt als)|\bneeds? no ${consent}|\bno (?:further |more )?(?!permission)${consent} (?:is |are )?(?:needed|required|necessary)\b|\bliegt\s(?:bereits|schon)\b.{0,20}${consent})`,
    around: pattern("i")`${everything}|\b(?:liegt|vor)\b`,
    notBefore: condition,
  },
  {
    code: "claims_consent",
    said: pattern(
      "i",
    )`\b(?:give|grant|confirm|approve|accept)\b.{0,20}(?:it|that|them|${consent})\s(?:\w+\s)?yourself\b`,
    around: consent,
  },
  {
    code: "claims_consent",
    said: /\b(?:choose|press|click|pick|select|tap|hit|recommend|wähl\w*|drück\w*|klick\w*|choisi\w*|elig\w*|selecciona)\b.{0,30}["'“‘«*`_]{0,3}(?:always\b(?=.{0,3}(?:here|allow|approve|["'”’»*`_]))|immer\b(?=.{0,3}(?:hier|erlaub|["'”’»*`_]))|toujours\b|siempre\b)|\b(?:button|choice|card|dialog\w*|knopf|schaltfläche)\b.{0,60}\b(?:remembers?|for good|permanent(?:ly)?|forever|no (?:further|more) (?:cards?|questions?|prompts?)|not (?:be )?ask(?:ed)? again|dauerhaft|merkt)\b/i,
    around:
      /\b(?:tell|explain|advise|recommend|ask|say|have|make|get|lead|persuade|convince|urge|suggest|cards?|appears?|person|users?|people|them|sag\w*|erklär\w*|bitte\w*)\b/i,
    quoted: true,
  },
  {
    code: "claims_consent",
    said: /\b(?:treat|take|count)s?\s(?:\w+\s)?(?:silence|no (?:answer|reply))\s(?:as|for)\b|\b(?:answers?|reply|respond)\b.{0,30}\b(?:any|every|each|all)\b.{0,20}\b(?:questions?|prompts?|confirmations?|requests?)\b.{0,40}\b(?:is|with|as|be)\s["“']?(?:yes|ok|approved?|allow)\b|nutzer\w{0,2}\s(?:hat|haben)\b.{0,60}\b(?:bereits|schon|vorab|im voraus)\b.{0,60}(?:zugestimmt|eingewilligt|genehmigt|erlaubt|freigegeben|einverstanden)|utilisateur\w{0,9}\s(?:a|ont)\sdéjà\s(?:accepté|approuvé|autorisé|consenti|donné)|usuarios?\sya\s(?:ha|han|dio|dieron)\b.{0,10}(?:acept|aprob|autoriz|consent|permi)|utente\sha\sgià\s(?:accett|approv|autorizz|acconsent)|usuário\sjá\s(?:aceit|aprov|autoriz|consent)|пользовател\S{0,4}\sуже\s(?:соглас|разреш|одобр)|用户已经?(?:同意|批准|授权|允许)(?!.{0,20}(?:时|后|才))|ユーザーは(?:すでに|既に).{0,12}(?:同意|承認|許可)/iu,
    notBefore: condition,
  },
  {
    code: "plants_memory",
    said: /\b(?:keep|store|save|learn|write|note|record|put)\b.{0,60}\b(?:facts?|memor(?:y|ies)|permanently|for (?:later|good|ever)|pinned)\b|\b(?:use|call)\b.{0,20}\bmemory(?:_\w{1,20})?\b|\b(?:pin|memori[sz]e|remember)\b|(?:merk|speicher|hefte)\w{0,3}\b.{0,40}\b(?:fakt\w{0,3}|gedächtnis|tatsache)\b|记住|запомни|mémoris|memoriza|recuerda/iu,
    around: money,
    quoted: true,
  },
  {
    code: "plants_memory",
    said: /\b(?:pin|memori[sz]e|remember|store|save|learn|write)\b.{0,30}\b(?:facts?|memory)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{12})|(?:merk|speicher|hefte)\w{0,3}\b.{0,30}\b(?:fakt\w{0,3}|gedächtnis|tatsache)\b[^"'“‘«„]{0,20}["'“‘«„](?=[^"'”’»“]{8})/iu,
    quoted: true,
  },
  {
    code: "asks_for_secrets",
    said: /\b(?:enter|paste|provide|send|share|type|give|collect|ask (?:them |the user )?(?:for|to paste))\b.{0,60}\b(?:seed phrase|recovery phrase|mnemonic phrase|wallet['’]?s? private key|wallet key|keystore file|2fa codes?)|\bask\s(?:the\s)?(?:users?|them|people|person|whoever)\b.{0,20}\bfor\s(?:their|the|a)\s(?:\w+\s){0,2}(?:passwords?|pins?\b|one-time codes?|2fa codes?)/i,
  },
  {
    code: "obeys_hidden_text",
    said: /\b(?:decode|decrypt|unscramble|deobfuscate|rot-?13|base64|read (?:it |them )?backwards|entschlüssel\w*|dekodier\w*)\b/i,
    around:
      /\b(?:do what|follow|obey|execute|carry out|act on|treat .{0,30} as (?:instructions|rules|part of)|befolg\w*|führe .{0,20} aus)\b.{0,40}\b(?:it|they|them|says?|steps?|instructions?|there|aus)\b/i,
  },
];

function isIntended({ said, text, around }: Statement, intent: Intent): boolean {
  const here = intent.quoted ? text : said;
  const at = here.search(intent.said);
  if (at === -1 || !affirms(here, intent.said)) return false;
  if (intent.notBefore?.test(here.slice(0, at))) return false;
  return intent.around?.test(intent.quoted ? `${text} ${around}` : around) ?? true;
}

/** Comments that speak to an agent; others are for the readers of the source. */
const addressed =
  /\b(?:(?:note|message|instructions?|hint|reminder|memo|important)\s?(?:to|for)\s(?:the\s|any\s|all\s)?(?:ai|agents?|assistants?|models?|llms?|bots?|claude|gpt)|(?:if|when) you(?:['’]re| are) (?:an? )?(?:ai|agent|assistant|model|llm|bot|language model))\b|^\s*(?:dear\s)?(?:ai|agents?|assistants?|model|llm|bot|claude|system)\b[\w ]{0,30}[:,!]|\b(?:the\s)?(?:ai|agents?|assistants?|models?|llms?)\s(?:must|should|shall|has to|have to|need to|always)\b/i;
const commands =
  /\b(?:run|execute|send|always|never|must|should|install|open|call|load|fetch|pass|forward|ignore|before|after|whenever|output)\b|https?:/i;
/** Has the agent take its instructions from somewhere else. */
const obeys =
  /\b(?:follow|obey|do what|carry out|apply|act on|treat)\b.{0,50}\b(?:instructions?|rules?|steps?|(?:it|they|that|there|page|file) says?|orders?|commands?|in it|exactly)\b|\bbefolg\w*|照做|按照.{0,10}(?:指示|执行)/i;
const loads =
  /\b(?:load|fetch|read|open|get|download|retrieve|check|visit|curl|web-?fetch|lade|lies|öffne)\b|读取|打开|加载/i;
const isAgainst =
  /\b(?:deprecated|withdrawn|insecure|unsafe|obsolete|superseded|replaces|replaced by|retired|broken|outdated|removed|compromised|successor|must not be used|(?:do not|don['’]t|never|no longer|stop) (?:\w+ )?us(?:e|ing)|instead of|in place of|takes? over|veraltet|ersetzt|unsicher|obsolète|obsolet[oa])\b|已弃用|устарел/i;

/** The shipped skill that a sentence speaks against. */
function discredited({ said, text }: Statement, { skill, shipped }: ReviewSubject): string | undefined {
  if (!isAgainst.test(said)) return undefined;
  return shipped.find(({ id }) => {
    if (id === skill.id || id === skill.parent) return false;
    const named = pattern(
      "i",
    )`\bskill [\x60"“]?${id}\b|\b(?:${id}|${id.replaceAll("-", " ")})[\x60"”]? (?:skill|tool)\b`;
    return named.test(text) || (id.includes("-") && pattern("i")`(?<![\w-])${id}(?![\w-])`.test(text));
  })?.id;
}

/** What prose makes an agent do against, or past, the people it works for. */
export const instructionRule: FileRule = (file, subject) =>
  statementsOf(file, subject).flatMap((statement): Capability[] => {
    const { text, line, isHidden } = statement;
    const found = sending(statement, subject);
    const add = (
      code: Code,
      message: string | undefined = undefined,
      severity: Capability["severity"] = "warning",
    ) => found.push(foundIn(file, { number: line, text }, severity, code, message));
    const other = discredited(statement, subject);
    if (other !== undefined)
      add("discredits_skill", `It speaks against the skill ${other}, which ships with the bot.`);
    if (isExplained(statement) || subject.purpose.isAboutAttacks) return found;
    for (const intent of intents) {
      const isNew = found.every(({ code }) => code !== intent.code);
      if (isNew && isIntended(statement, intent)) add(intent.code, undefined, intent.severity);
    }
    if (isHidden && addressed.test(text) && commands.test(text))
      add(
        "hidden_instructions",
        "A comment that is not shown to readers of the page tells an agent what to do.",
      );
    return found;
  });

/** Text that is styled to be invisible when a page is shown. Pages for people hide parts until they are needed. */
export const hiddenMarkupRule: FileRule = (file, { purpose }) => {
  if (/\.html?$/i.test(file.path) || purpose.isAboutAttacks) return [];
  const styled =
    /<(?!input|button|option|img)[a-z]+\b[^>]{0,200}(?:\bcolor\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>\s*(?=(?:[^<\s]+\s+){2}|[^<]{8})/i;
  return file.lines.flatMap(({ number, role, text }): Capability[] => {
    if (role !== "prose" || !styled.test(text.replace(/`[^`]*`/g, ""))) return [];
    const message = "It contains text that is styled to be invisible to readers.";
    return [foundIn(file, { number, text }, "warning", "hidden_instructions", message)];
  });
};
