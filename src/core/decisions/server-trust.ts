import { z } from "zod";
import type { KeyValue } from "../ports/key-value.ts";
import type { ServerTool } from "../skill/tool.ts";

const trustSchema = z.object({
  /** Tools that may run unasked, each as it was when the operator said so. */
  tools: z.array(z.object({ tool: z.string(), definition: z.string() })),
  /** Who said so, and when, ms since the epoch. */
  by: z.string(),
  at: z.number(),
});
/** What an operator said of a server's tools. */
export type ServerTrust = z.infer<typeof trustSchema>;

const keyOf = (server: string) => `trust:${server}`;

/** Undefined while no operator has looked at the server's tools. */
export async function readTrust(store: KeyValue, server: string): Promise<ServerTrust | undefined> {
  return trustSchema.optional().parse(await store.get(keyOf(server)));
}

/** Replaces what was said before; no tools: each of them asks. */
export async function writeTrust(store: KeyValue, server: string, trust: ServerTrust): Promise<void> {
  await store.set(keyOf(server), trust);
}

/** Whether an operator let this tool run unasked as it is now. */
export function isTrusted(
  { tool, definition }: Pick<ServerTool, "tool" | "definition">,
  trust: ServerTrust | undefined,
): boolean {
  return trust?.tools.some((each) => each.tool === tool && each.definition === definition) ?? false;
}
