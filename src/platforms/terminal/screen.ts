import type { ChatOutput } from "./chat-options.ts";

/** Where a display writes, and how wide and high it is now. */
export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/** The screen behind an output; 80 by 24 where it does not say. */
export function screenOf(output: ChatOutput): Screen {
  return {
    write(text) {
      output.write(text);
    },
    get columns() {
      return output.columns || 80;
    },
    get rows() {
      return output.rows || 24;
    },
  };
}
