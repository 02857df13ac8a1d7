import { pattern } from "../../base/pattern.ts";
import type { ReviewedFile, ReviewSubject } from "../review-subject.ts";
import { type Concepts, conceptsOf } from "./concepts.ts";
import { account, addressesIn, somebodyIn } from "./hosts.ts";

/** A sentence or list item that somebody is told, with its neighbours. */
export interface Sentence extends Concepts {
  line: number;
  text: string;
  /** With its quotations. */
  whole: Concepts;
  /** What the sentences around it and the sentence itself state. */
  near: ReadonlySet<string>;
  /** What they order. */
  around: ReadonlySet<string>;
  /** In a comment or in code, which readers of the page do not see. */
  isHidden: boolean;
}

interface Paragraph {
  line: number;
  text: string;
  isHidden: boolean;
}

/**
 * Everything a guide or note says: no frontmatter, no block of code. The description of the skill is said by its guide. Of code and data, the
 * longer texts in quotes: what a program prints, an agent reads.
 */
export function sentencesOf(file: ReviewedFile, subject: ReviewSubject): Sentence[] {
  const all = (file.role === "prose" ? told(file, subject) : printed(file)).flatMap(split);
  const read = all.map((each, at): Omit<Sentence, "near" | "around"> => {
    const near = all.slice(Math.max(0, at - 3), at + 4).map(({ text }) => text);
    const found = Object.entries(shapesOf(each, near, subject)).filter(([, isThere]) => isThere);
    const shapes = found.map(([shape]) => shape);
    const concepts = (text: string) => {
      const { stated, ...more } = conceptsOf(text);
      return { ...more, stated: new Set([...stated, ...shapes]) };
    };
    const [text, said] = [withoutAddresses(each.text), withoutAddresses(unquoted(each.text))];
    const whole = concepts(text);
    return { ...each, ...(said === text ? whole : concepts(said)), whole };
  });
  // Sentences four lines away still belong together: steps of a list build on each other.
  return read.map((sentence, at) => {
    const around = read
      .slice(Math.max(0, at - 3), at + 4)
      .filter(({ line, isHidden }) => Math.abs(line - sentence.line) <= 4 && isHidden === sentence.isHidden);
    const of = (which: "stated" | "ordered") => new Set(around.flatMap((each) => [...each[which]]));
    return { ...sentence, near: of("stated"), around: of("ordered") };
  });
}

function told(file: ReviewedFile, { skill }: ReviewSubject): Paragraph[] {
  const line = file.raw.slice(0, Math.max(0, file.raw.search(/^description:/m))).split("\n").length;
  const described = file.path === "SKILL.md" ? [{ line, text: skill.description, isHidden: false }] : [];
  return [...described, ...paragraphs(partsOf(file))];
}

