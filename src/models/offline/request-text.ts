import { stemmer } from "stemmer";

/**
 * The parts of a message: the `instruction`, and the `payload` that it works on (text in a fence, in quotes or after a colon). Without
 * a payload the instruction is the whole message.
 */
export interface RequestText {
  whole: string;
  instruction: string;
  tokens: Token[];
  payload: Payload | undefined;
  quotes: string[];
  urls: string[];
  isQuestion: boolean;
}

interface Payload {
  kind: "fence" | "colon" | "quote";
  text: string;
}

/** One word of a text and its position. */
export interface Token {
  /** Lower case, without accents. */
  plain: string;
  /** The stem by which the word is compared; words of one family share a stem. */
  stem: string;
  start: number;
  end: number;
}

/** Maximum characters of a message that the rules read. The rest is only passed on. */
export const maxRead = 4_000;
/** Maximum words of an instruction before a colon. A longer text is not an instruction. */
const maxInstruction = 14;

/** Words that say nothing about the request. */
const common = words(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing done each even ever few for from further had has have having he her here hers him his how i if
  in into is it its itself just let like me more most my need no nor not now of off on once only or other our out over
  own per please same she should so some such than that the their them then there these they this those through to too
  under until up us use used uses using very want wants was we were what when where which while who whom why will with
  would you your yours tell show give get make whether person people someone something anything asks ask user
  wie was wer wo wann warum ist sind der das den dem ein eine einen bitte mir mich dir kannst du ich`,
);

/** Words that introduce a request. */
const leadIn = words(
  `please can could would will you hey hi hello ok okay knack bot i we want need like to lets let me us just now also
  what whats how is are do does did tell show give get make run use my your
  create write draft prepare kannst du bitte mir wie was ist das der wird`,
);
const connecting = words(
  "that about of for in on at to with from into over the a an this these those following below me us how what is are out up it dir mir dass im",
);
/** Up to two of these words belong to the command before them (`remember that`, `weather in`); articles do not. */
const joining = words("that about of for in on at to with from me us how this following text dir dass fur");
const generic = words(
  "text sentence sentences paragraph message following below words line lines list one thing many much long hard often",
);

/** Words that mean the same for choosing a skill. The first represents the others. */
const families = [
  "remember memorize memorise note merk merke merken notiere",
  "recall recollect",
  "forget unlearn vergiss",
  "summary summarise summarize summarizing tldr shorten digest",
  "search google lookup find",
  "image picture photo illustration draw drawing",
  "chart graph plot diagram visualise visualize visualization visualisation",
  "weather forecast temperature rain wetter",
  "analyse analyze analysis analyzer analyser",
  "plan planning roadmap planner plane",
  "incident outage postmortem rca",
  "page website webpage site url link",
  "translate translation",
  "sentiment mood tone feeling positive negative",
  "readability readable legible",
  "statistics statistic stats",
  "keyword keywords topics",
];

const representative = new Map(
  families.flatMap((family) => {
    const [head = "", ...others] = family.split(" ").map((word) => stemmer(word));
    return [head, ...others].map((word): [string, string] => [word, head]);
  }),
);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** The words of the beginning of a text. */
export function tokenize(text: string): Token[] {
  const found = text.slice(0, maxRead).matchAll(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)?/gu);
  return [...found].map(({ 0: word, index: start }) => {
    const bare = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("’", "'");
    const plain = bare.replace(/'(?:s|re|ve|ll|d|m)$/, "");
    const stem = /^[a-z]+$/.test(plain) ? stemmer(plain) : plain;
    return { plain, stem: representative.get(stem) ?? stem, start, end: start + word.length };
  });
}

/** Whether a word says something about the request. */
export function isTelling({ plain }: Pick<Token, "plain">): boolean {
  return !common.has(plain) && !common.has(plain.replace(/'.*$/, ""));
}

/** The stems of the telling words of texts. */
export function stemsOf(...texts: readonly string[]): Set<string> {
  const spaced = texts.map((text) => text.replaceAll("_", " ").replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1 "));
  const telling = spaced.flatMap((text) => tokenize(text).filter(isTelling));
  return new Set(telling.map(({ stem }) => stem));
}

/** Splits a message by its punctuation. Only its beginning is read; a payload is kept whole. */
export function readRequest(message: string): RequestText {
  const whole = message.trim();
  const start = whole.slice(0, maxRead);
  const quotes = [...start.matchAll(quotation)].filter((quote) => unquote(quote[0]) !== "");
  const { instruction, payload } = takeApart(whole, start, quotes) ?? {
    instruction: start,
    payload: undefined,
  };
  const urls = start.matchAll(/\bhttps?:\/\/[^\s<>"'”)\]]+/gi);
  return {
    whole,
    instruction,
    // `how hard is this to read` asks for a measure, not for a page.
    tokens: tokenize(
      instruction.replace(/^(\W*how (?:hard|easy|difficult|simple)\b.{0,40})\bread\b/i, "$1readability"),
    ),
    payload,
    quotes: quotes.map(([quote]) => unquote(quote)),
    urls: [...urls].map(([url]) => url.replace(/(?<![.,;:!?])[.,;:!?]+$/, "")),
    isQuestion: asks(instruction),
  };
}

type Parts = { instruction: string; payload: Payload };

function takeApart(whole: string, start: string, quotes: readonly RegExpExecArray[]): Parts | undefined {
  const fence = start.indexOf("```");
  if (fence >= 0) return takeFence(whole, fence);
  const before = instructionBefore(start);
  const text = before === undefined ? "" : unquote(whole.slice(before.length).trim());
  if (before !== undefined && text !== "")
    return { instruction: before.replace(/:$/, ""), payload: { kind: "colon", text } };
  const [quote, ...others] = quotes;
  if (quote === undefined || others.length > 0) return undefined;
  const instruction = `${start.slice(0, quote.index)} ${start.slice(quote.index + quote[0].length)}`.trim();
  return { instruction, payload: { kind: "quote", text: unquote(quote[0]) } };
}

