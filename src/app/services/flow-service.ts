import type { Author } from "../../core/inbound.ts";
import type { Json } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Diagnostic } from "../../core/skill.ts";
import type { SkillListing } from "./skill-listing.ts";

/** What a run of a flow answers. */
export interface FlowResult {
  success: boolean;
  /** One per step: `{success, result}` or `{success: false, error}`. */
  results: Json[];
  variables: Record<string, Json>;
  /** What a step with direct output answered, else null. */
  directOutput: Json;
  error?: string;
  code?: string;
  hint?: string;
  /** What each step would do, of a dry run. */
  dry_run?: Json;
}

export interface FlowRun {
  vars: Record<string, Json>;
  /** Only tells what it would do. */
  dry_run: boolean;
  namespace: string;
  by: Author;
}

/** Takes a flow's file in for as long as the bot runs, and answers the id it has as a skill, or why it is no flow. */
export type AddFlow = (
  text: string,
  path: string,
) => Promise<{ ok: true; id: string } | { ok: false; reason: string }>;

/** Flows as people list and run them. */
export interface FlowService {
  list(namespace: string): Promise<{ flows: SkillListing[]; diagnostics: Diagnostic[] }>;
  /** By id, alias or name. A flow that fails is an answer: `success` is false then. */
  run(flow: string, run: FlowRun): Promise<Outcome<FlowResult>>;
  /** A flow that is in no folder of the bot; for operators. `name` is its file's. */
  runText(text: string, name: string, run: FlowRun): Promise<Outcome<FlowResult>>;
}
