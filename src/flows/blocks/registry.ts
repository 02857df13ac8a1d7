import type { Block } from "../block.ts";
import { apiCall } from "./api-call.ts";
import { llmInstruction } from "./llm-instruction.ts";
import { start } from "./start.ts";
import { webScraping } from "./web-scraping.ts";

/** Every kind of step, by the name flow files call it. */
export const blocks: ReadonlyMap<string, Block> = new Map(
  Object.entries({ start, apiCall, llmInstruction, webScraping }),
);
