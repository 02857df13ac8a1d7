/** The shapes of tool servers (MCP) in the HTTP API. As in `schemas.ts`: extend, never break. */
import { z } from "@hono/zod-openapi";
import { approvers } from "../core/tool.ts";
import { diagnostic } from "./schemas.ts";

const user = z.string().min(1).max(200).default("operator");

const serverTool = z.object({
  name: z.string(),
  description: z.string(),
  suppressed: z.boolean(),
  read_only: z.boolean().optional().describe("what the server says of it"),
  destructive: z.boolean().optional().describe("what the server says of it"),
  definition: z.string().optional().describe("names the tool as it is now"),
  trusted: z.boolean().optional().describe("an operator lets it run unasked"),
  asks: z
    .enum(["nobody", ...approvers])
    .optional()
    .describe("who is asked when the model calls it for a member of a channel"),
});

export const serverStatus = z.object({
  name: z.string(),
  skill_id: z.string(),
  transport: z.enum(["stdio", "http", "sse"]),
  state: z.enum(["stopped", "starting", "running", "failed", "needs_login"]),
  problem: z.string().optional().describe("why it failed or is stopped"),
  auto_start: z.boolean(),
  credentials: z.enum(["none", "shared", "per_user"]),
  tools: z.array(serverTool),
  since: z.number().describe("since when it is in this state, milliseconds since the epoch"),
});

export const serverList = z.object({
  servers: z.array(serverStatus),
  diagnostics: z.array(diagnostic).describe("what of the file of servers was left out, and why"),
});
export const serverRequest = z.object({ user }).strict();
export const serverTrustRequest = z
  .object({
    tools: z
      .array(z.object({ name: z.string().max(300), definition: z.string().max(100) }).strict())
      .max(1_000)
      .describe("the tools that may run unasked, as they were listed; all others ask"),
    user,
  })
  .strict();
export const serverLogin = z.object({
  url: z.string().describe("for this person alone: where they connect their account"),
});
