import { z } from "zod";

const seconds = z.number().positive().max(86_400);

/** Tool servers (MCP). The servers themselves stand in a file of their own, in the format other programs use too. */
export const mcpSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .default("./config/mcp.json")
    .describe("File of the tool servers, in the mcpServers format; changes are seen by the next message"),
  connect_seconds: seconds
    .default(120)
    .describe(
      "Longest time until a server has introduced itself, in seconds; npx and uvx may have to download it",
    ),
  call_seconds: seconds
    .default(60)
    .describe("Longest silence of a call to a server, in seconds; progress begins it anew"),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe("Attempts in a row to start a server's program; then somebody has to start it"),
});
