import { isCommon, readCharacters, type Token, tokenize } from "./vocabulary.ts";

/**
 * A message taken apart: what is to be done (`instruction`) and what it is to be done with (`payload`: what is fenced, quoted or
 * after a colon). Without a payload both stand in one sentence.
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

const openings: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
  "`": "`",
};
/** What an instruction of more words than this before a colon is not: it is a text of its own. */
const maxInstruction = 14;

/** Takes a message apart by its punctuation. Only its beginning is read; a payload is kept whole. */
export function readRequest(message: string): RequestText {
  const whole = message.trim();
  const start = whole.slice(0, readCharacters);
  const quotes = findQuotes(start, whole);
  const found =
    findFence(whole) ??
    findColon(start, whole) ??
    findAfterQuestion(start, whole) ??
    findQuote(quotes, start);
  const instruction = found?.instruction ?? start;
  return {
    whole,
    instruction,
    tokens: wordsOf(instruction),
    payload: found?.payload,
    quotes: quotes.map((quote) => quote.text),
    urls: [...start.matchAll(/\bhttps?:\/\/[^\s<>"'”)\]]+/gi)].map(([url]) =>
      url.replace(/(?<![.,;:!?])[.,;:!?]+$/, ""),
    ),
    isQuestion: asks(instruction),
  };
}

/** `how hard is this to read` asks for a measure and not for a page. */
const readingMeasure = /^\W*how (?:hard|easy|difficult|simple)\b.{0,40}\bread\b/i;

function wordsOf(instruction: string): Token[] {
  const tokens = tokenize(instruction);
  if (!readingMeasure.test(instruction)) return tokens;
  const [measure] = tokenize("readability");
  return tokens.map((token) =>
    token.plain === "read" && measure !== undefined ? { ...token, stem: measure.stem } : token,
  );
}

type Found = { instruction: string; payload: Payload };

function findFence(whole: string): Found | undefined {
  const start = whole.indexOf("```");
  if (start < 0 || start > readCharacters) return undefined;
  const close = whole.indexOf("```", start + 3);
  const inner = whole.slice(start + 3, close < 0 ? undefined : close).replace(/^[\w+#.-]*\r?\n/, "");
  const after = close < 0 ? "" : whole.slice(close + 3, close + 500);
  return {
    instruction: `${whole.slice(0, start)} ${after}`.trim(),
    payload: { kind: "fence", text: inner.trim() },
  };
}

/** A colon with a space or line end after it; not within a quote, and after few words. */
function findColon(start: string, whole: string): Found | undefined {
  const match = /^([^"“„«`]{1,300}?):(?=\s)/u.exec(start);
  const before = match?.[1];
  if (before === undefined || tokenize(before).length > maxInstruction || /[.!?]\s/.test(before))
    return undefined;
  const text = whole.slice(before.length + 1).trim();
  return text === "" ? undefined : { instruction: before, payload: { kind: "colon", text: unquote(text) } };
}

/** `Is this positive? The food was great`: a question about the text that follows it. */
function findAfterQuestion(start: string, whole: string): Found | undefined {
  const question = /^[^?\n]{1,120}\b(?:this|these|that|following|text|sentence)\b[^?\n]{0,60}\?(?=\s)/i.exec(
    start,
  )?.[0];
  if (question === undefined) return undefined;
  const text = whole.slice(question.length).trim();
  return text === "" ? undefined : { instruction: question, payload: { kind: "colon", text: unquote(text) } };
}

/** A single quoted part; the rest is the instruction. */
function findQuote(quotes: readonly Quote[], start: string): Found | undefined {
  const [only, ...others] = quotes;
  if (only === undefined || others.length > 0) return undefined;
  const instruction = `${start.slice(0, only.start)} ${start.slice(Math.min(only.end, start.length))}`.trim();
  return { instruction, payload: { kind: "quote", text: only.text } };
}

interface Quote {
  text: string;
  start: number;
  end: number;
}

/** Quoted parts that begin in the read beginning; the text of the message may close them later. */
function findQuotes(start: string, whole: string): Quote[] {
  const quotes: Quote[] = [];
  let at = 0;
  while (at < start.length) {
    const closing = openings[start[at] ?? ""];
    const opens = closing !== undefined && !/[\p{L}\p{N}]/u.test(start[at - 1] ?? "");
    const end = opens ? whole.indexOf(closing, at + 1) : -1;
    if (end > at + 1 && start[at + 1] !== closing) {
      quotes.push({ text: whole.slice(at + 1, end).trim(), start: at, end: end + 1 });
      at = end + 1;
    } else at += 1;
  }
  return quotes.filter((quote) => quote.text !== "");
}

/** A text without the quotation marks around it. */
function unquote(text: string): string {
  const closing = openings[text[0] ?? ""];
  return closing !== undefined && text.endsWith(closing) && text.indexOf(closing, 1) === text.length - 1
    ? text.slice(1, -1).trim()
    : text;
}

const questionWord =
  /^(?:so |and |ok |hey |knack )*(?:wie|was|wer|wo|wann|what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b/i;

function asks(instruction: string): boolean {
  const polite = /^\W*(?:can|could|will|would) you\b(?! (?:remember|recall|still)\b)/i.test(instruction);
  return !polite && (/\?\s*$/.test(instruction) || questionWord.test(instruction.trim()));
}

/** Whether a message has a word that says what it is about. */
export function hasSubject({ tokens }: RequestText): boolean {
  return tokens.some(({ plain }) => /\p{L}/u.test(plain) && !isCommon(plain) && !leadIn.has(plain));
}

/** Words people put around what they want done. */
const leadIn = new Set(
  `please can could would will you hey hi hello ok okay knack bot i we want need like to lets let me us just now also
  what whats how is are do does did tell show give get make run use my your
  create write draft prepare kannst du bitte mir wie was ist das der wird`.split(/\s+/),
);
const connecting = new Set(
  "that about of for in on at to with from into over the a an this these those following below me us how what is are out up it dir mir dass im".split(
    " ",
  ),
);
const generic = new Set(
  "text sentence sentences paragraph message following below words line lines list one thing many much long hard often".split(
    " ",
  ),
);

/** Whether a text says only what to do: every telling word of it is one by which the tool was chosen. */
export function isBare(text: string, triggers: ReadonlySet<string>): boolean {
  return tokenize(text).every(
    ({ plain, stem }) => isCommon(plain) || leadIn.has(plain) || generic.has(plain) || triggers.has(stem),
  );
}

/**
 * What is left of a sentence after the words that say what to do: `please remember that the deploy is on Friday` → `the deploy
 * is on Friday`. `triggers` are the stems by which the tool was chosen.
 */
export function withoutCommand(text: string, triggers: ReadonlySet<string>): string {
  const tokens = tokenize(text);
  const last = commandEnd(tokens, triggers);
  if (last < 0) return text.trim();
  const rest = tokens.slice(last + 1);
  const start = rest[0]?.start;
  if (start === undefined) return "";
  const mark = /["“„«(]$/.test(text.slice(0, start)) ? 1 : 0;
  return text
    .slice(start - mark)
    .trim()
    .replace(/^(?:[:,;–-]|(?:and|then)\s)\s*/, "");
}

/** The index of the last word of the command at the beginning; -1 when it does not begin with one. */
function commandEnd(tokens: readonly Token[], triggers: ReadonlySet<string>): number {
  let last = -1;
  let triggered = false;
  for (const [index, token] of tokens.entries()) {
    if (triggers.has(token.stem)) {
      triggered = true;
      last = index;
    } else if (
      triggered ? !connecting.has(token.plain) : !(leadIn.has(token.plain) || connecting.has(token.plain))
    )
      break;
  }
  return triggered ? skipConnecting(tokens, last) : -1;
}

/** One joining word after the command goes too (`remember that`, `weather in`), articles stay. */
function skipConnecting(tokens: readonly Token[], last: number): number {
  const joining = /^(?:that|about|of|for|in|on|at|to|with|from|me|us|how|this|following|text|dir|dass|fur)$/;
  let end = last;
  while (joining.test(tokens[end + 1]?.plain ?? "") && end < last + 2) end += 1;
  return end;
}
