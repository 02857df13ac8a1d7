import type { ApiClient } from "../../client/api-client.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Keys } from "./line-reader.ts";

/** What the chat needs of the HTTP API. */
export type ChatClient = Pick<ApiClient, "call" | "submitTurn" | "turnEvents">;

/** An output that may be a terminal; `process.stdout` is one. */
export interface ChatOutput extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface ChatOptions {
  client: ChatClient;
  input: Keys;
  output: ChatOutput;
  clock: Pick<Clock, "now">;
  namespace: string;
  /** Goes on with this thread; a new one when left out. */
  thread?: string | undefined;
  colours: boolean;
  /** Calls back on an interrupt from outside (a signal to the process); answers how to stop listening. */
  onInterrupt(listener: () => void): () => void;
}
