import { pattern } from "../../base/pattern.ts";
import type { TextRole } from "../review-lines.ts";
import type { ReviewedFile, ReviewSubject } from "../review-subject.ts";
import type { Facts } from "./combinations.ts";
import { conceptsOf } from "./concepts.ts";
import { addressesIn, oddPlace, somebodyIn } from "./hosts.ts";

interface Paragraph {
  line: number;
  text: string;
  /** In a comment or in code, which readers of the page do not see. */
  isHidden: boolean;
}

/** A sentence or list item that somebody is told, with what it and the sentences around it say: the steps of a list build on each other. */
export interface Sentence extends Paragraph, Omit<Facts, "meant"> {}

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
    return { ...each, ...concepts, stated: new Set([...stated, ...shapes]) };
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
      ? /"([^"]{20,1000})"/g
      : /"([^"]{36,1000})"/g;
  return (isTable && /test|example|sample|fixture/i.test(path) ? [] : statements)
    .slice(0, 5_000)
    .flatMap(({ number: line, text }) =>
      [...text.matchAll(form)].map(([, each = ""]) => ({ line, text: each, isHidden: true })),
    );
}

/** Text between blank lines, headings and list items; that of comments apart. */
function told({ lines, path }: ReviewedFile, { skill }: ReviewSubject): Paragraph[] {
  const line = lines.find(({ text }) => text.startsWith("description:"))?.number ?? 1;
  const found = path === "SKILL.md" ? [{ line, text: skill.description, isHidden: false }] : [];
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
    .split(/(?<=(?<!\.\.|\be\.g|\bi\.e|\b[A-Z])[.!?])["”’)*]*\s+|(?<=。)/)
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
/** What only a pattern can tell of a sentence: an account is one that money goes to, `addressed` speaks to an agent. */
// biome-ignore format: one pattern a line
const shapes: readonly (readonly [shape: string, said: RegExp])[] = [
  ["picture", /!\[[^\]\n]{0,100}\]\(|<img\b[^<>]{0,200}\bsrc|\burl\(["']?https?:/i],
  ["packed", /https?:\/\/[^\s)>\]"'`]{4,400}\.(?:exe|msi|dmg|pkg|scr|apk|appimage|jar|zip|7z|rar|bat|cmd|vbs|ps1|bin)\b/i],
  ["account", /\b(?!DE89 ?3704|FR76 ?3000)[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}\b|\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{25,60}\b/],
  ["quote", /(?:["“„«「]|(?<!\w)['‘])(?=[^"'”’»“」]{12})[^"”’»“」]{0,30}[\s\p{Script=Han}]/u],
  ["colon", /:\s*$|\bfollowing\b/],
  ["referral", /[?&](?:via|aff\w{0,12}|aid|pt|tag|partner|promo|ref(?!=(?:main|master|v?\d)))(?:_?id|_?code)?=[\w-]{2,}/i],
  ["button", /(?:always|immer|toujours|siempre|sempre|всегда)\b(?=.{0,3}(?:here|allow|approve|hier|erlaub|["'”’»*`_]))/i],
  ["styled", /(?<!`)<(?!input|button|option|img)[a-z]+\b[^>]{0,200}(?:\bcolor\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>\s*(?=(?:[^<\s]+\s+){2}|[^<]{8})/i],
  ["addressed", /\b(?:to|for|dear|attention|when you are|if you are)\s(?:an?|the|any|all|every)\s(?:\w+\s)?(?:ai|agents?|assistants?|model|llms?|bots?)\b|^\W*(?:the\s|ai\s)?(?:agents?|assistants?|llms?|bots?|system)\b[\w ]{0,30}[:,!]/i],
  ["template", /<\|(?:system|im_start|im_end)\|>|^\s*(?:SYSTEM|ASSISTANT)\s*(?:PROMPT|OVERRIDE|MESSAGE)\s*:|\byou are (?:now|no longer)\b.{0,60}\b(?:unrestricted|jailbroken|developer mode|DAN|not bound|without (?:limits|restrictions))/i],
];

/** What a sentence has besides words, in a skill with this purpose. `near` are the sentences around it. */
function shapesOf(
  { text, isHidden }: Paragraph,
  near: readonly Paragraph[],
  { path }: ReviewedFile,
  { purpose, skill, shipped }: ReviewSubject,
): string[] {
  const shaped = shapes.flatMap(([shape, said]) => (said.test(text) ? [shape] : []));
  // `{{ name }}` is one place.
  const places = addressesIn(text.replace(/(?<=\{\{) | (?=\}\})/g, ""));
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
  const said = purpose.text.toLowerCase();
  const names = text.match(/(?<=[\p{Ll}\d,;:’] )\p{Lu}\p{Ll}{3,20}\b/gu) ?? [];
  const found = {
    address: places.length > 0 || people.length > 0,
    host: strange.length > 0,
    odd: oddPlace(text) !== undefined,
    person: people.some((each) => !parts(each.toLowerCase()).every((part) => said.includes(part))),
    blank: gaps.length > 0,
    filled: gaps.some(isFilled),
    // Where all nouns begin with a capital letter, names do not stand out.
    brand: names.length < text.length / 25 && names.some((name) => !purpose.text.includes(name)),
    hidden: isHidden,
    page: /\.html?$/i.test(path),
    rival: others.some((id) => text.includes(id) && isSkill(id)),
  };
  return [...shaped, ...Object.entries(found).flatMap(([fact, isThere]) => (isThere ? [fact] : []))];
}
