import type { Token, Tokens } from "marked";

/** A piece of text in one style. */
export interface Run {
  text: string;
  bold?: true;
  italic?: true;
  strike?: true;
  code?: true;
  /** A web or mail address. */
  link?: string;
}

/** What a document is made of, in order. `quote`: how deep it stands in quotations. */
export type Block =
  | { kind: "heading"; level: number; runs: Run[] }
  | { kind: "paragraph"; runs: Run[]; quote: number }
  | { kind: "item"; depth: number; mark: string; ordered: boolean; list: number; runs: Run[] }
  | { kind: "code"; text: string }
  | { kind: "table"; header: Run[][]; rows: Run[][][] }
  | { kind: "image"; path: string; caption: string }
  | { kind: "rule" };

/** Depth of lists and quotations. */
const deepest = 8;

/** The blocks of a Markdown text. HTML in it is text. */
export async function blocksOf(markdown: string): Promise<Block[]> {
  const { lexer } = await import("marked");
  const state = { list: 0 };
  return read(lexer(markdown), { depth: 0, quote: 0 }, state);
}

interface Where {
  depth: number;
  quote: number;
}

function read(tokens: readonly Token[], where: Where, state: { list: number }): Block[] {
  return tokens.flatMap((token) => readOne(token, where, state));
}

function readOne(token: Token, where: Where, state: { list: number }): Block[] {
  switch (token.type) {
    case "heading":
      return [{ kind: "heading", level: (token as Tokens.Heading).depth, runs: runsOf(token.tokens ?? []) }];
    case "paragraph":
      return paragraphs(token.tokens ?? [], where.quote);
    case "text":
      return paragraphs(token.tokens ?? [token], where.quote);
    case "list":
      return listItems(token as Tokens.List, where, state);
    case "code":
      return [{ kind: "code", text: (token as Tokens.Code).text }];
    case "blockquote":
      return read(token.tokens ?? [], { ...where, quote: Math.min(deepest, where.quote + 1) }, state);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [{ kind: "table", header: header.map(cell), rows: rows.map((row) => row.map(cell)) }];
    }
    case "hr":
      return [{ kind: "rule" }];
    case "html":
      return [
        { kind: "paragraph", runs: [{ text: (token as Tokens.HTML).text.trim() }], quote: where.quote },
      ];
    default:
      return [];
  }
}

const cell = ({ tokens }: Tokens.TableCell): Run[] => runsOf(tokens);

/** Pictures stand on lines of their own. */
function paragraphs(tokens: readonly Token[], quote: number): Block[] {
  const blocks: Block[] = [];
  let text: Token[] = [];
  const flush = () => {
    const runs = runsOf(text);
    if (runs.some((run) => run.text.trim() !== "")) blocks.push({ kind: "paragraph", runs, quote });
    text = [];
  };
  for (const token of tokens) {
    if (token.type !== "image") {
      text.push(token);
      continue;
    }
    flush();
    const { href, text: caption } = token as Tokens.Image;
    blocks.push({ kind: "image", path: href, caption });
  }
  flush();
  return blocks;
}

function listItems(list: Tokens.List, where: Where, state: { list: number }): Block[] {
  state.list += 1;
  const number = state.list;
  const first = Number(list.start) || 1;
  return list.items.flatMap((item, at): Block[] => {
    const box = item.task ? (item.checked === true ? "☑" : "☐") : undefined;
    const mark = box ?? (list.ordered ? `${first + at}.` : "•");
    const [head, ...rest] = read(item.tokens, { ...where, depth: Math.min(deepest, where.depth + 1) }, state);
    const runs = head?.kind === "paragraph" ? head.runs : [];
    const own: Block = {
      kind: "item",
      depth: where.depth,
      mark,
      ordered: list.ordered && box === undefined,
      list: number,
      runs,
    };
    return [own, ...(head === undefined || head.kind === "paragraph" ? [] : [head]), ...rest];
  });
}

type Style = Omit<Run, "text">;

/** Styles by the token that gives them. */
const styles: Readonly<Record<string, Style>> = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
};

/** The runs of inline tokens. */
function runsOf(tokens: readonly Token[], style: Style = {}): Run[] {
  return tokens.flatMap((token): Run[] => {
    const inner = "tokens" in token ? (token.tokens ?? []) : [];
    const added = styles[token.type];
    if (added !== undefined) return runsOf(inner, { ...style, ...added });
    if (token.type === "link") return runsOf(inner, { ...style, ...linkOf(token as Tokens.Link) });
    if (token.type === "text" && inner.length > 0) return runsOf(inner, style);
    return [{ ...style, ...plainRun(token) }];
  });
}

function plainRun(token: Token): Run {
  if (token.type === "codespan") return { text: (token as Tokens.Codespan).text, code: true };
  if (token.type === "br") return { text: "\n" };
  return { text: "text" in token ? unescaped(String(token.text)) : token.raw };
}

/** Links that a document may have. */
function linkOf({ href }: Tokens.Link): Style {
  return /^(https?:|mailto:)/i.test(href) ? { link: href } : {};
}

/** `marked` leaves entities as they were written. */
function unescaped(text: string): string {
  const signs: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => signs[name] ?? whole);
}

/** The text of runs without their style. */
export function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}

/** Words of a document. */
export function wordsIn(blocks: readonly Block[]): number {
  const texts = blocks.flatMap((block) => {
    if ("runs" in block) return textOf(block.runs);
    return block.kind === "table" ? [...block.header, ...block.rows.flat()].map(textOf) : [];
  });
  return texts.join(" ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
