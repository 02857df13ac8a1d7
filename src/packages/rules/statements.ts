import type { ReviewedFile, ReviewSubject } from "../review-subject.ts";

/** A sentence or list item that somebody is told, with its neighbours. */
export interface Statement {
  path: string;
  line: number;
  text: string;
  /** Without quotations and code: what the sentence itself says. */
  said: string;
  /** With the sentences before it and after it. */
  around: string;
  /** In a comment or in code, which readers of the page do not see. */
  isHidden: boolean;
}

/** Maximum length; longer sentences come in pieces. */
const maxSentence = 600;

/**
 * Everything a guide or note says: no frontmatter, no block of code. The description of the skill is said by its guide. Of code and data, the
 * longer texts in quotes: what a program prints, an agent reads.
 */
export function statementsOf(file: ReviewedFile, { skill }: ReviewSubject): Statement[] {
  if (file.role !== "prose") {
    const quoted = file.statements
      .slice(0, 5_000)
      .flatMap(({ number: line, text }) =>
        [...text.matchAll(/"([^"]{40,1000})"/g)].map(([, each = ""]) => ({ line, text: each })),
      );
    return withNeighbours(quoted.flatMap((each) => sentences(each, file.path, true)));
  }
  const { shown, comments } = withoutComments(file);
  const line = file.raw.slice(0, Math.max(0, file.raw.search(/^description:/m))).split("\n").length;
  const described = file.path === "SKILL.md" ? [{ line, text: skill.description }] : [];
  const told = [...described, ...paragraphs(shown)].flatMap((paragraph) =>
    sentences(paragraph, file.path, false),
  );
  return withNeighbours([
    ...told,
    ...paragraphs(comments).flatMap((paragraph) => sentences(paragraph, file.path, true)),
  ]);
}

interface Paragraph {
  line: number;
  text: string;
}

/** The lines of prose, and the comments of HTML among them. */
function withoutComments({ lines }: ReviewedFile): { shown: Paragraph[]; comments: Paragraph[] } {
  const comments: Paragraph[] = [];
  let isOpen = false;
  const shown = lines.map(({ number: line, role, text }): Paragraph => {
    if (role !== "prose" && !isOpen) return { line, text: "" };
    const [first = "", ...rest] = text.split(/<!--|-->/);
    const parts = [first, ...rest].map((part, at) => ({ part, isComment: isOpen !== (at % 2 === 1) }));
    if (rest.length % 2 === 1) isOpen = !isOpen;
    for (const { part } of parts.filter(({ isComment }) => isComment)) comments.push({ line, text: part });
    return { line, text: parts.flatMap(({ part, isComment }) => (isComment ? [] : [part])).join(" ") };
  });
  return { shown, comments };
}

/** Text between blank lines, headings and list items. */
function paragraphs(lines: readonly Paragraph[]): Paragraph[] {
  const found: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const { line, text } of lines) {
    const begins = /^\s*(?:[-*+>|#]|\d{1,3}[.)]\s)/.test(text);
    if (text.trim() === "") open = undefined;
    else if (open === undefined || begins || open.text.length > 4 * maxSentence) {
      open = { line, text };
      found.push(open);
      if (/^\s{0,3}#{1,6}\s/.test(text)) open = undefined;
    } else open.text += ` ${text.trim()}`;
  }
  return found;
}

function sentences({ line, text }: Paragraph, path: string, isHidden: boolean): Statement[] {
  return text
    .split(/(?<=(?<!\.\.|\be\.g|\bi\.e|\b[A-Z])[.!?])["”’)*]*\s+|(?<=。)/)
    .flatMap((sentence) => sentence.match(/.{1,600}/gs) ?? [])
    .filter((sentence) => /\p{L}{2}/u.test(sentence))
    .map((sentence) => ({ path, line, text: sentence, said: unquoted(sentence), around: "", isHidden }));
}

/** Sentences four lines away still belong together: steps of a list build on each other. */
function withNeighbours(all: readonly Statement[]): Statement[] {
  return all.map((statement, at) => ({
    ...statement,
    around: all
      .slice(Math.max(0, at - 3), at + 4)
      .filter(({ line, isHidden }) => Math.abs(line - statement.line) <= 4 && isHidden === statement.isHidden)
      .map(({ said }) => said)
      .join(" "),
  }));
}

/** Quotations of two words or more, and code with spaces; addresses stay. */
function unquoted(text: string): string {
  // What a task shall do later is quoted, and said.
  if (
    /\b(?:schedules?d?|recurring|cron|reminder|every (?:day|week|hour|morning|night)|daily|weekly|nightly)\b/i.test(
      text,
    )
  )
    return text;
  return text
    .replace(/`([^`\n]{1,400})`/g, (whole, code) =>
      /\s/.test(code) && !/https?:|\w\.\w+\//.test(code) ? "``" : whole,
    )
    .replace(/["“„«「]([^"“”„«»「」]{3,400})["”“»」]/g, (whole, quoted) =>
      /\s|\p{Script=Han}/u.test(quoted) ? "“”" : whole,
    );
}

const negations =
  /(?:\b(?:never|not|cannot|avoid\w*|without|instead of|rather than|nobody|stop|prevent\w*|forbid\w*|prohibit\w*|refuse\w*|nothing|nicht|nie|niemals|kein\w*|jamais|nunca|jamás|non|mai|no)\b|n['’]t\b|(?:^|\s)не\s|(?<!\p{Script=Han})(?:不要|不得|请勿|切勿)|禁止)[^.;:!?]{0,40}$/iu;
const explained =
  /\b(?:attack\w*|malicious|injection\w*|exfiltrat\w*|phish\w*|exploit\w*|payloads?|vulnerab\w*|malware|adversar\w*|suspicious|threats?|hostile|jailbreak\w*|scam\w*|fraud\w*|red flags?|anti-?patterns?|untrusted|illegal|leak(?:s|ed|ing)?)\b/i;
/** Somebody asks for it at the time, or is asked. */
const consented =
  /\b(?:if|when|once|after|unless|only|until|as soon as)\b.{0,40}\b(?:asks? (?:you to|for (?:it|this|that))|says? (?:so|yes|["“])|tells? you|requests? (?:it|this)|confirms?|agrees?|approves?|explicitly|wants? (?:it|this|that|you to)|opts? in|consents?)\b|\bon (?:explicit )?request\b|\bask(?:s|ing)? (?:first|before|for (?:confirmation|permission|approval))|\bconfirm(?:s|ing|ation)? (?:before|with|first|from)|\bask (?:the user|them|people|whether|if|which)\b(?! (?:for|to (?:paste|enter|type|share|send|provide))\b)|\bwenn\b.{0,40}\b(?:bittet|verlangt|wünscht|bestätigt|zustimmt)|\brückfrage|用户(?:确认|同意)(?:后|之后)/i;

/** Whether a text says this itself: not only in a negated form. */
export function affirms(text: string, what: RegExp): boolean {
  let at = text.search(what);
  while (at !== -1) {
    if (!negations.test(text.slice(Math.max(0, at - 60), at))) return true;
    const next = text.slice(at + 1).search(what);
    at = next === -1 ? -1 : at + 1 + next;
  }
  return false;
}

/** Whether a statement speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained({ said }: Pick<Statement, "said">): boolean {
  return explained.test(said) || consented.test(said);
}
