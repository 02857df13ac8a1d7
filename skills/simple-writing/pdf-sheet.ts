import type { Block, Inline } from "./markdown-blocks.ts";
import { breakLines, drawLine, type Setting } from "./pdf-lines.ts";

/** The position on the current page, points. */
export interface Sheet extends Setting {
  left: number;
  width: number;
  /** The upper edge of the next content. */
  y: number;
  top: number;
  bottom: number;
  /** Left edges of the bars next to quotes. */
  bars: readonly number[];
  /** Depth of nested lists. */
  lists: number;
}

/** Starts a new page if there is less room than `height`. Returns whether it did. */
export function makeRoom(sheet: Sheet, height: number): boolean {
  if (sheet.y + height <= sheet.bottom || sheet.y === sheet.top) return false;
  sheet.document.addPage();
  sheet.y = sheet.top;
  return true;
}

export function moveOn(sheet: Sheet, height: number): void {
  const shown = Math.min(height, sheet.bottom - sheet.y);
  for (const x of sheet.bars) sheet.document.rect(x, sheet.y, 2.5, shown).fill("#c9ced6");
  sheet.y += height;
}

/** Adds a gap, except at the top of a page. */
export function leaveGap(sheet: Sheet, height: number): void {
  if (sheet.y > sheet.top) moveOn(sheet, height);
}

/** Writes a paragraph; keeps its first two lines on one page, and its last two. */
export function writeLines(sheet: Sheet, inlines: readonly Inline[]): void {
  const lines = breakLines(inlines, sheet.width, sheet);
  const together = lines.length === 3 ? 3 : 2;
  for (const [at, line] of lines.entries()) {
    const isKept = at === 0 || at === lines.length - 2;
    makeRoom(sheet, Math.min(isKept ? together : 1, lines.length - at) * line.height);
    const { left: x, y, width } = sheet;
    moveOn(sheet, line.height);
    drawLine(line, { x, y, width }, sheet);
  }
}

/** Writes with changed settings, such as a narrower column, then continues below. */
export function within(sheet: Sheet, changed: Partial<Omit<Sheet, "y">>, work: (inner: Sheet) => void): void {
  const inner: Sheet = { ...sheet, ...changed };
  work(inner);
  sheet.y = inner.y;
}

/** A heading that the table of contents links to. */
export interface Place {
  title: string;
  level: number;
  name: string;
  page: number;
}
const entryHeight = 17;

/** Reserves pages for the table of contents, which is written when the page numbers are known. */
export function keepContentsPages(sheet: Sheet, blocks: readonly Block[]): { page: number; y: number } {
  const count = blocks.filter((block) => block.kind === "heading" && block.level <= 3).length;
  const start = { page: sheet.document.bufferedPageRange().count - 1, y: sheet.y };
  for (let at = 0; at < count; at += 1) {
    makeRoom(sheet, entryHeight);
    moveOn(sheet, entryHeight);
  }
  sheet.document.addPage();
  sheet.y = sheet.top;
  return start;
}

export function writeContents(
  sheet: Sheet,
  start: { page: number; y: number },
  places: readonly Place[],
): void {
  const { document, fonts } = sheet;
  let { page, y } = start;
  document.switchToPage(page);
  for (const { title, level, name, page: on } of places.filter((place) => place.level <= 3)) {
    if (y + entryHeight > sheet.bottom && y > sheet.top) {
      page += 1;
      y = sheet.top;
      document.switchToPage(page);
    }
    const x = sheet.left + (level - 1) * 16;
    const room = sheet.width - (x - sheet.left) - 40;
    const setting = { ...sheet, bold: level === 1 };
    const [line] = breakLines([{ kind: "text", text: title }], room, setting);
    if (line !== undefined) {
      drawLine({ ...line, fromRight: false }, { x, y, width: room }, setting);
      const [number] = breakLines([{ kind: "text", text: String(on) }], 40, {
        document,
        fonts,
        size: sheet.size,
      });
      if (number !== undefined)
        drawLine(number, { x: sheet.left + sheet.width - 40, y, width: 40, align: "right" }, sheet);
      const from = x + line.width + 6;
      const to = sheet.left + sheet.width - (number?.width ?? 0) - 6;
      document.lineWidth(0.6).dash(1, { space: 3 });
      if (to > from)
        document
          .moveTo(from, y + 11)
          .lineTo(to, y + 11)
          .stroke("#9aa0a9");
      document.undash().goTo(sheet.left, y, sheet.width, entryHeight, name);
    }
    y += entryHeight;
  }
}

/** Numbers the pages, and repeats the title on all but the first. Returns the number of pages. */
export function numberPages(sheet: Sheet, title: string): number {
  const { document, fonts } = sheet;
  const { count } = document.bufferedPageRange();
  const setting = { document, fonts, size: 8 };
  for (let at = 0; at < count; at += 1) {
    document.switchToPage(at);
    const y = sheet.bottom + 24;
    const [number] = breakLines([{ kind: "text", text: `${at + 1} / ${count}` }], 80, setting);
    if (number !== undefined && count > 1)
      drawLine(number, { x: sheet.left + sheet.width - 80, y, width: 80, align: "right" }, setting);
    const [name] = breakLines([{ kind: "text", text: title }], sheet.width - 100, setting);
    if (name !== undefined && at > 0) drawLine(name, { x: sheet.left, y, width: sheet.width - 100 }, setting);
  }
  return count;
}
