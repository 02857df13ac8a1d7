import { beginningOf } from "../../../base/markdown-text.ts";
import { isRecord } from "../../../base/record.ts";
import { readButtonId } from "../../../core/ports/chat-platform.ts";
import { escaped } from "./mrkdwn.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * Maximum depth of nested parts, and maximum parts of one message that are read. Slack allows 50 blocks in a message, and 100
 * rows in a table.
 */
const maxDepth = 8;
const maxParts = 3_000;
const maxLabel = 75;

/**
 * The text of blocks in Slack's markup, for `readableText` (docs.slack.dev/reference/block-kit/blocks): one line or paragraph
 * per block. Null, parts of another shape and blocks without text are skipped; unknown kinds of blocks are read by their texts.
 */
export function blockText(blocks: unknown): string {
  return new BlockReader().lines(blocks, 0, "\n");
}

/** Text fields of a block, in the order in which Slack shows them. Unknown kinds have some of them. */
const texts = ["title", "subtitle", "label", "text", "body", "description"] as const;

class BlockReader {
  #left = maxParts;

  /** The text of each part of a list; parts without text are left out. */
  lines(parts: unknown, depth: number, between: string): string {
    const words: string[] = [];
    for (const part of Array.isArray(parts) ? parts : []) {
      if (this.#left <= 0) break;
      const said = this.#block(part, depth);
      if (said !== "") words.push(said);
    }
    return words.join(between);
  }

  #block(part: unknown, depth: number): string {
    this.#left -= 1;
    if (!isRecord(part) || depth > maxDepth) return "";
    switch (part.type) {
      case "rich_text":
        return this.#richText(part.elements, depth + 1);
      case "markdown":
        return text(part.text).replaceAll("&", "&amp;");
      case "image":
        return picture(part);
      case "button":
        return button(part);
      case "actions":
      case "context_actions": {
        const labels = this.lines(part.elements, depth + 1, " · ");
        return labels === "" ? "" : `[buttons: ${labels}]`;
      }
      case "table":
      case "data_table":
        return this.#table(part, depth + 1);
      case "call":
        return this.#call(part);
      case "file":
        return this.#file(part);
      default:
        return this.#other(part, depth + 1);
    }
  }

  /** A section, header, context, video, card, plan …: its texts, then its nested parts. */
  #other(part: Part, depth: number): string {
    const own = texts.flatMap((name) => {
      const value = part[name];
      return isRecord(value) && value.type === "rich_text" ? this.#block(value, depth) : text(value);
    });
    const address = linkOf(part.video_url) ?? linkOf(part.title_url);
    const fields = Array.isArray(part.fields) ? part.fields.slice(0, maxParts).map(text) : [];
    return [
      ...own,
      ...(address === undefined ? [] : [address]),
      ...fields,
      this.lines(part.elements, depth, part.type === "context" ? " " : "\n"),
      ...["tasks", "blocks", "cards", "items"].map((name) => this.lines(part[name], depth, "\n")),
      this.#block(part.output, depth),
      this.#block(part.details, depth),
      this.#block(part.accessory, depth),
    ]
      .filter(Boolean)
      .join("\n");
  }

  #richText(elements: unknown, depth: number): string {
    const parts = (Array.isArray(elements) ? elements : []).map((part) => this.#richPart(part, depth));
    return parts.filter((part) => part.trim() !== "").join("\n");
  }

  #richPart(part: unknown, depth: number): string {
    this.#left -= 1;
    if (!isRecord(part) || depth > maxDepth || this.#left <= 0) return "";
    switch (part.type) {
      case "rich_text_list":
        return this.#list(part, depth + 1);
      case "rich_text_quote":
        return this.#inline(part.elements).replaceAll(/^/gm, "&gt; ");
      case "rich_text_preformatted":
        return `\`\`\`\n${this.#inline(part.elements)}\n\`\`\``;
      default:
        return Array.isArray(part.elements) ? this.#inline(part.elements) : inlineText(part);
    }
  }

  #list({ elements, style, indent, offset }: Part, depth: number): string {
    const before = "    ".repeat(Math.min(maxDepth, whole(indent)));
    const items = (Array.isArray(elements) ? elements : []).map((item, at) => {
      const mark = style === "ordered" ? `${whole(offset) + at + 1}.` : "•";
      return `${before}${mark} ${this.#richPart(item, depth)}`;
    });
    return items.join("\n");
  }

  #inline(elements: unknown): string {
    const parts = Array.isArray(elements) ? elements : [];
    return parts
      .map((part) => {
        this.#left -= 1;
        return this.#left > 0 && isRecord(part) ? inlineText(part) : "";
      })
      .join("");
  }

  /** Rows of cells as lines, with bars between the cells. */
  #table({ rows, columns, caption, title }: Part, depth: number): string {
    const head = Array.isArray(columns) ? columns.map((each) => (isRecord(each) ? cellText(each) : "")) : [];
    const lines = (Array.isArray(rows) ? rows : []).map((row) => {
      const cells = isRecord(row) ? row.cells : row;
      const words = (Array.isArray(cells) ? cells : []).map((cell) => {
        this.#left -= 1;
        if (!isRecord(cell) || this.#left <= 0) return text(cell);
        return (cell.type === "rich_text" ? this.#block(cell, depth) : cellText(cell)).replaceAll("\n", " ");
      });
      return words.some(Boolean) ? words.join(" | ") : "";
    });
    return [text(title), text(caption), head.some(Boolean) ? head.join(" | ") : "", ...lines]
      .filter(Boolean)
      .join("\n");
  }

  #call({ call }: Part): string {
    const v1 = isRecord(call) && isRecord(call.v1) ? call.v1 : {};
    return [`[call] ${text(v1.name)}`.trim(), linkOf(v1.join_url)].filter(Boolean).join(" ");
  }

  #file({ file, external_id }: Part): string {
    const name = isRecord(file) ? text(file.title) || text(file.name) : "";
    return `[file: ${name || text(external_id) || "without a name"}]`;
  }
}

