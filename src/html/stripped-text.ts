import { withoutInvisible } from "../base/invisible-text.ts";

/** A page's text by removing markup alone, in linear time. */
export function strippedText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    parts.push(html.slice(at, open));
    at = afterMarkup(html, open);
  }
  parts.push(html.slice(at));
  return withoutInvisible(parts.join(" ")).replace(/\s+/g, " ").trim();
}

/** The position after the tag, comment, script or style that begins at `open`. */
function afterMarkup(html: string, open: number): number {
  const [, raw = ""] = /^<(script|style|!--)/i.exec(html.slice(open, open + 8)) ?? [];
  const end =
    { script: /<\/script[^>]*>?/gi, style: /<\/style[^>]*>?/gi, "!--": /-->/g }[raw.toLowerCase()] ?? />/g;
  end.lastIndex = open + 1;
  return end.test(html) ? end.lastIndex : html.length;
}
