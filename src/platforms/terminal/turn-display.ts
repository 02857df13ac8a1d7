import type { TurnView } from "../../core/log/turn-view.ts";

/** Shows one turn while it runs. Call `finish` or `pause` at the end to restore the terminal. */
export interface TurnDisplay {
  /** Takes the newest view; drawing may come later. */
  update(view: TurnView): void;
  /** A line below the progress, e.g. that the connection is lost. An empty text removes it. */
  note(text: string): void;
  /** Makes room for other output; the next `update` shows the turn again. */
  pause(): void;
  /** Writes the final lines of the turn, which stay on the screen. */
  finish(view: TurnView): void;
}
