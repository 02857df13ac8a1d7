/** The shapes of what is kept how long, in the HTTP API. As in `schemas.ts`: extend, never break. */
import { z } from "@hono/zod-openapi";

const days = z.union([z.number(), z.literal("never")]);
const time = z.number().describe("milliseconds since the epoch");
const user = z.string().min(1).max(200).default("operator");

const policy = z.object({
  conversation_days: days,
  run_detail_days: days,
  file_days: days,
  audit_days: days,
});

export const retentionStatus = z.object({
  policy,
  from: time
    .optional()
    .describe("from when on old data is deleted; absent until the bot starts and announces it"),
});

export const retentionRequest = z
  .object({ dry_run: z.boolean().default(false).describe("whether old data is only counted"), user })
  .strict();

export const retentionReport = retentionStatus.extend({
  ran: z.boolean().describe("whether it was deleted; else it was only counted"),
  counts: z.object({
    threads: z.number().describe("whole conversations"),
    turns: z.number().describe("turns of these"),
    run_details: z.number().describe("turns that lose their steps"),
    files: z.number().describe("turns that lose their files"),
    audit: z.number().describe("lines of the audit"),
    openings: z.number().describe("beginnings of conversations that none goes on from"),
  }),
});
