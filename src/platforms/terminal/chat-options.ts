import type { ApiClient } from "../../client/api-client.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Keys } from "./line-reader.ts";

/** The part of the HTTP API that the chat uses. */
export type ChatClient = Pick<ApiClient, "call" | "submitTurn" | "turnEvents">;

/** An output that may be a terminal, such as `process.stdout`. */
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
  /** Continues this thread; a new one if undefined. */
  thread?: string | undefined;
  colours: boolean;
  /** Calls back on a signal to the process; returns a function that stops listening. */
  onInterrupt(listener: () => void): () => void;
}
