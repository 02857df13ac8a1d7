import { z } from "zod";
import { isRecord } from "../base/record.ts";
import type { JsonSchema } from "../core/values/json.ts";

/** A server's description of a tool. None of it is trusted: names and texts are data, hints are no promises. */
export const remoteToolSchema = z.object({
  name: z.string().min(1).max(300),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  /** As received in a JSON message. */
  inputSchema: z.custom<JsonSchema>(isRecord).catch({ type: "object" }),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type RemoteTool = z.infer<typeof remoteToolSchema>;

export const remoteServerSchema = z.object({
  version: z.string().default("").catch(""),
  instructions: z.string().default("").catch(""),
  tools: z.array(remoteToolSchema),
  /** Which versions of the protocol it speaks: `legacy` are those before 2026-07-28. */
  era: z.enum(["legacy", "modern"]).optional().catch(undefined),
  /** How many more tools it listed that cannot be understood at all. */
  unreadable: z.number().optional().catch(undefined),
});
/** What a server is and has; stored so that its tools can be offered before it runs again. */
export type RemoteServer = z.infer<typeof remoteServerSchema>;
