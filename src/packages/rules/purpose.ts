import type { Skill } from "../../core/skill/skill.ts";
import type { Purpose, ReviewedFile } from "../review-subject.ts";
import { conceptsOf } from "./concepts.ts";

const attacks =
  /\b(?:security|secure coding|vulnerabilit\w*|malware|malicious|yara|exploit\w*|pen-?test\w*|penetration|red[- ]team\w*|threats?|incident response|prompt[- ]injections?|jailbreak\w*|injections?|supply[- ]chain|phishing|forensic\w*|fuzz\w*|ctf|hardening|attack\w*|siem|exfiltrat\w*|homoglyph\w*|secrets? (?:scan|detect)\w*)\b|sicherheitsprüf|安全审计|安全检测/i;

/** Domains under which anybody gets a name of their own, so that their owner says nothing. */
const shared =
  /\.(?:(?:vercel|netlify|web|run|railway|replit)\.app|(?:herokuapp|amazonaws|firebaseapp|onrender)\.com|(?:pages|workers|fly|replit)\.dev|(?:github|gitlab)\.io|supabase\.co|(?:cloudfront|azurewebsites|cloudfunctions)\.net|duckdns\.org|glitch\.me|(?:co|com|org|net|ac|gov|edu)\.[a-z]{2})$/;
const forges =
  /^(?:github\.com|gitlab\.com|codeberg\.org|raw\.githubusercontent\.com|gist\.github(?:usercontent)?\.com)$/;
/** Makers of tools and interpreters that guides of all kinds have people install, and hosts of documentation. */
const wellKnown =
  /(?:^|\.)(?:astral\.sh|rustup\.rs|docker\.com|nodesource\.com|bun\.sh|deno\.land|pnpm\.io|python-poetry\.org|k3s\.io|helm\.sh|brew\.sh|npmjs\.(?:com|org)|pypi\.org|pythonhosted\.org|pytorch\.org|nvidia\.com|debian\.org|ubuntu\.com|ollama\.com|rclone\.org|tailscale\.com|claude\.ai|anthropic\.com|microsoft\.com|aka\.ms|google\.com|googleapis\.com|apple\.com|example\.(?:com|org|net))$/;
const wellKnownOwners =
  /^(?:homebrew|nvm-sh|python|nodejs|microsoft|google|facebookresearch|huggingface|anthropics|openai|modelcontextprotocol|astral-sh|rust-lang|golang|apple|nvidia|aws|azure|hashicorp|cloudflare|kubernetes|docker|vercel|babashka)$/;

/** Reads the purpose of a skill. `files` are those of its folder. */
export function purposeOf(skill: Skill, files: readonly ReviewedFile[]): Purpose {
  const guide = files.find(({ path }) => path === "SKILL.md");
  const text = [skill.description, ...skill.requires.env, ...skill.requires.bins].join(" \n ");
  const opening = firstParagraph(
    guide?.lines.flatMap((line) => (line.role === "prose" ? [line.text] : [])) ?? [],
  );
  const homepage = /^[ \t]{0,8}homepage:[ \t]{0,4}["']?https?:\/\/([^\s"'/]{1,200})/m.exec(
    guide?.raw.slice(0, 20_000) ?? "",
  )?.[1];
  const known = namesIn(`${text} \n ${opening}`.replace(/https?:\/\/\S+/g, " "));
  if (homepage !== undefined) for (const label of ownerLabels(homepage)) known.add(squeezed(label));
  const knows = (label: string) => {
    const name = squeezed(label);
    return known.has(name) || [...known].some((each) => each.length >= 4 && name.startsWith(each));
  };
  return {
    text,
    concepts: new Set([...conceptsOf(text).stated, ...conceptsOf(text).denied]),
    isAboutAttacks: attacks.test(`${skill.id.replaceAll("-", " ")} ${text}`),
    names: (address) => {
      const [host = "", owner = "", repository = ""] = address.toLowerCase().split("/");
      if (wellKnown.test(host)) return true;
      if (forges.test(host)) {
        const name = squeezed(repository);
        return wellKnownOwners.test(owner) || knows(owner) || name === squeezed(skill.id) || known.has(name);
      }
      return ownerLabels(host).some(knows) || known.has(squeezed(host.split(".").slice(-2).join("")));
    },
  };
}

/** The text between the first heading and the next, at most 600 characters, without list items: those instruct. */
function firstParagraph(prose: readonly string[]): string {
  const start = prose.findIndex((line) => /^#\s/.test(line)) + 1;
  const rest = prose.slice(start);
  const end = rest.findIndex((line) => /^#|^\s*(?:[-*>|]|\d+\.)/.test(line));
  return rest
    .slice(0, end === -1 ? 8 : end)
    .join(" ")
    .slice(0, 600);
}

/** The label that was registered; all labels where only institutions get a name. */
function ownerLabels(host: string): string[] {
  const labels = host.replace(/:\d+$/, "").split(".");
  if (/\.(?:gov|edu|mil|int)$|\.ac\.[a-z]{2}$/.test(host)) return labels.slice(0, -1);
  return labels.slice(shared.test(host) ? -3 : -2).slice(0, 1);
}

/**
 * Names, in small letters: with a capital letter within a sentence, with a word such as API behind them or `via` before them, the first part
 * of a variable's name; and two of them in a row as one. A common noun is none: anybody can register a domain of that name.
 */
function namesIn(text: string): Set<string> {
  const found = new Set<string>();
  const forms = [
    /(?<=[\p{L}\d,(/:&–-]\s?[(/"'`]?)(?<![.!?]\s?)\b\p{Lu}[\p{L}\d.]{2,30}(?:\s\p{Lu}[\p{L}\d]{2,30})?/gu,
    /(?<![\p{L}\d])[\p{L}\d]{1,30}\p{Ll}\p{Lu}[\p{L}\d]{0,30}|\b[A-Z][A-Z\d]{1,30}(?=_)|(?<![\w-])[\w-]{1,40}(?=\.(?:com|io|dev|ai|org|net|app|co|sh)\b)|(?<![\w-])[\w-]{1,40}\.(?:com|io|dev|ai|org|net|app|co|sh)\b/gu,
    /(?<![\p{L}\d.-])[\p{L}\d.-]{1,40}(?=(?:['’]s)?\s(?:API|CLI|SDK|MCP|REST|GraphQL|Workspace|Cloud|account|platform|server)\b)/gu,
    /(?<=\b(?:via|through|using|by|powered by|run|on)\s(?:the\s)?)[\p{L}\d.-]{3,30}/giu,
  ];
  for (const form of forms) {
    for (const [name] of text.matchAll(form)) {
      for (const each of [name, ...name.split(" ")])
        if (each.length >= 2) found.add(squeezed(each).replaceAll(" ", ""));
    }
  }
  return found;
}

function squeezed(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\d\s]/gu, "")
    .replace(/\s+/g, " ");
}