function printed({ path, role, statements }: ReviewedFile): Paragraph[] {
  // The cells of a table; of other data and code, longer texts.
  const isTable = role === "data" && /\.[ct]sv$/i.test(path);
  const form = isTable ? /([^;,\t"]{12,1000})/g : /"([^"]{36,1000})"/g;
  return (isTable && /test|example|sample|fixture/i.test(path) ? [] : statements)
    .slice(0, 5_000)
    .flatMap(({ number: line, text }) =>
      [...text.matchAll(form)].map(([, each = ""]) => ({ line, text: each, isHidden: true })),
    );
}

/** The lines of prose, and the comments of HTML among them. */
function partsOf({ lines }: ReviewedFile): Paragraph[] {
  let isOpen = false;
  const parts = lines.flatMap(({ number: line, role, text }): Paragraph[] => {
    if (role !== "prose" && !isOpen) return [{ line, text: "", isHidden: false }];
    return text.split(/<!--|-->/).map((part, at) => {
      if (at > 0) isOpen = !isOpen;
      return { line, text: part, isHidden: isOpen };
    });
  });
  return [...parts.filter(({ isHidden }) => !isHidden), ...parts.filter(({ isHidden }) => isHidden)];
}

/** Text between blank lines, headings and list items. */
function paragraphs(lines: readonly Paragraph[]): Paragraph[] {
  const found: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const [at, line] of lines.entries()) {
    // A quotation goes on in the next line.
    const goesOn = /^\s*>/.test(line.text) && /^\s*>/.test(lines[at - 1]?.text ?? "");
    const begins =
      !goesOn && (/^\s*(?:[-*+>|#]|\d{1,3}[.)]\s)/.test(line.text) || open?.isHidden !== line.isHidden);
    if (line.text.trim() === "") open = undefined;
    else if (open === undefined || begins || open.text.length > 2_400) {
      open = { ...line };
      found.push(open);
      if (/^\s{0,3}#{1,6}\s/.test(line.text)) open = undefined;
    } else open.text += ` ${line.text.replace(/^[\s>]+/, "").trim()}`;
  }
  return found;
}

function split(paragraph: Paragraph): Paragraph[] {
  return paragraph.text
    .split(/(?<=(?<!\.\.|\be\.g|\bi\.e|\b[A-Z])[.!?])["”’)*]*\s+|(?<=。)/)
    .flatMap((sentence) => sentence.match(/.{1,600}/gs) ?? [])
    .filter((sentence) => /\p{L}{2}/u.test(sentence))
    .map((text) => ({ ...paragraph, text }));
}

function withoutAddresses(text: string): string {
  return text.replace(/\b(?:https?|wss?):\/\/[^\s)>\]"'`]{1,400}|[\w.+-]{1,60}@[\w.-]{1,80}/g, " ");
}

/** Without quotations of two words or more, and code with spaces. */
function unquoted(text: string): string {
  return text
    .replace(/`([^`\n]{1,400})`/g, (whole, code) =>
      /\s/.test(code) && !/\w\.\w+\//.test(code) ? " " : whole,
    )
    .replace(/["“„«「]([^"“”„«»「」]{3,400})["”“»」]/g, (whole, quoted) =>
      /\s|\p{Script=Han}/u.test(quoted) ? " " : whole,
    );
}

/** Names of what people say and keep, as a place in an address has them; a picture is loaded for their name alone. */
const theirs =
  /message|pass(?:word|phrase)|secret|cookie|conversation|transcript|histor|summar|digest|recap|talk|said|wrote|question|wording/i;
const named = /user|name|who|mail|author|team/i;
/** A place in an address that is filled in: `{topic}`, `TOPIC`, `…`, or its end. */
const gap =
  /(?:[{[<$(]{1,3}|%7B)[^&\s"')>}\]]{0,60}|(?<=[=/_-])[A-Z][A-Z_-]{2,40}(?=[&)"'`.\s/]|$)|(?<==)(?:…|\.\.\.)|(?<==)$/g;
const picture = /!\[[^\]\n]{0,100}\]\(|<img\b[^<>]{0,200}\bsrc/i;
const button =
  /(?:always|immer|toujours|siempre|sempre|всегда)\b(?=.{0,3}(?:here|allow|approve|hier|erlaub|["'”’»*`_]))/i;
const referral =
  /[?&](?:via|aff|tag|partner|affiliate|promo|ref(?!=(?:main|master|v?\d)))(?:_?id|_?code)?=[\w-]{2,}/i;
const statement = /(?:["“„«「]|(?<!\w)['‘])(?=[^"'”’»“」]{12})[^"”’»“」]{0,30}[\s\p{Script=Han}]/u;

/** Whether a purpose names somebody, or what a channel such as `#sales-reports` is about. */
function isNamed(somebody: string, purpose: string): boolean {
  const parts = somebody.replace(/^#/, "").split(/[-_]/);
  return (
    purpose.includes(somebody) || (somebody.startsWith("#") && parts.every((each) => purpose.includes(each)))
  );
}

/** What a sentence has besides words, in a skill with this purpose. `near` are the sentences around it. */
function shapesOf({ text, isHidden }: Paragraph, near: readonly string[], { purpose }: ReviewSubject) {
  const places = addressesIn(text);
  const people = somebodyIn(text);
  const strange = places.filter(({ place }) => !purpose.names(place));
  const gaps = strange.flatMap(({ tail }) => [...tail.matchAll(gap)].map(([each]) => each));
  const isPicture = strange.length > 0 && picture.test(text);
  // `TOPIC is what the person wrote`.
  const isDefined = (name: string) =>
    name.length > 2 &&
    near.some((each) => pattern("i")`\b${name}\b\W{1,4}(?:is|means|=|:)[^.]{0,80}`.test(each));
  const names = text.match(/(?<=[\p{Ll}\d,;:’] )\p{Lu}\p{Ll}{3,20}\b/gu) ?? [];
  return {
    address: places.length > 0 || people.length > 0,
    host: strange.length > 0,
    person: people.some((each) => !isNamed(each.toLowerCase(), purpose.text.toLowerCase())),
    blank: gaps.length > 0,
    filled: gaps.some(
      (each) =>
        theirs.test(each) ||
        (isPicture && (isHidden || named.test(each))) ||
        isDefined(each.replace(/\W/g, "")),
    ),
    picture: isPicture,
    account: account.test(text),
    quote: statement.test(text),
    colon: /:\s*$|\bfollowing\b/.test(text),
    referral: referral.test(text),
    // Where all nouns begin with a capital letter, names do not stand out.
    brand: names.length < text.length / 25 && names.some((name) => !purpose.text.includes(name)),
    button: button.test(text),
    hidden: isHidden,
  };
}
