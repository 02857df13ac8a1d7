/** An output that may be a terminal, such as `process.stdout`. */
export interface ChatOutput extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** The current width of an output; 80 if it is unknown. */
export function columnsOf({ columns }: ChatOutput): number {
  return columns || 80;
}
