/** The shapes of flows in the HTTP API. As in `schemas.ts`: extend, never break. */
import { z } from "@hono/zod-openapi";
import { diagnostic, json } from "../app/services/shapes.ts";
import { skillListing } from "../app/services/skill-listing.ts";
import { namespaceSchema } from "../core/place.ts";

export const flowList = z.object({ flows: z.array(skillListing), diagnostics: z.array(diagnostic) });

const vars = z.record(z.string(), json).default({});
const run = {
  vars: vars.describe("values of its variables"),
  dry_run: z.boolean().default(false).describe("tells what it would do, and does nothing"),
  namespace: namespaceSchema.default("console:local:dm"),
  user: z.string().min(1).max(200).default("operator"),
};

export const flowRunRequest = z.object(run).strict();

/** A flow that is in no folder of the bot. */
export const flowTextRequest = z
  .object({
    flow: z.string().min(2).max(1_000_000).describe("the flow's file, as text"),
    name: z.string().min(1).max(300).default("flow.json").describe("of the file"),
    ...run,
  })
  .strict();

/** What a run of a flow answers. A dry run has `dry_run` instead of results. */
export const flowResult = z.object({
  success: z.boolean(),
  results: z.array(json).describe("one per step: {success, result} or {success: false, error}"),
  variables: z.record(z.string(), json),
  directOutput: json.describe("what a step with direct output answered, else null"),
  error: z.string().optional(),
  code: z.string().optional(),
  hint: z.string().optional(),
  dry_run: json.optional().describe("what each step would do"),
});