/** A text, or the text of a text object; as Slack escaped it. */
function text(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) && typeof value.text === "string" ? value.text : "";
}

function cellText(cell: Part): string {
  const { value } = cell;
  const plain = text(cell.text) || text(cell.label) || text(cell.title) || text(cell.name);
  if (plain !== "") return plain;
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

function picture({ alt_text, title }: Part): string {
  const words = text(alt_text).trim() || text(title).trim();
  return words === "" ? "" : `[picture: ${words}]`;
}

/** The label of a button, with the address it opens; empty for the bot's own buttons. */
function button({ text: label, url, action_id }: Part): string {
  if (typeof action_id === "string" && readButtonId(action_id) !== undefined) return "";
  const words = beginningOf(text(label).replace(/\s+/g, " ").trim(), maxLabel);
  const address = linkOf(url);
  return address === undefined ? words : address.replace(/>$/, `|${words.replaceAll("|", "/")}>`);
}

/** An address in Slack's markup. */
export function linkOf(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\/[^\s<>|]+$/i.test(value) ? `<${value}>` : undefined;
}

/** An element of a line of rich text, whose text comes as people typed it, unlike that of other blocks (docs.slack.dev/reference/block-kit/blocks/rich-text-block). */
function inlineText(part: Part): string {
  switch (part.type) {
    case "user":
      return mention("@", part.user_id);
    case "usergroup":
      return mention("!subteam^", part.usergroup_id);
    case "channel":
      return mention("#", part.channel_id);
    case "broadcast":
      return mention("!", part.range);
    case "emoji":
      return typeof part.name === "string" ? `:${escaped(part.name)}:` : "";
    case "date":
      return escaped(text(part.fallback)) || dateOf(part.timestamp);
    case "color":
      return escaped(text(part.value));
    case "link": {
      const address = text(part.url).replaceAll(/[<>|\s]/g, encodeURIComponent);
      const label = escaped(text(part.text)).replaceAll("\n", " ");
      if (!/^[a-z][a-z0-9+.-]*:/i.test(address)) return label || escaped(address);
      return label === "" ? `<${address}>` : `<${address}|${label}>`;
    }
    default:
      return styled(escaped(text(part.text)), part.style);
  }
}

function styled(words: string, style: unknown): string {
  if (!isRecord(style) || words.trim() === "") return words;
  const code = style.code === true ? `\`${words}\`` : words;
  return style.strike === true ? `~${code}~` : code;
}

function mention(sign: string, id: unknown): string {
  return typeof id === "string" && /^\w+$/.test(id) ? `<${sign}${id}>` : "";
}

function dateOf(timestamp: unknown): string {
  const at = new Date(Number(timestamp) * 1_000);
  return Number.isNaN(at.getTime()) ? "" : `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function whole(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
