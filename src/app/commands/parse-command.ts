/** First words of commands that have a second one. */
export const families: readonly string[] = ["skill", "flow", "agent"];

/** Short forms people type: `@knack stop`. */
const short: Record<string, string> = { stop: "agent stop here", help: "help", status: "agent status" };

/**
 * The command in a text, without slash and alias: `skill enable memory`. Undefined when the text is a message. Commands
 * are `/skill …`, `/flow …`, `/agent …`, `/help`, all of them also after `/knack` and as text to the bot (`@Knack skill enable x`).
 */
export function parseCommand(text: string, botName: string): string | undefined {
  const trimmed = text.trim();
  const name = botName.toLowerCase();
  if (trimmed.startsWith("/")) {
    const words = trimmed.slice(1).trim();
    const isAlias = words.toLowerCase() === name || words.toLowerCase().startsWith(`${name} `);
    const alias = isAlias ? name : /^knack(\s|$)/i.test(words) ? "knack" : undefined;
    return alias === undefined ? words : expand(words.slice(alias.length).trim() || "help");
  }
  const mention = `@${name}`;
  if (!trimmed.toLowerCase().startsWith(mention)) return undefined;
  const words = trimmed.slice(mention.length).replace(/^[\s,:]+/, "");
  return isSpoken(words) ? expand(words) : undefined;
}

/** The text without a leading mention of the bot. */
export function withoutMention(text: string, botName: string): string {
  const mention = `@${botName.toLowerCase()}`;
  const trimmed = text.trimStart();
  return trimmed.toLowerCase().startsWith(mention)
    ? trimmed.slice(mention.length).replace(/^[\s,:]+/, "")
    : text;
}

/** `skill list`, `agent status`, or one of the short forms alone; `skill issues are hard` is a message. */
function isSpoken(words: string): boolean {
  const [first = "", second = ""] = words.toLowerCase().split(/\s+/);
  if (short[words.trim().toLowerCase()] !== undefined) return true;
  return (
    families.includes(first) &&
    /^(list|info|show|enable|disable|reset|only|run|runs|reload|status|stop|pause|resume|reply|use|model|usage|progress|steering|help)$/.test(
      second,
    )
  );
}

function expand(words: string): string {
  return short[words.trim().toLowerCase()] ?? words;
}
