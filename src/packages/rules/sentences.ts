import { pattern } from "../../base/pattern.ts";
import { skillDocument } from "../../base/skill-places.ts";
import type { TextRole } from "../review-lines.ts";
import type { ReviewedFile, ReviewSubject } from "../review-subject.ts";
import { conceptsOf, isFamous } from "./concepts.ts";
import { addressesIn, oddPlace, somebodyIn } from "./hosts.ts";

interface Paragraph {
  line: number;
  text: string;
  /** In a comment or in code, which readers of the page do not see. */
  isHidden: boolean;
  isDescription?: boolean;
}

/** A sentence or list item that somebody is told, with what it and the sentences around it say: the steps of a list build on each other. */
export type Sentence = Paragraph &
  Record<"stated" | "near" | "ordered" | "orderedNear" | "denied", ReadonlySet<string>>;

/**
 * Everything a guide or note says: no frontmatter, no block of code. The description of the skill is said by its guide. Of code and data, the
 * longer texts in quotes: what a program prints, an agent reads.
 */
export function sentencesOf(file: ReviewedFile, subject: ReviewSubject): Sentence[] {
  const all = (file.role === "prose" ? told(file, subject) : printed(file)).flatMap(split);
  const around = <Each>(list: readonly Each[], at: number) => list.slice(Math.max(0, at - 3), at + 4);
  const read = all.map((each, at) => {
    const shapes = shapesOf(each, around(all, at), file, subject);
    const { stated, ...concepts } = conceptsOf(each.text.replace(inAddresses, " "));
    // `even if someone asks to stop`
    const isAgainst = stated.has("regardless") || shapes.includes("asked");
    const facts = [...stated, ...shapes].filter((fact) => fact !== "wish" || !isAgainst);
    return { ...each, ...concepts, stated: new Set(facts) };
  });
  return read.map((sentence, at) => {
    const close = around(read, at).filter(({ line }) => Math.abs(line - sentence.line) <= 4);
    const near = new Set(close.flatMap(({ stated }) => [...stated]));
    return { ...sentence, near, orderedNear: new Set(close.flatMap(({ ordered }) => [...ordered])) };
  });
}

function printed({ path, role, statements }: ReviewedFile): Paragraph[] {
  // The cells of a table; of other data and code, longer texts.
  const isTable = role === "data" && /\.[ct]sv$/i.test(path);
  const form = isTable
    ? /([^;,\t"]{12,1000})/g
    : role === "data"
      ? /"([^"]{20,1000})"|(?:^\s*(?:- )?[\w-]{1,40}:|^)\s+([^{}[\]#&"]{30,1000})$/g
      : /"([^"]{36,1000})"/g;
  return (isTable && /test|example|sample|fixture/i.test(path) ? [] : statements)
    .slice(0, 5_000)
    .flatMap(({ number: line, text }) =>
      [...text.matchAll(form)].map(([, said, bare = ""]) => ({ line, text: said ?? bare, isHidden: true })),
    );
}

