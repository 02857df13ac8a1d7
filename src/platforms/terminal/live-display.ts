import wrapAnsi from "wrap-ansi";
import { noticeLine, type TurnView } from "../../core/log/turn-view.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { finalLines } from "./final-lines.ts";
import type { TurnDisplay } from "./follow-turn.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";
import { progressLines, spinnerMs } from "./progress-lines.ts";
import { type ChatOutput, columnsOf } from "./screen.ts";

/** Characters at the end of a streamed answer that are laid out for the live region: many screens, and still fast. */
const renderedCharacters = 20_000;
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const eraseBelow = "\u001b[J";
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : "");

/**
 * Redraws steps and the end of the streamed answer in place. The region is never higher than the screen, because lines that
 * have scrolled out can no longer be changed.
 */
export function createLiveDisplay(screen: ChatOutput, paint: Paint, clock: Pick<Clock, "now">): TurnDisplay {
  let view: TurnView | undefined;
  let remark = "";
  let drawn: string[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  const erase = () => {
    const start = drawn.length === 0 ? "" : `\r${up(drawn.length - 1)}${eraseBelow}`;
    drawn = [];
    return start;
  };
  const draw = () => {
    if (view === undefined) return;
    const lines = regionLines(view, remark, screen, paint, clock.now());
    if (lines.join("\n") === drawn.join("\n")) return;
    screen.write(`${hideCursor}${erase()}${lines.join("\n")}`);
    drawn = lines;
  };
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    screen.write(`${erase()}${showCursor}`);
  };
  return {
    update(next) {
      view = next;
      if (timer !== undefined) return;
      draw();
      timer = setInterval(draw, spinnerMs);
    },
    note(text) {
      remark = text;
      draw();
    },
    pause: clear,
    finish(last) {
      clear();
      view = undefined;
      const lines = finalLines(last, columnsOf(screen), paint);
      if (lines.length > 0) screen.write(`${lines.join("\n")}\n`);
    },
  };
}

function regionLines(
  view: TurnView,
  remark: string,
  screen: ChatOutput,
  paint: Paint,
  now: number,
): string[] {
  const columns = columnsOf(screen) - 1;
  const oneRow = (line: string) => wrapAnsi(line, columns, { hard: true, trim: false }).split("\n")[0] ?? "";
  const height = Math.max(3, (screen.rows || 24) - 2);
  const progress = progressLines(view, now, paint).map(oneRow);
  const answer = renderMarkdown(view.text.slice(-renderedCharacters), columns, paint);
  const waiting = progress.length + answer.length === 0 || view.status === "queued";
  const idle = view.status === "queued" ? "Waiting for earlier turns…" : "Thinking…";
  const told = noticeLine(view, now) ?? view.thought ?? (waiting ? idle : undefined);
  const state = told === undefined ? [] : [oneRow(paint.dim(plainLine(told)))];
  const note = remark === "" ? [] : [oneRow(paint.dim(remark))];
  const below = answer.length > 0 && progress.length > 0 ? ["", ...answer] : answer;
  const shownProgress = progress.slice(-Math.ceil(below.length > 0 ? height / 2 : height - 2));
  const room = height - shownProgress.length - note.length - state.length;
  return [...shownProgress, ...state, ...(room > 0 ? below.slice(-room) : []), ...note];
}
