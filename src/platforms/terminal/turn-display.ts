import type { TurnView } from "../../core/log/turn-view.ts";

/** Shows one turn while it happens. Call `finish` or `pause` at the end: the terminal is left as it was found. */
export interface TurnDisplay {
  /** Takes the newest view; drawing may come later. */
  update(view: TurnView): void;
  /** A line beside the progress, e.g. that the connection is lost. An empty one takes it away. */
  note(text: string): void;
  /** Makes room for other output; the next `update` shows the turn again. */
  pause(): void;
  /** Puts the answer and what stays of the progress where they remain. */
  finish(view: TurnView): void;
}
