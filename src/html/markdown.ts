import type TurndownService from "turndown";
import type { PageElement } from "./page-element.ts";

/** A converter to Markdown that keeps code blocks with their language and tables as tables. */
export async function createMarkdownConverter(): Promise<TurndownService> {
  const { default: Turndown } = await import("turndown");
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  turndown.addRule("code-block", {
    filter: ["pre"],
    replacement: (_content, node) => codeBlock(node as unknown as PageElement),
  });
  turndown.addRule("table", {
    filter: ["table"],
    replacement: (content, node) => table(node as unknown as PageElement, content),
  });
  turndown.addRule("strikethrough", { filter: ["del", "s"], replacement: (content) => `~~${content}~~` });
  turndown.addRule("image", {
    filter: ["img"],
    replacement: (_content, node) => image(node as unknown as PageElement),
  });
  return turndown;
}

function codeBlock(node: PageElement): string {
  const names = `${node.className} ${node.querySelector("code")?.className ?? ""}`;
  const language = /(?:language|lang|highlight-source|brush:)-?\s*([\w+#-]+)/.exec(names)?.[1] ?? "";
  const code = (node.textContent ?? "").replace(/^\n+/, "").trimEnd();
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return code === "" ? "" : `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** A table with one cell per row is layout: its content stands as it is. So does a table that holds tables. */
function table(node: PageElement, content: string): string {
  if (node.querySelector("table")) return `\n\n${content}\n\n`;
  const rows = [...node.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map(cell));
  const filled = rows.filter((cells) => cells.some((text) => text !== ""));
  const width = Math.max(0, ...filled.map((cells) => cells.length));
  if (width < 2) return `\n\n${content}\n\n`;
  const lines = filled.map(
    (cells) => `| ${Array.from({ length: width }, (_, index) => cells[index] ?? "").join(" | ")} |`,
  );
  lines.splice(1, 0, `|${" --- |".repeat(width)}`);
  return `\n\n${lines.join("\n")}\n\n`;
}

function cell(node: PageElement): string {
  return (node.textContent ?? "").replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

function image(node: PageElement): string {
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  const source = node.getAttribute("src") ?? "";
  if (alt === "") return "";
  return /^https?:/.test(source) ? `![${alt}](${source})` : alt;
}
