/** The shapes of tool servers (MCP) in the HTTP API. As in `schemas.ts`: extend, never break. */
import { z } from "@hono/zod-openapi";
import { diagnostic } from "./schemas.ts";

const user = z.string().min(1).max(200).default("operator");

export const serverStatus = z.object({
  name: z.string(),
  skill_id: z.string(),
  transport: z.enum(["stdio", "http", "sse"]),
  state: z.enum(["stopped", "starting", "running", "failed", "needs_login"]),
  problem: z.string().optional().describe("why it failed or is stopped"),
  auto_start: z.boolean(),
  credentials: z.enum(["none", "shared", "per_user"]),
  tools: z.array(z.object({ name: z.string(), description: z.string(), suppressed: z.boolean() })),
  since: z.number().describe("since when it is in this state, milliseconds since the epoch"),
});

export const serverList = z.object({
  servers: z.array(serverStatus),
  diagnostics: z.array(diagnostic).describe("what of the file of servers was left out, and why"),
});
export const serverRequest = z.object({ user }).strict();
export const serverLogin = z.object({
  url: z.string().describe("for this person alone: where they connect their account"),
});
