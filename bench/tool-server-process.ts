/**
 * A tool server over its standard streams, with 15 tools. Argument: how it starts. `ready` answers at once, `slow` after a second,
 * `hanging` never, and `broken` ends.
 */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [kind = "ready", name = "server"] = process.argv.slice(2);
if (kind === "broken") process.exit(1);

const subjects = ["orders", "customers", "invoices", "products", "suppliers"];
const verbs = ["list", "read", "change"];
const tools = subjects.flatMap((subject) =>
  verbs.map((verb) => ({
    name: `${verb}_${subject}`,
    description: `Can ${verb} ${subject} of ${name}. Answers at most 20 records with their address, the newest first.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words of the title" },
        since: { type: "string", format: "date", description: "Only what changed since" },
        limit: { type: "integer", minimum: 1, maximum: 20, default: 5 },
      },
      required: ["query"],
    },
  })),
);
const serverInfo = { name, version: "1.0.0" };
const protocolVersion = "2025-06-18";
const answers: Record<string, object> = {
  initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo },
  "tools/list": { tools },
  ping: {},
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  const result = answers[method];
  if (kind === "hanging" || id === undefined || result === undefined) continue;
  if (kind === "slow" && method === "initialize") await sleep(1000);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
