import { withoutInvisible } from "../base/invisible-text.ts";
import type { WebHit } from "../core/ports/web.ts";

/** Characters of a title and of a passage; the rest is cut. */
const longest = { title: 300, text: 1_200 };

/** Markup in which engines mark the words they found. Anything else in angle brackets is the page's own text, such as code. */
const markup = /<\/?(?:a|b|br|em|i|mark|p|span|strong|u|wbr)\b[^<>]*>/gi;

const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", hellip: "…", middot: "·" },
  ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
};

/** Parameters that tell a site where a visitor came from, and change nothing about the page. */
const tracking = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid|ref_src)$/i;

/**
 * A result as people and models may see it: its texts without markup and without what nobody sees, each in one line, its address
 * without tracking. Undefined where the address is not http or https, or hides its host behind a login.
 */
export function readableHit(hit: Omit<WebHit, "engines">): Omit<WebHit, "engines"> | undefined {
  const url = URL.parse(hit.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined;
  const address = withoutTracking(url);
  const date = hit.date === undefined ? "" : dayOf(plainText(hit.date, 40));
  return {
    title: plainText(hit.title, longest.title) || url.host,
    url: address.href,
    text: plainText(hit.text, longest.text),
    ...(date === "" ? {} : { date }),
  };
}

/** Left as it is, letter by letter, where there is nothing to remove. */
function withoutTracking(url: URL): URL {
  const names = [...url.searchParams.keys()].filter((name) => tracking.test(name));
  for (const name of names) url.searchParams.delete(name);
  return url;
}

/** The day of an ISO date; any other form as it is. */
function dayOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(text)?.[0] ?? text;
}

function plainText(text: string, most: number): string {
  // Markup and entities make a text shorter. What is far beyond the limit is not looked at.
  const near = text.slice(0, most * 10);
  return withoutInvisible(decoded(near.replace(markup, "")))
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, most);
}

function decoded(text: string): string {
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : "";
  });
}
