/**
 * Slack's message text (docs.slack.dev, "Formatting message text"): entities in angle brackets, `&amp;` `&lt;` `&gt;` escaped.
 * People and channels appear by id and mostly without a label.
 */
import { isOnlyMarks, marksAround } from "../../../base/markdown-text.ts";

export interface Names {
  person(id: string): Promise<string | undefined>;
  channel(id: string): Promise<string | undefined>;
  /** The name of a user group, without `@`. */
  group(id: string): Promise<string | undefined>;
}

const entity = /<((?:[@#!]|[a-z][a-z0-9+.-]*:)[^<>\n]*)>/gi;

/** Maximum names looked up for one text: each may take a request, and programs can write thousands. */
const maxNames = 100;
const noName = async () => undefined;
const noNames: Names = { person: noName, channel: noName, group: noName };

/** Replaces an entity without text, until it is removed together with the spaces before it. */
const nothing = "\u0000";

/**
 * The mentions in a text, by id: people, and user groups with their labels. `groups` is true if it mentions any group or
 * everyone.
 */
export function mentionsIn(text: string): {
  people: string[];
  userGroups: ReadonlyMap<string, string>;
  groups: boolean;
} {
  const people: string[] = [];
  const userGroups = new Map<string, string>();
  let groups = false;
  for (const [, inner = ""] of text.matchAll(entity)) {
    if (/^@[UW]/.test(inner)) people.push(idOf(inner));
    if (inner.startsWith("!subteam^")) userGroups.set(idOf(inner), groupLabel(inner));
    if (/^!(channel|here|everyone|group|subteam\^)/.test(inner)) groups = true;
  }
  return { people, userGroups, groups };
}

/** The text as people read it, in Markdown, without mentions of `self`. Ids stay where no name is found. */
export async function readableText(text: string, self: string, names: Names): Promise<string> {
  const plain = text.replaceAll(nothing, "");
  const found = [...plain.matchAll(entity)].map(([, inner = ""]) => inner);
  const readable = new Map<string, string>();
  await Promise.all(
    [...new Set(found)].map(async (inner, at) => {
      readable.set(inner, await readableEntity(inner, self, at < maxNames ? names : noNames));
    }),
  );
  const parts = plain
    .replace(entity, (_whole, inner: string) => readable.get(inner) || nothing)
    .split(nothing);
  return unescaped(parts.reduce(withoutGap)).trim();
}

/** Joins what stands around a removed entity, without the spaces before it and marks around it, as `*…*`. */
function withoutGap(before: string, after: string): string {
  const marks = marksAround(before, after);
  const kept = withoutEndSpaces(before.slice(0, before.length - marks));
  return kept + (isOnlyMarks(kept) ? after.slice(marks).trimStart() : after.slice(marks));
}

async function readableEntity(inner: string, self: string, names: Names): Promise<string> {
  const id = idOf(inner);
  const label = labelOf(inner);
  if (/^@[UWB]/.test(inner)) {
    if (id === self) return "";
    return `@${label || ((await names.person(id)) ?? id)}`;
  }
  if (inner.startsWith("#")) return `#${label || ((await names.channel(id)) ?? id)}`;
  if (inner.startsWith("!subteam^")) return `@${groupLabel(inner) || ((await names.group(id)) ?? "group")}`;
  return inner.startsWith("!") ? readableSpecial(inner, label) : readableLink(inner, label);
}

/** Dates, and `!here`. */
function readableSpecial(inner: string, label: string): string {
  if (inner.startsWith("!date^")) return label;
  return `@${inner.slice(1).split("|")[0]}`;
}

function readableLink(inner: string, label: string): string {
  const address = inner.split("|")[0] ?? "";
  const plain = address.replace(/^(mailto|tel):/, "");
  const same = ["", address, plain, address.replace(/^https?:\/\//, "")].includes(label);
  return same ? plain : `[${label}](${address})`;
}

function labelOf(inner: string): string {
  return inner.includes("|") ? inner.slice(inner.indexOf("|") + 1) : "";
}

/** `!subteam^S1|@oncall` → `oncall`; empty where Slack sends no label. */
function groupLabel(inner: string): string {
  return labelOf(inner).replace(/^@/, "");
}

/** `@U1|ada` → `U1` */
function idOf(inner: string): string {
  return inner.replace(/^(?:[@#]|!subteam\^)/, "").split("|")[0] ?? "";
}

/** Not a regular expression: it would scan each run of spaces again from each of its spaces. */
function withoutEndSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end -= 1;
  return text.slice(0, end);
}

/** A text with the characters escaped that Slack's markup reserves. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
