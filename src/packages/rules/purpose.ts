import type { Skill } from "../../core/skill/skill.ts";
import type { ReviewedFile } from "../review-subject.ts";

/** What a skill says it is for, where people read it before they enable it: its description, homepage, requirements and first paragraph. */
export interface Purpose {
  /** Without addresses and without the skill's own name, which is no reason to trust a host of that name. */
  text: string;
  /** Whether it is about attacks and their prevention, so that its text quotes them. */
  isAboutAttacks: boolean;
  /** Whether it names the owner of a host, or of the code behind a path of a forge. */
  names(address: string): boolean;
}

const attacks =
  /\b(?:security|secure coding|vulnerabilit\w*|malware|malicious|yara|exploit\w*|pen-?test\w*|penetration|red[- ]team\w*|threats?|incident response|prompt[- ]injections?|jailbreak\w*|injections?|supply[- ]chain|phishing|forensic\w*|fuzz\w*|ctf|hardening|attack\w*|siem|exfiltrat\w*|homoglyph\w*|secrets? (?:scan|detect)\w*)\b|sicherheitsprüf|安全审计|安全检测/i;

/** Domains under which anybody gets a name of their own, so that their owner says nothing. */
const shared =
  /\.(?:(?:vercel|netlify|herokuapp|web|run|pages|workers|fly|github|gitlab|firebaseapp|onrender|railway|ngrok(?:-free)?|supabase|amazonaws|cloudfront|azurewebsites|cloudfunctions|blogspot|duckdns|trycloudflare|replit|glitch)\.(?:app|com|dev|io|net|co|org|me)|(?:co|com|org|net|ac|gov|edu)\.[a-z]{2})$/;
const forges =
  /^(?:github\.com|gitlab\.com|codeberg\.org|raw\.githubusercontent\.com|gist\.github(?:usercontent)?\.com)$/;
/** Makers of tools and interpreters that guides of all kinds have people install, and hosts of documentation. */
const wellKnown =
  /(?:^|\.)(?:astral\.sh|rustup\.rs|docker\.com|nodesource\.com|bun\.sh|deno\.land|pnpm\.io|python-poetry\.org|k3s\.io|helm\.sh|brew\.sh|npmjs\.(?:com|org)|pypi\.org|pythonhosted\.org|pytorch\.org|nvidia\.com|debian\.org|ubuntu\.com|claude\.ai|anthropic\.com|microsoft\.com|aka\.ms|google\.com|googleapis\.com|apple\.com|example\.(?:com|org|net)|attacker\.(?:com|example)|evil\.(?:com|example))$/;
const wellKnownOwners =
  /^(?:homebrew|nvm-sh|python|nodejs|microsoft|google|facebookresearch|huggingface|anthropics|openai|modelcontextprotocol|astral-sh|rust-lang|golang|apple|nvidia|aws|azure|hashicorp|cloudflare|kubernetes|docker|vercel)$/;

/** Reads the purpose of a skill. `files` are those of its folder. */
export function purposeOf(skill: Skill, files: readonly ReviewedFile[]): Purpose {
  const guide = files.find(({ path }) => path === "SKILL.md");
  const written = [
    skill.description,
    firstParagraph(guide?.lines.flatMap(({ role, text }) => (role === "prose" ? [text] : [])) ?? []),
    ...skill.requires.env,
    ...skill.requires.bins,
  ].join(" \n ");
  const homepage = /^\s*homepage:\s*["']?https?:\/\/([^\s"']+)/m.exec(guide?.raw.slice(0, 20_000) ?? "")?.[1];
  const text = written.replace(/https?:\/\/\S+/g, " ");
  const spoken = squeezed(`${text} ${homepage ?? ""}`);
  const proper = new Set(properNames(text));
  const knows = (label: string) => {
    const name = squeezed(label);
    if (name.length < 3) return false;
    if (name.length >= 5 ? spoken.includes(name) : spoken.split(" ").includes(name)) return true;
    return [...proper].some((each) => each.length >= 4 && name.startsWith(each));
  };
  return {
    text,
    isAboutAttacks: attacks.test(`${skill.id.replaceAll("-", " ")} ${text}`),
    names: (address) => {
      const [host = "", owner = "", repository = ""] = address.toLowerCase().split("/");
      if (wellKnown.test(host)) return true;
      if (forges.test(host)) return wellKnownOwners.test(owner) || knows(owner) || knows(repository);
      return ownerLabels(host).some(knows) || spoken.includes(squeezed(host.split(".").slice(-2).join("")));
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

/** Names within a sentence: with a capital letter, or the first part of a variable's name. */
function properNames(text: string): string[] {
  const names = [
    ...text.matchAll(
      /(?<=[\p{L}\d,(/]\s?[(/]?)\b\p{Lu}[\p{L}\d]{2,30}|\b\p{L}+\p{Lu}[\p{L}\d]*|\b[A-Z][A-Z\d]+(?=_)/gu,
    ),
  ];
  return names.map(([name]) => squeezed(name));
}

function squeezed(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\d\s]/gu, "")
    .replace(/\s+/g, " ");
}
