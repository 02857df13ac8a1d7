import { marked } from "marked";

type Block = Record<string, unknown>;

export const escaped = (text: unknown) =>
  String(text ?? "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
const listOf = (value: unknown) => (Array.isArray(value) ? (value as Block[]) : []);
const fieldOf = (value: unknown, key: string) => (value as Block | undefined)?.[key];

/** A message as Slack shows it: its blocks, or its text. */
export function slackHtml({ text, blocks, chunks, markdown_text, attachments }: Block): string {
  const known = listOf(parsed(blocks));
  const words = known.length > 0 ? "" : mrkdwn(text ?? markdown_text);
  const parts = listOf(parsed(chunks)).map((chunk) => `<p class="c">${escaped(JSON.stringify(chunk))}</p>`);
  return [
    words,
    ...parts,
    ...known.map(blockHtml),
    ...listOf(attachments).map((each) => escaped(JSON.stringify(each))),
  ].join("");
}

/** A modal or a home tab. */
export function viewHtml(given: unknown): string {
  const view = parsed(given) as Block;
  const labels = ["title", "submit", "close"].map((key) => escaped(fieldOf(view[key], "text")));
  return `<div class="b"><b>${labels.join(" | ")}</b>${listOf(view.blocks).map(blockHtml).join("")}</div>`;
}

function parsed(value: unknown): unknown {
  return typeof value === "string" && /^[[{]/.test(value) ? JSON.parse(value) : value;
}

/** Slack's own markup. */
function mrkdwn(text: unknown): string {
  const words = escaped(text).replaceAll("&amp;", "&");
  return `<p>${words
    .replaceAll(
      /&lt;([^|]*?)(?:\|(.*?))?&gt;/g,
      (_whole, target: string, label = target) => `<u>${label}</u>`,
    )
    .replaceAll(/(?<!\w)\*([^*\n]+)\*/g, "<b>$1</b>")
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll("\n", "<br>")}</p>`;
}

function textHtml(value: unknown): string {
  const text = fieldOf(value, "text");
  return fieldOf(value, "type") === "mrkdwn" ? mrkdwn(text) : `<p>${escaped(text)}</p>`;
}

function blockHtml(block: Block): string {
  const { type, text, elements, accessory, label, hint, element, optional } = block;
  switch (type) {
    case "markdown":
      return marked.parse(escaped(text).replaceAll("&gt;", ">"), { async: false });
    case "header":
      return `<h3>${escaped(fieldOf(text, "text"))}</h3>`;
    case "section":
      return `${textHtml(text)}${listOf(block.fields).map(textHtml).join("")}${accessory ? elementHtml(accessory as Block) : ""}`;
    case "context":
      return `<div class="c">${listOf(elements).map(textHtml).join("")}</div>`;
    case "actions":
    case "context_actions":
      return `<p>${listOf(elements).map(elementHtml).join(" ")}</p>`;
    case "divider":
      return "<hr>";
    case "image":
      return `<p>[picture: ${escaped(block.alt_text)}]</p>`;
    case "input":
      return `<p><b>${escaped(fieldOf(label, "text"))}</b>${optional ? " (optional)" : ""} ${elementHtml(element as Block)}<br><span class="c">${escaped(fieldOf(hint, "text"))}</span></p>`;
    case "data_table":
      return `<table><caption>${escaped(block.caption)}</caption>${listOf(block.rows).map(rowHtml).join("")}</table>`;
    case "plan":
      return `<p>☰ ${escaped(block.title)}</p>${listOf(block.tasks).map(taskHtml).join("")}`;
    case "data_visualization":
      return `<p>[chart] ${escaped(JSON.stringify(block))}</p>`;
    default:
      return `<i class="e">${escaped(JSON.stringify(block))}</i>`;
  }
}

const taskHtml = (task: Block) => `<p class="c">– ${escaped(task.title)} (${escaped(task.status)})</p>`;
const rowHtml = (row: Block) =>
  `<tr>${listOf(row)
    .map((cell) => `<td>${escaped(cell.text)}</td>`)
    .join("")}</tr>`;

function elementHtml(element: Block): string {
  const { type, text, placeholder, options, style, initial_value, multiline } = element;
  const choices = listOf(options).map((each) => escaped(fieldOf(each.text, "text")));
  switch (type) {
    case "button":
      return `<button>${escaped(fieldOf(text, "text"))}${style ? ` (${escaped(style)})` : ""}</button>`;
    case "overflow":
      return `<button>⋯ ${choices.join(" / ")}</button>`;
    case "feedback_buttons":
      return "<button>👍</button> <button>👎</button>";
    case "plain_text_input":
      return `<span class="b">${multiline ? "▭ long: " : "▭ "}${escaped(initial_value ?? fieldOf(placeholder, "text"))}</span>`;
    default:
      return `<span class="b">${escaped(type)} ▾ ${escaped(fieldOf(placeholder, "text"))}: ${choices.join(" / ")}</span>`;
  }
}