function takeFence(whole: string, at: number): Parts {
  const end = whole.indexOf("```", at + 3);
  const inner = whole.slice(at + 3, end < 0 ? undefined : end).replace(/^[\w+#.-]*\r?\n/, "");
  const after = end < 0 ? "" : whole.slice(end + 3, end + 500);
  const instruction = `${whole.slice(0, at)} ${after}`.trim();
  return { instruction, payload: { kind: "fence", text: inner.trim() } };
}

/** A few words before a colon outside quotes, or a question about the text after it: `Is this positive? The food was great`. */
function instructionBefore(start: string): string | undefined {
  const colon = /^[^"“„«`]{1,300}?:(?=\s)/u.exec(start)?.[0];
  const isShort = colon !== undefined && tokenize(colon).length <= maxInstruction && !/[.!?]\s/.test(colon);
  const question = /^[^?\n]{1,120}\b(?:this|these|that|following|text|sentence)\b[^?\n]{0,60}\?(?=\s)/i;
  return isShort ? colon : question.exec(start)?.[0];
}

const quotation = /(?<![\p{L}\p{N}])(?:"[^"]+"|“[^“”]+”|„[^„“]+“|«[^«»]+»|‘[^‘’]+’|`[^`]+`)/gu;

/** A text without the quotation marks around it. */
function unquote(text: string): string {
  const inner = /^(?:"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|‘[^’]*’|`[^`]*`)$/.test(text) ? text.slice(1, -1) : text;
  return inner.trim();
}

const questionWord =
  /^(?:so |and |ok |hey |knack )*(?:wie|was|wer|wo|wann|what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b/i;

function asks(instruction: string): boolean {
  const polite = /^\W*(?:can|could|will|would) you\b(?! (?:remember|recall|still)\b)/i.test(instruction);
  return !polite && (/\?\s*$/.test(instruction) || questionWord.test(instruction.trim()));
}

/** Whether a message has a word that names a subject. */
export function hasSubject({ tokens }: RequestText): boolean {
  return tokens.some((token) => /\p{L}/u.test(token.plain) && isTelling(token) && !leadIn.has(token.plain));
}

/** Whether a text only says what to do: all its telling words are those by which the tool was chosen. */
export function isBare(text: string, triggers: ReadonlySet<string>): boolean {
  return tokenize(text)
    .filter(isTelling)
    .every(({ plain, stem }) => leadIn.has(plain) || generic.has(plain) || triggers.has(stem));
}

/**
 * The sentence without the words that say what to do: `please remember that the deploy is on Friday` → `the deploy is on Friday`.
 * `triggers` are the stems by which the tool was chosen.
 */
export function withoutCommand(text: string, triggers: ReadonlySet<string>): string {
  const tokens = tokenize(text);
  const isTrigger = ({ stem }: Token) => triggers.has(stem);
  const first = tokens.findIndex(isTrigger);
  const isAround = ({ plain }: Token) => leadIn.has(plain) || connecting.has(plain);
  if (first < 0 || !tokens.slice(0, first).every(isAround)) return text.trim();
  const after = tokens.findIndex(
    (token, index) => index > first && !isTrigger(token) && !connecting.has(token.plain),
  );
  let next = tokens.slice(0, after < 0 ? undefined : after).findLastIndex(isTrigger) + 1;
  for (let at = 0; at < 2 && joining.has(tokens[next]?.plain ?? ""); at += 1) next += 1;
  const start = tokens[next]?.start;
  if (start === undefined) return "";
  const mark = /["“„«(]$/.test(text.slice(0, start)) ? 1 : 0;
  return text
    .slice(start - mark)
    .trim()
    .replace(/^(?:[:,;–-]|(?:and|then)\s)\s*/, "");
}