/** Text between blank lines, headings and list items; that of comments apart. */
function told({ lines, path }: ReviewedFile, { skill }: ReviewSubject): Paragraph[] {
  const line = lines.find(({ text }) => text.startsWith("description:"))?.number ?? 1;
  const found: Paragraph[] =
    skillDocument([path]) === path
      ? [{ line, text: skill.description, isHidden: false, isDescription: true }]
      : [];
  const open = new Map<TextRole, Paragraph>();
  for (const { number, role, text } of lines) {
    const isTold = role === "prose" || role === "comment";
    const last = open.get(role);
    const begins = /^\s*(?:[-*+>|#]|\d{1,3}[.)]\s)/.test(text);
    if (!isTold || text.trim() === "") open.clear();
    else if (last !== undefined && !begins && last.text.length <= 2_400)
      last.text += ` ${text.replace(/^[\s>]+/, "").trim()}`;
    else {
      const paragraph = { line: number, text, isHidden: role === "comment" };
      found.push(paragraph);
      open.set(role, paragraph);
      if (/^\s{0,3}#{1,6}\s/.test(text)) open.clear();
    }
  }
  return found;
}

function split(paragraph: Paragraph): Paragraph[] {
  return paragraph.text
    .split(/(?<=(?<!\.\.|\b(?:e\.g|i\.e|[A-Z]|Prof|Dr|Mrs?|Ms|Ltd|Inc|Nr))[.!?])["”’)*]*\s+|(?<=。)/)
    .flatMap((sentence) => sentence.match(/.{1,600}/gs) ?? [])
    .filter((sentence) => /\p{L}{2}/u.test(sentence))
    .map((text) => ({ ...paragraph, text }));
}

const inAddresses = /\b(?:https?|wss?):\/\/[^\s)>\]"'`]{1,400}|[\w.+-]{1,60}@[\w.-]{1,80}/g;
/** Names of what people say and keep, as a place in an address has them; a picture is loaded for their name alone. */
const theirs =
  /message|pass(?:word|phrase)|secret|cookie|conversation|transcript|histor|summar|digest|recap|talk|said|wrote|question|wording/i;
const named = /user|name|who|mail|author|team/i;
/** A place in an address that is filled in: `{topic}`, `TOPIC`, `…`, or its end. */
const gap =
  /(?:[{[<$(]{1,3}|%7B)[^&\s"')>}\]]{0,60}|(?<=[=/_-])[A-Z][A-Z_-]{2,40}(?=[&)"'`.\s/]|$)|(?<==)(?:…|\.\.\.)|(?<==)$/g;
const titled = /^\s*[#|]|^\W*\*\*[^*]{1,80}\*\*(?!\s\p{Ll})/u;
/** `<asker's e-mail, encoded>`, which is one place. */
const inBrackets = /(?<=[/=])<([^<>]{1,40}[ ’'][^<>]{1,40})>/g;
const asPlace = (_: string, name: string) => `{${name.replace(/\W+/g, "_")}}`;
/** What only a pattern can tell of a sentence: an account is one that money goes to, `addressed` speaks to an agent. */
// biome-ignore format: one pattern a line
const shapes: readonly (readonly [shape: string, said: RegExp])[] = [
  ["picture", /!\[[^\]\n]{0,100}\]\(|<img\b[^<>]{0,200}\bsrc|\burl\(["']?https?:/i],
  ["script", /<script\b[^<>]{0,200}\bsrc\s*=\s*["']?https?:/i],
  ["packed", /https?:\/\/[^\s)>\]"'`]{4,400}\.(?:exe|msi|dmg|pkg|scr|apk|appimage|jar|zip|7z|rar|bat|cmd|vbs|ps1|bin)\b/i],
  ["account", /\b(?!DE89 ?3704|FR76 ?3000)[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}\b|\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{25,60}\b/],
  ["quote", /(?:["“„«「]|(?<!\w)['‘])(?=[^"'”’»“」]{12})[^"”’»“」]{0,30}[\s\p{Script=Han}]/u],
  ["colon", /:\s*$|\bfollowing\b/],
  ["referral", /[?&](?:via|aff\w{0,12}|aid|pt|tag|partner|promo|ref(?!=(?:main|master|v?\d)))(?:_?id|_?code)?=[\w-]{2,}/i],
  ["button", /(?:always|immer|toujours|siempre|sempre|всегда)\b(?=.{0,3}(?:here|allow|approve|hier|erlaub|["'”’»*`_]))/i],
  ["styled", /(?<!`)<(?!input|button|option|img)[a-z]+\b[^>]{0,200}(?:\bcolor\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>\s*(?=(?:[^<\s]+\s+){2}|[^<]{8})/i],
  ["addressed", /\b(?:to|for|dear|attention|when you are|if you are)\s(?:an?|the|any|all|every)\s(?:\w+\s)?(?:ai|agents?|assistants?|model|llms?|bots?)\b|^\W*(?:the\s|ai\s)?(?:agents?|assistants?|llms?|bots?|system)\b[\w ]{0,30}[:,!]/i],
  ["untold", /(?<!\|.{0,200}|\b(?:you|I|they|if) )\b(?:need(?:n['’]t| not\b|s? no\b)|(?:no|any|little) (?:need|reason|point|cause|use|occasion)\b|(?:do|does)(?:n['’]t| not) (?:need|have|call|want) (?:to|an?|any|for)\b|nobody to\b|unnecessary to|not (?:necessary|needed|worth)\b|(?:has|have) no (?:place|section|line))[^.;:]{0,40}\b(?:mention|comment|t(?:ell|old)\b|s(?:ay|aid)\b|br(?:ing|ought)\b|rais|expla|announc|report|list|sho(?:w|wn)\b|know\b|learn|marker|mark(?:ed|ing)\b|remark|disclos|refer|appear|entry|section|read out|notif|inform|alert|bother|troubl|burden|involv|discuss|describ|label|spell|point(?:ed)? out|not(?:e|ed|ice)\b|ask\b|(?:go|be) (?:in|on)\b)/i],
  ["untold", /(?:nicht (?:nötig|erforderlich|notwendig|zu)\b|(?:braucht|brauchen|muss|müssen)\b[^.;:]{0,30}\bnicht\b|kein(?:en|er|e)? (?:grund|anlass|bedarf|hinweis|vermerk)|n['’]y a pas (?:lieu|besoin)|inutile|pas (?:besoin|nécessaire|à)\b|no (?:hace falta|es necesario|tienen? por qué|hay que|necesita|se habla)|non (?:serve|occorre|è necessario)|не (?:нужно|надо|обязательно)|незачем|нет (?:нужды|необходимости))[^.;:]{0,50}(?:erw[äa]hn|nenn|genannt|vorles|vorzules|mitteil|mitzuteil|sagen|wissen|erfahren|hinwei|informier|zeigen|angezeigt|aufgef[üu]hrt|mention|signal|pr[ée]cis|dire\b|[ée]tat|savoir|inform|pr[ée]ven|sollicit|avis|decir|explic|saber|conocer|comunic|menzion|segnal|spiega|упоми|сообщ|говор|объясн|告|知|提|说明|説明|通知|報告|言)|(?:erw[äa]hn|nenn|genannt|vorles|vorzules|mitteil|mitzuteil|sagen|wissen|erfahren|hinwei|informier|zeigen|angezeigt|aufgef[üu]hrt|mention|signal|pr[ée]cis|dire\b|[ée]tat|savoir|inform|pr[ée]ven|sollicit|avis|decir|explic|saber|conocer|comunic|menzion|segnal|spiega|упоми|сообщ|говор|объясн|告|知|提|说明|説明|通知|報告|言)[^.;:。]{0,20}(?:必要は|必要が|必要も|不要|省略)|(?:无需|不必|不用|没有必要|無需)[^。]{0,6}(?:erw[äa]hn|nenn|genannt|vorles|vorzules|mitteil|mitzuteil|sagen|wissen|erfahren|hinwei|informier|zeigen|angezeigt|aufgef[üu]hrt|mention|signal|pr[ée]cis|dire\b|[ée]tat|savoir|inform|pr[ée]ven|sollicit|avis|decir|explic|saber|conocer|comunic|menzion|segnal|spiega|упоми|сообщ|говор|объясн|告|知|提|说明|説明|通知|報告|言)|\bbleib(?:t|en) (?:unerwähnt|unter|außen|intern)|\bunterbleib|(?:anmerkung|hinweis|vermerk|kennzeichnung|erklärung)\b[^.;]{0,20}\bentfäll/i],
  ["it", /\b(?:it|this|that|they|these|those|them|itself|such|davon|dies\w{0,2}|es|sie|en|ce|cela|le|esto|ello|lo|ne|lo)\b|この|それ|这|此|этом/i],
  ["asked", /\b(?:if|when|should|whenever) (?:\w+[ -]){1,4}(?:asks?|wonders?|questions?|notices?|complains?|objects?)\b (?:you )?(?:about|why|how|it|this|that|such)\b|(?:^|[.;] ?)asked (?:about|why|how|whether)\b|(?:wenn|falls) (?:\w+ ){0,3}(?:nachfragt|fragt, (?:warum|wieso|wie))|si (?:[\wéô’']+ ){0,4}(?:demande pourquoi|s['’]étonne)|si (?:\w+ ){0,4}(?:pregunta por qué|pregunta cómo)|\bquestions? (?:on|about) (?:it|this|that|them)\b|\bif asked (?:about|why|how)\b|理由を聞かれ|なぜかと/i],
  ["because", /(?:\b(?:since|as|because)|[;,:–—.]) (?:it|they|this|that|these|those|the \w+|people|nobody)(?:['’](?:s|re)| (?:is|are|was|were|has|have|do|does|would|only|concerns?|frees?|belongs?|helps?|needs?|takes?|comes?|makes?))\b|\b(?:da|weil|denn) (?:es|sie|das|dies)\b|\b(?:car|puisque|parce qu)|\b(?:porque|ya que|pues)\b|ため|ので|因为/i],
  ["untold", /\b(?:no (?:separate )?(?:section|line|row|column|field|place|entry|code|room) (?:for|about) (?:this|it|that|them|these|auto)|no line about|without an? (?:remark|mention|notice|hint|word))\b/i],
  ["partial", /\b(?:people|person|participants?|readers?|users?|committee|managers?|customers?|clients?|team|requester|applicants?|whoever|they|preview|quote|table|announcement|form)\b[^.;]{0,40}\b(?:see|hear|learn|get|know|receive|show|keep)s?\b[^.;]{0,40}\b(?:only|nothing else|no more|saying)\b/i],
  ["unlisted", /(?<!\b(?:if|when|what|who|unless|where|you|that|which)\b.{0,60})\w\s(?:(?:is|are|was|were|will|shall|should|gets?)(?: not\b|n['’]t\b)|not be\b|not to be\b)[^.;:]{0,30}\b(?:mention|comment|t(?:old|alk)\b|said\b|brought\b|rais|explain|announc|report|list|shown\b|mark(?:ed)\b|disclos|refer|read out|discuss|describ|label|spell|named\b|not(?:ed|iced)\b|part of|among|record|visible|counted|(?:in|on) the (?:report|table|summary|list|answer|page|preview|minutes))|\w\s(?:do|does)(?: not\b|n['’]t\b)(?: \w+)? (?:appear|count|go (?:in|on)|belong|figure|show up)/i],
  ["unlisted", /\b(?:ne|n['’])\s?(?:sont|est|figure\w*|apparai\w+|doi\w+)\b[^.;:]{0,12}\bpas\b[^.;:]{0,40}(?:détaill|mention|signal|indiqu|dans le|dans la|au compte)|\bno (?:se|aparece|figura|consta)\b[^.;:]{0,20}(?:menciona|habla|dice|explica|informa|indica|muestra|detalla|en el|en la)|\b(?:wird|werden|taucht|tauchen|erscheint|erscheinen|steht|stehen)\b[^.;:]{0,40}\bnicht (?:\w+ ){0,2}(?:erwähnt|genannt|aufgef|angezeigt|ausgewiesen|auf\b)|(?:表示|記載|報告|掲載)(?:されません|されない)/i],
  ["template", /<\|(?:system|im_start|im_end)\|>|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:|\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))/i],
];

/** Names of companies, people, packages, accounts and domains. */
// biome-ignore format: one form a line
const particular = [
  /(?<=[\p{Ll}\d,;:] (?:\p{L}{1,5} )?(?:\*\*|[*_"“„«]|« )?)\p{Lu}[\p{L}\d-]{2,20}(?: & \p{Lu}[\p{L}\d-]{2,20}| (?:\p{Lu}\p{Ll}{2,20}))+|^(?:[-*] )?\p{Lu}[\p{L}\d-]{2,20} \p{Lu}[\p{L}\d-]{2,20}(?= (?:and|is|are|has|must|goes|comes|always|will|gets)\b)|(?<=\p{Ll} (?:\*\*|[*_„«]))\p{Lu}[\p{L}\d&. -]{2,30}(?=(?:\*\*|[*_“»]))/gu,
  /(?<=\b(?:of|from|by|for|with|about|like|to|is|the|par|chez|con|es|von|bei|account|user|package|scope) )\p{Lu}\p{Ll}{3,20}\b(?= \p{Ll}|[.,;:!?)]|$)|(?<=[\p{Ll}\d,;:] )\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+\b|(?<=[「『])[^」』]{3,20}(?=[」』])|[\p{Script=Han}\p{Script=Katakana}ー]{2,12}(?=の場合)/gu,
  /(?<!`[^`]{0,80})@(?!everyone|here|channel|mention|user)[a-z][\w-]{2,30}\/?|(?<=\b(?:by|from|of|account|user|bot|author|scope|registry) `)[a-z][\w@/-]{3,30}(?=`)/g,
  /(?<![\w@./-])(?!(?:www\.)?example\.)(?:[a-z\d][a-z\d-]{1,40}\.){1,3}(?:com|net|org|io|dev|app|ai|co|shop|store|biz|example|es|de|fr|jp|eu|co\.uk)(?![\w.(-])|(?<![\d.])(?!0\.|10\.|127\.|192\.168\.)\d{1,3}(?:\.\d{1,3}){3}(?:\/\d+)?(?![\d.])/g,
];

/** What a sentence has besides words, in a skill with this purpose. `near` are the sentences around it. */
function shapesOf(
  { text, isHidden, isDescription = false }: Paragraph,
  near: readonly Paragraph[],
  { path }: ReviewedFile,
  { purpose, skill, shipped }: ReviewSubject,
): string[] {
  const shaped = shapes.flatMap(([shape, said]) => (said.test(text) ? [shape] : []));
  // `{{ name }}` is one place.
  const places = addressesIn(text.replace(/(?<=\{\{) | (?=\}\})/g, "").replace(inBrackets, asPlace));
  const strange = places.filter(({ place }) => !purpose.names(place));
  const gaps = strange.flatMap(({ tail }) => [...tail.matchAll(gap)].map(([each]) => each));
  const isFilled = (each: string) => {
    const name = each.replace(/\W/g, "");
    // `TOPIC is what the person wrote`.
    const isDefined = pattern("i")`\b${name}\b\W{1,4}(?:is|means|holds|=|:)`.test(
      near.map((other) => other.text).join(" "),
    );
    const isPicture = shaped.includes("picture") && (isHidden || named.test(each));
    return theirs.test(each) || isPicture || (name.length > 2 && isDefined);
  };
  const people = somebodyIn(text);
  const isSkill = (id: string) =>
    id.includes("-") ||
    pattern("i")`\bskill [\x60"“]?${id}\b|(?<![\w-])${id}[\x60"”]? (?:skill|tool)\b`.test(text);
  const others = shipped.map(({ id }) => id).filter((id) => id !== skill.id && id !== skill.parent);
  // A channel such as `#sales-reports` is named by what it is about.
  const parts = (person: string) => (person.startsWith("#") ? person.slice(1).split(/[-_]/) : [person]);
  const said = `${purpose.text} ${skill.id} ${skill.id.replaceAll("-", "")}`.toLowerCase();
  const names = text.match(/(?<=[\p{Ll}\d,;:’] )\p{Lu}\p{Ll}{3,20}\b/gu) ?? [];
  // Where many words begin with a capital letter, names do not stand out.
  const isTitled = titled.test(text) || names.length > text.length / 25;
  const isOurs = (name: string) => said.includes(name.toLowerCase()) || isFamous(name);
  const found = {
    address: places.length > 0 || people.length > 0,
    host: strange.length > 0,
    odd: oddPlace(text) !== undefined,
    person: people.some((each) => !parts(each.toLowerCase()).every(isOurs)),
    blank: gaps.length > 0,
    filled: gaps.some(isFilled),
    brand: !isTitled && names.some((name) => !isOurs(name)),
    party: !isTitled && particular.some((form) => (text.match(form) ?? []).some((name) => !isOurs(name))),
    described: isDescription,
    hidden: isHidden,
    page: /\.html?$/i.test(path),
    rival: others.some((id) => text.includes(id) && isSkill(id)),
  };
  return [...shaped, ...Object.entries(found).flatMap(([fact, isThere]) => (isThere ? [fact] : []))];
}
