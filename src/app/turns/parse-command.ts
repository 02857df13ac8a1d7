/** First words of commands that have a second one. */
export const families: readonly string[] = ["skill", "flow", "agent", "mcp"];

/** Second words that make a command of what is said to the bot: `@Knack flow run x`, not `@Knack flow start times are wrong`. */
const spokenVerbs: Record<string, RegExp> = {
  skill:
    /^(list|info|enable|disable|reset|only|run|runs|reload|install|remove|update|review|grant|revoke|help)$/,
  flow: /^(list|show|run|enable|disable|help)$/,
  agent:
    /^(list|use|status|stop|approvals|pause|resume|reply|reset|model|usage|progress|steering|timezone|help)$/,
  mcp: /^(list|start|stop|restart|login|logout|help)$/,
};

/** Short forms people type: `@knack stop`. */
const short: Record<string, string> = { stop: "agent stop here", help: "help", status: "agent status" };

/**
 * The command in a text, without slash and alias: `skill enable memory`. Undefined when the text is a message. Commands
 * are `/skill …`, `/flow …`, `/agent …`, `/mcp …`, `/help`, all of them also after `/knack` and as text to the bot (`@Knack skill enable x`).
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
  return spokenVerbs[first]?.test(second) === true;
}

function expand(words: string): string {
  return short[words.trim().toLowerCase()] ?? words;
}
