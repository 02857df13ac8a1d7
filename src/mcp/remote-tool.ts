import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { isRecord } from "../base/record.ts";
import type { JsonSchema } from "../core/values/json.ts";
import { withoutLimit } from "./call-tool.ts";
import { skillsExtension } from "./offered-skills.ts";
import { firstPage, type ToolsPage } from "./server-message.ts";

/** A server's description of a tool. None of it is trusted: names and texts are data, hints are no promises. */
const remoteToolSchema = z.object({
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
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  instructions: z.string().default("").catch(""),
  tools: z.array(remoteToolSchema),
  /** Which versions of the protocol it speaks: `legacy` are those before 2026-07-28. */
  era: z.enum(["legacy", "modern"]).optional().catch(undefined),
  /** Whether it offers skills that can be installed. */
  offers_skills: z.boolean().optional().catch(undefined),
  /** How many more tools it listed that cannot be understood at all. */
  unreadable: z.number().optional().catch(undefined),
});
/** What a server is and has; stored so that its tools can be offered before it runs again. */
export type RemoteServer = z.infer<typeof remoteServerSchema>;

/** Maximum tools of one server; an endless list is cut. */
const maxTools = 1_000;

/** Consecutive pages without a new tool after which a list counts as complete, whatever it says. */
const maxFruitless = 3;

/** What a connected server says that it is and has. */
export async function askServer(client: Client): Promise<RemoteServer> {
  const { version = "", title, description } = client.getServerVersion() ?? {};
  const about = {
    version,
    ...(title && { title }),
    ...(description && { description }),
    instructions: client.getInstructions() ?? "",
    era: client.getProtocolEra(),
    offers_skills: client.getServerCapabilities()?.extensions?.[skillsExtension] !== undefined,
  };
  if (client.getServerCapabilities()?.tools === undefined) return { ...about, tools: [] };
  const tools = new Map<string, RemoteTool>();
  const seen = new Set<string>();
  let params: { cursor: unknown } = { cursor: firstPage };
  let unreadable = 0;
  for (let fruitless = 0; fruitless < maxFruitless && tools.size < maxTools; ) {
    seen.add(JSON.stringify(params));
    const known = tools.size;
    const { nextCursor: cursor, ...page } = await listTools(client, params);
    for (const tool of page.tools) tools.set(tool.name, tool);
    unreadable += page.unreadable;
    fruitless = tools.size > known ? 0 : fruitless + 1;
    params = { cursor };
    if (!cursor || seen.has(JSON.stringify(params))) break;
  }
  return { ...about, tools: [...tools.values()], ...(unreadable > 0 ? { unreadable } : {}) };
}

/** A tool that cannot be understood never hides the others. */
async function listTools(client: Client, params: { cursor: unknown }) {
  const { ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
  // By the protocol a cursor is a text. Other values are sent back as they are.
  const page = await client
    .listTools(params as { cursor: string }, { timeout: withoutLimit })
    .catch((error: unknown) => {
      // The bot may only have assumed that it has tools.
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return undefined;
      throw error;
    });
  const { tools = [], listed = 0, nextCursor } = (page ?? {}) as Partial<ToolsPage>;
  const read = tools.flatMap((tool) => remoteToolSchema.safeParse(tool).data ?? []);
  return { tools: read, unreadable: listed - read.length, nextCursor };
}
