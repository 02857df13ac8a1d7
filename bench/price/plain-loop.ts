import type { Json, JsonSchema } from "../../src/core/values/json.ts";

/** A tool of the plain loop. `run` returns the text for the model. */
export interface PlainTool {
  name: string;
  description: string;
  parameters: JsonSchema;
  run(input: Json): Promise<string>;
}

/**
 * The agent that Knack's price is measured against: a short prompt, all tools in every request, the vendor's own SDK, and what
 * the vendor advises for its cache. Each thread has its messages in memory.
 */
export interface PlainAgent {
  /** Answers the text of the last message. */
  ask(thread: string, text: string): Promise<string>;
}

/** The parts of a loop for any protocol. */
export interface PlainParts {
  model: string;
  system: string;
  tools: readonly PlainTool[];
  /** Base URL of the stand-in for this protocol. */
  url: string;
  /** Runs a call by the tool's name. */
  run(name: string, input: Json): Promise<string>;
}
