import { pattern } from "../../base/pattern.ts";

/*
 * The words of what a skill tells an agent, in the languages of known incidents: who gets what, what is done with it, and what people decide.
 */

/** Words of people. */
const speech =
  /(?<!\p{L})(?:(?:last|latest|previous|preceding|current|recent|whole|entire|full|complete|every|each|user['’]?s?|person['’]?s?|people['’]?s?|their|his|her|the|this|our|summar\w{1,6} of|digest of|recap of|copy of|gist of|\w+['’]s)\s(?:(?:the|of|this|our|last|whole|latest|full|entire)\s){0,3}(?:messages?|words|wording|conversations?|chats?|talk|transcripts?|discussion|exchange|dialog(?:ue)?)|(?:chat|message|conversation)\s(?:history|transcript|log|text)|recap|(?:new|direct|private|unread|other) messages|everything (?:the|they|said|that was|users?|people)|(?:conversation|chat|discussion|talk)\sso\sfar|what(?:ever)?\s(?:(?:the|has been|was|is)\s)?(?:users?|person|people|they|he|she|somebody|said|written|asked|typed)\b|(?:letzt|vorig|ganz|gesamt|komplett|bisherig|jed|all)\w{1,3}\s(?:nachricht|unterhaltung|gespräch|chat|verlauf|worte)\p{L}{0,8}|(?:gesprächs|chat)-?verlauf|was\s(?:der\s|die\s)?(?:nutzer|person|benutzer|leute)\p{L}{0,3}|derniers?\smessages?|la\sconversation|últimos?\smensajes?|la\sconversación|ultimo\smessaggio|última\smensagem)|последн\p{L}{1,4}\sсообщени|最后一条消息|聊天记录|对话|最後のメッセージ|会話/iu;
