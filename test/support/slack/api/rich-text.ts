type Element = Record<string, unknown>;

const marks =
  /<(@[UW][A-Z0-9]+|#[CG][A-Z0-9]+(?:\|[^>]*)?|![a-z]+|https?:[^>|]+(?:\|[^>]*)?)>|:([a-z0-9_+-]+):/g;

/** The `rich_text` block that Slack makes of what a person typed. `text` is as events have it: escaped, mentions as `<@U…>`. */
export function richText(text: string, blockId: string): Record<string, unknown> {
  const elements: Element[] = [];
  let position = 0;
  for (const match of text.matchAll(marks)) {
    pushText(elements, text.slice(position, match.index));
    elements.push(elementOf(match));
    position = match.index + match[0].length;
  }
  pushText(elements, text.slice(position));
  return {
    type: "rich_text",
    block_id: blockId,
    elements: [{ type: "rich_text_section", elements }],
  };
}

function pushText(elements: Element[], text: string): void {
  if (text === "") return;
  elements.push({
    type: "text",
    text: text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  });
}

function elementOf(match: RegExpExecArray): Element {
  const [, mark, emoji] = match;
  if (mark === undefined) return { type: "emoji", name: emoji ?? "" };
  const [target = "", label] = mark.split("|");
  if (target.startsWith("@")) return { type: "user", user_id: target.slice(1) };
  if (target.startsWith("#")) return { type: "channel", channel_id: target.slice(1) };
  if (target.startsWith("!")) return { type: "broadcast", range: target.slice(1) };
  return { type: "link", url: target, ...(label === undefined ? {} : { text: label }) };
}

/** Whether the text mentions the user. */
export function mentions(text: string, userId: string): boolean {
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);
}
