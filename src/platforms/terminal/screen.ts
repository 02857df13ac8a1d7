/** An output that may be a terminal, such as `process.stdout`. */
export interface ChatOutput extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** The output of a display, with its current width and height. */
export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/** The screen of an output; 80 by 24 if its size is unknown. */
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
