import type { Block } from "../block.ts";
import { apiCall } from "./api-call.ts";
import { approval } from "./approval.ts";
import { code } from "./code.ts";
import { condition } from "./condition.ts";
import { llmInstruction } from "./llm-instruction.ts";
import { loop } from "./loop.ts";
import { start } from "./start.ts";
import { tool } from "./tool.ts";
import { webScraping } from "./web-scraping.ts";

/** Every kind of step, by its name in flow files. */
export const blocks: Readonly<Record<string, Block>> = {
  start,
  apiCall,
  llmInstruction,
  webScraping,
  tool,
  condition,
  loop,
  code,
  approval,
};
