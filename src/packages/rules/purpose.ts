import { once } from "../../base/made-once.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { linesOf } from "../review-lines.ts";
import { conceptsOf } from "./concepts.ts";
import { domainOf } from "./hosts.ts";
import names from "./names.json" with { type: "json" };

/** Domains under which anybody gets a name of their own, so that their owner says nothing. */
const shared =
  /\.(?:(?:vercel|netlify|web|run|railway|replit)\.app|(?:herokuapp|amazonaws|firebaseapp|onrender)\.com|(?:pages|workers|fly|replit)\.dev|(?:github|gitlab)\.io|supabase\.co|(?:cloudfront|azurewebsites|cloudfunctions)\.net|(?:co|com|org|net|ac|gov|edu)\.[a-z]{2})$/;
/** Hosts that stand for others in guides; with another name before it, such a domain is somebody's. */
const placeholder =
  /^(?:(?:www|docs?|(?:[\w-]{1,20}-)?api|app|web|db|database|postgres(?:ql)?|mysql|mongo(?:db)?|redis|host|server|mail|smtp|auth|login|staging|dev|test|prod)\.)?example\.(?:com|org|net)(?:\/|$)|^[\w.-]{1,80}\.example\.(?:com|org|net)\/(?:\S{0,100}\/)?your\b/i;
const forges =
  /^(?:github\.com|gitlab\.com|codeberg\.org|raw\.githubusercontent\.com|gist\.github(?:usercontent)?\.com)$/;
/** What owners add to their names for further domains. */
const branches = /^ (?:apis?|app|hq|c[di]|io|ai|cloud|cdn|js|labs?|inc|usercontent)$/;
/** Makers of tools and interpreters that guides of all kinds have people install, and hosts of documentation; and their names on forges. */
const wellKnown = once(() => new Set(names.wellKnown.split(" ")));

/** Whether a domain, or the owner of code on a forge, is one of them. */
export const isWellKnown = (name: string) => wellKnown().has(name);

export type Purpose = ReturnType<typeof purposeOf>;

/** What a skill says it is for, where people read it before they enable it: its description, requirements and first paragraph. */
export function purposeOf(skill: Skill, guide: string) {
  const text = [skill.description, ...skill.requires.env, ...skill.requires.bins].join(" \n ");
  const shown = linesOf(guide, "prose").filter(({ role }) => role !== "comment");
  const prose = shown.flatMap((line) => (line.role === "prose" ? [line.text] : []));
  const told = flat(shown.map((line) => line.text).join(" "));
  const known = namesIn(`${text} \n ${firstParagraph(prose)}`.replace(/https?:\/\/\S+/g, " "));
  const knows = (label: string) => {
    const name = squeezed(label);
    return [...known].some(
      (each) => name === each || (each.length >= 4 && branches.test(name.replace(each, " "))),
    );
  };
  const { stated, denied } = conceptsOf(`${skill.id.replaceAll("-", " ")} \n ${text}`);
  return {
    /** Without the skill's own name, which is no reason to trust a host of that name. */
    text,
    /** What it speaks of. */
    concepts: new Set([...stated, ...denied]) as ReadonlySet<string>,
    /** Whether it is about attacks and their prevention, so that its text quotes them. */
    isAboutAttacks: stated.has("defence"),
    /** Whether people who read the guide see this in it, written with spaces or without. */
    tells: (part: string) => told.includes(flat(part)),
    /** Whether it names the owner of a host, or of the code behind a path of a forge. */
    names: (address: string) => {
      const [host = "", owner = "", repository = ""] = address.toLowerCase().split("/");
      const name = squeezed(repository);
      if (forges.test(host))
        return isWellKnown(owner) || knows(owner) || name === squeezed(skill.id) || known.has(name);
      const labels = host.split(".");
      const domain = domainOf(host);
      const isWritten = !shared.test(host) && text.toLowerCase().includes(domain);
      const own = labels.at(shared.test(host) ? -3 : -2) ?? "";
      return placeholder.test(address) || isWellKnown(domain) || isWritten || knows(own);
    },
  };
}

/** The text between the first heading and the next, without list items: those instruct. */
function firstParagraph(prose: readonly string[]): string {
  const rest = prose.slice(prose.findIndex((line) => /^#\s/.test(line)) + 1);
  const end = rest.findIndex((line) => /^#|^\s*(?:[-*>|]|\d+\.)/.test(line));
  return rest.slice(0, end === -1 ? 8 : end).join(" ");
}

/**
 * Names, in small letters: with a capital letter within a sentence, with a word such as API behind them or `via` before them, the first part
 * of a variable's name; and two of them in a row as one. A common noun is none: anybody can register a domain of that name.
 */
const nameForms = [
  /(?<=[\p{L}\d,(/:&–-]\s?[(/"'`]?)(?<![.!?]\s?)\b\p{Lu}[\p{L}\d.]{2,30}(?:\s\p{Lu}[\p{L}\d]{2,30})?/gu,
  /(?<![\p{L}\d])[\p{L}\d]{1,30}\p{Ll}\p{Lu}[\p{L}\d]{0,30}|\b[A-Z][A-Z\d]{1,30}(?=_)|(?<![\w/-])[\w-]{1,40}(?=\.(?:com|io|dev|ai|org|net|app|co|sh)\b)|(?<![\w/-])[\w-]{1,40}\.(?:com|io|dev|ai|org|net|app|co|sh)\b/gu,
  /(?<![\p{L}\d.-])[\p{L}\d.-]{1,40}(?=(?:['’]s)?\s(?:API|CLI|SDK|MCP|REST|GraphQL|Workspace|Cloud|account|platform|server)\b)/gu,
  /(?<=\b(?:via|through|using|by|powered by|run|on)\s(?:the\s)?)[\p{L}\d.-]{3,30}/giu,
];

function namesIn(text: string): Set<string> {
  const found = nameForms.flatMap((form) => text.match(form) ?? []);
  const parts = found.flatMap((name) => [name, ...name.split(" ")]).filter((name) => name.length >= 2);
  return new Set(parts.map((name) => squeezed(name).replaceAll(" ", "")).filter((name) => name !== ""));
}

const flat = (text: string) => text.toLowerCase().replace(/\s/g, "");

function squeezed(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\d\s]|(?<=\s)\s/gu, "");
}
