import type { ToolContext } from "../../core/skill/tool.ts";

/** How many calls are remembered; older ones have ended. */
const mostCalls = 1_000;

/** Counts requests within calls. One that comes again after a wait counts once. */
export function createRequestLimit(most: number): {
  allows(call: Pick<ToolContext, "turn_id" | "call_id">, request: string): boolean;
} {
  const calls = new Map<string, Set<string>>();
  return {
    allows({ turn_id, call_id }, request) {
      const call = JSON.stringify([turn_id, call_id]);
      const seen = calls.get(call) ?? new Set();
      calls.delete(call);
      calls.set(call, seen);
      for (const oldest of calls.keys()) {
        if (calls.size <= mostCalls) break;
        calls.delete(oldest);
      }
      if (seen.has(request)) return true;
      if (seen.size >= most) return false;
      seen.add(request);
      return true;
    },
  };
}
