import type { Inline } from "./markdown-blocks.ts";
import { breakLines, drawLine, type Setting } from "./pdf-lines.ts";

/** Where on which page the next thing goes, points. */
export interface Sheet extends Setting {
  left: number;
  width: number;
  /** The upper edge of what comes next. */
  y: number;
  top: number;
  bottom: number;
  /** Left edges of the bars beside quotes. */
  bars: readonly number[];
  /** In how many lists. */
  lists: number;
}

/** Goes on to the next page where there is less room than that. */
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

/** A gap, which does not begin a page. */
export function leaveGap(sheet: Sheet, height: number): void {
  if (sheet.y > sheet.top) moveOn(sheet, height);
}

/** A paragraph, its first two lines on one page, and its last two. */
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

/** Does work in a narrower column, or in other letters, and goes on below it. */
export function within(sheet: Sheet, changed: Partial<Omit<Sheet, "y">>, work: (inner: Sheet) => void): void {
  const inner: Sheet = { ...sheet, ...changed };
  work(inner);
  sheet.y = inner.y;
}
