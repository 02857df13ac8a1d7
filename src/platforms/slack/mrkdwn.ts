/**
 * Slack's message text (docs.slack.dev, "Formatting message text"): entities in angle brackets, `&amp;` `&lt;` `&gt;` escaped.
 * People and channels appear by id and mostly without a label.
 */
export interface Names {
  person(id: string): Promise<string | undefined>;
  channel(id: string): Promise<string | undefined>;
}

const entity = /([ \t]*)<((?:[@#!]|[a-z][a-z0-9+.-]*:)[^<>\n]*)>/gi;

/** The ids a text mentions: people, and whether it mentions a group or everyone. */
export function mentionsIn(text: string): { people: string[]; groups: boolean } {
  const people: string[] = [];
  let groups = false;
  for (const [, , inner = ""] of text.matchAll(entity)) {
    if (/^@[UW]/.test(inner)) people.push(idOf(inner));
    if (/^!(channel|here|everyone|group|subteam\^)/.test(inner)) groups = true;
  }
  return { people, groups };
}

/** The text as people read it, in Markdown; mentions of `self` are left out. Names that cannot be found stay ids. */
export async function readableText(text: string, self: string, names: Names): Promise<string> {
  const found = [...text.matchAll(entity)].map(([, , inner = ""]) => inner);
  const readable = new Map<string, string>();
  await Promise.all(
    [...new Set(found)].map(async (inner) => {
      readable.set(inner, await readableEntity(inner, self, names));
    }),
  );
  const replaced = text.replace(entity, (_whole, before: string, inner: string) => {
    const words = readable.get(inner) ?? "";
    return words === "" ? "" : before + words;
  });
  return unescaped(replaced).trim();
}

async function readableEntity(inner: string, self: string, names: Names): Promise<string> {
  const id = idOf(inner);
  const label = labelOf(inner);
  if (/^@[UWB]/.test(inner)) {
    if (id === self) return "";
    return `@${label || ((await names.person(id)) ?? id)}`;
  }
  if (inner.startsWith("#")) return `#${label || ((await names.channel(id)) ?? id)}`;
  return inner.startsWith("!") ? readableSpecial(inner, label) : readableLink(inner, label);
}

/** Groups, dates, and `!here`. */
function readableSpecial(inner: string, label: string): string {
  if (inner.startsWith("!date^")) return label;
  if (inner.startsWith("!subteam^")) return `@${label.replace(/^@/, "") || "group"}`;
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

/** `@U1|ada` → `U1` */
function idOf(inner: string): string {
  return inner.replace(/^[@#]/, "").split("|")[0] ?? "";
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