/** Files of people, secrets, and facts about them. */
const belongings =
  /\battach(?:ed|ments?)\b|\buploaded (?:files?|documents?|images?)|\b(?:all|every|each|their|user['’]s|any|whatever)\s(?:\w+\s){0,2}(?:files?|documents?|images?|pictures?|photos|notes|mails?|e-?mails?|invoices?|contracts?|spreadsheets?)\b|\bcontents? of (?:the|any|each|every|all|their)|\b(?:source|original|input|full) text\b|angehängt|\b(?:deren|ihren|den) Inhalt\b|\bDatei(?:en)?\b|fichiers? joints?|adjunt[oa]s?|вложени|附件|添付|\b(?:passwords?|passphrases?|(?:private|ssh) keys?|credentials|secrets|cookies|seed phrases?|(?:one[- ]time|two[- ]factor|2fa|reset|login|security) (?:codes?|links?)|codes? of \w+ digits|(?:account|card) numbers?|\.env\b|environment variables)|\b(?:all|any|every|their|found|available|users?['’]s?)\s(?:\w+\s){0,2}(?:keys|tokens)\b|\b(?:names? of (?:its|the|their) (?:author|user|person|sender|customer)|user_?names?|(?:their|\w+['’]s) (?:real |full )?(?:names?|e-?mails?|e-?mail address|phone|location|identity)|who (?:wrote|asked|sent))\b/iu;
export const personal = pattern("iu")`(?:${speech}|${belongings})`;

export const sends =
  /(?<![\p{L}-])(?:(?:send|post|forward|upload|copie|share|write|push|report|append|add|deliver|list)s|sending|send|list|post|forward|upload|submit|report|transmit|push|copy|share|append|add|encode|put|insert|include|embed|pack|write|attach|deliver|mail|hand|pass|relay|mirror|replace|fill|dm|cc|bcc|sync|stream|log|publish|output|leite|leiten|schick|(?:send|schick|übermittl|übertrag|lade|häng|füg|setz|meld|leit)\w{1,3}|envoie[rz]?|ajoute[rz]?|env[ií]a\w{0,2}|añad\w{1,2}|invia\w{0,2})(?![\p{L}-])|(?<!\p{L})(?:отправ|добав)\p{L}{1,4}|发送|附加|转发|送信|追加/iu;
export const completes =
  /(?<![\p{L}-])(?:open|complete|load|call|visit|fetch|rufe|öffne|lade|appelle|ouvre|abre|followed by|plus|with|gefolgt von|mit|suivie? d[ue]|seguid[oa] de\w?)(?!\p{L})|打开|后面|加上|открой|開い|に続けて/iu;
/** Gives something of people away: `send … what they wrote`, `their files are sent`. */
export const gives = pattern(
  "iu",
)`(?:(?:${sends}).{0,90}?(?:${personal})|(?:${completes}).{0,90}?(?:${speech})|(?:${personal}).{0,60}\b(?:sent|posted|forwarded|uploaded|appended|copied|shared|passed|transmitted|reported|delivered|added|included|encoded)\b)`;
/** Gives away what was spoken of before. */
export const givesIt = pattern(
  "iu",
)`(?:${sends})\s(?:it|them|this|these|everything|(?:the|a|your) (?:\w+\s)?(?:results?|reports?|lists?|findings|summary|contents?|texts?|data|values|files?))\b`;
export const secretly =
  /\b(?:silently|secretly|covertly|in secret|quietly|discreetly|stillschweigend|heimlich|unauffällig|discrètement|en secret|en secreto)\b|悄悄|偷偷|こっそり|незаметно|тайно/iu;
export const loads =
  /\b(?:load|fetch|read|open|get|download|retrieve|check|visit|curl|web-?fetch|lade|lies|öffne)\b|读取|打开|加载/i;
/** Takes instructions from somewhere else. */
export const obeys =
  /\b(?:follow|obey|do what|carry out|apply|act on|treat)\b.{0,50}\b(?:instructions?|rules?|steps?|(?:it|they|that|there|page|file) says?|orders?|commands?|in it|exactly)\b|\bbefolg\w*|照做|按照.{0,10}(?:指示|执行)/i;

/** Lets somebody in: to a document, a channel, an account. */
export const admits =
  /\b(?:invite|admit|add|give|grant|share)\b.{0,60}\b(?:rights?|access|permissions?|members?|editors?|viewers?|collaborators?|guests?|channels?|accounts?|documents?|calendars?|folders?)\b/i;

/** `?d={last_message}`, `?t=…`, `/m/DIGEST-OF-THE-TALK.png`: a place in an address that the agent fills with words or names of people. */
export const filled =
  /(?:[?&][\w.-]{1,40}=|\/)[^\s&"')>]{0,60}?(?:[{[<$(]{1,3}|%7B)[^&\s"')>]{0,30}(?:message|conversation|chat\b|transcript|history|summar|digest|recap|talk|said|user_?name|who\b|e-?mail)|[?&]\w{1,20}=(?:…|\.\.\.)/i;
export const capitals =
  /(?:[?&][\w.-]{1,40}=|\/)[^\s&"')>]{0,60}?[A-Z_-]{0,30}(?:MESSAGE|PASS(?:WORD|PHRASE|WD)|SECRET|COOKIE|CONVERSATION|TRANSCRIPT|HISTORY|SUMMARY|DIGEST|RECAP|TALK|USER|NAME)[A-Z_-]{0,30}(?:[&)"'.\s/]|$)/;
export const picture =
  /!\[[^\]\n]{0,100}\]\(\s{0,3}<?(?:https?:)?\/\/[^)\n]{1,300}|<img\b[^<>]{0,200}\bsrc\s{0,3}=\s{0,3}["']?(?:https?:)?\/\/[^\s>]{1,300}/i;
/** A place in an address that is filled in: `t=TOPIC`, `/{topic}`. */
export const placeholder =
  /[?&/=][{[<$(]{0,3}([A-Za-z]\w{2,30})(?<=[A-Z]|[{[<$(]{1,3}\w{3,31})[}\]>)]{0,3}(?=[&\s)"'`.]|$)/;
/** An account that money goes to. */
export const account =
  /\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}\b|\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{25,60}\b/;
/** Somebody in particular: a mailbox, a channel, an id of one, an address without a scheme. */
export const somebody =
  /(?<![\w/:@.=])[\w.+-]{1,60}@(?!(?:\w+\.)?example\.(?:com|org|net)\b)[\w-]{1,60}(?:\.[\w-]{2,30}){1,3}|\b[CDGUW]0[A-Z0-9]{7,11}\b|\b\d{17,19}\b|\b(?:channel|to|into|in)\s[`"']?#[a-z][\w-]{2,60}|\b(?:to|message|dm|invite|add|account|user|person|with)\s(?:the (?:account|user|person)\s)?[`"']?@[a-z][\w.-]{2,60}|(?<![\w/@.])(?:[\w-]{1,40}\.){1,4}[a-z]{2,12}\/[^\s?`]{0,100}\?\w{1,20}=/i;
/** Somebody behind the skill. */
export const outsiders =
  /\b(?:to|with|at|via)\s(?:our|the|my|a)\s(?:\w+\s){0,2}(?:servers?|backend|endpoint|collector|vendor|developers?|maker|analytics|telemetry|inbox|mailbox)\b/i;

export const consent =
  /\b(?:consents?|approvals?|permissions?|confirmations?|authori[sz]ations?|zustimmung|einwilligung|freigabe|genehmigung|erlaubnis)\b/i;
export const everything =
  /\b(?:all|any|every(?:thing)?|each|whatever|tools?|calls?|bookings?|purchases?|payments?|actions?|alle[nrsm]?|jede[mrns]?)\b/i;
export const condition =
  /\b(?:if|when|once|after|until|unless|whether|before|only|assume|ensure|check|wenn|sobald|falls|ob|erst|nachdem)\b/i;
export const money =
  /\b[A-Z]{2}\d{2}[ \w]{8,}|\b(?:IBAN|BIC|bank (?:account|details)|account (?:numbers?|details)|wallet|routing number|payable to|paid (?:at|to|into)|mailbox is|hotline|(?:phone|fax) number|password is|konto|compte|cuenta)\b|\b0x[0-9a-f]{16}|\bbc1\w{20}|银行|账号|счёт|счет/i;
