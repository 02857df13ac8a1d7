import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { createAddressPolicy } from "./address-policy.ts";
import { connectGuarded } from "./guarded-connection.ts";

export interface HostJudgeOptions {
  /** Host names (`*.` for subdomains), addresses or CIDRs that may be reached although they are private. */
  allow: readonly string[];
  timeoutMs: number;
  lookup?: LookupFunction;
}

/** Whether a program that makes its own connections may go to an address: tried with a guarded connection. */
export type JudgeHost = (url: URL) => Promise<{ ok: true } | { ok: false; reason: string }>;

export function createHostJudge({ allow, timeoutMs, lookup }: HostJudgeOptions): JudgeHost {
  const guard = {
    policy: createAddressPolicy(allow),
    timeoutMs,
    lookup: lookup ?? (systemLookup as LookupFunction),
  };
  return async ({ hostname, port, protocol }) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    try {
      const socket = await connectGuarded(
        { host, port: Number(port || (protocol === "http:" ? 80 : 443)) },
        guard,
      );
      socket.destroy();
      return { ok: true };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, reason: `${host} cannot be reached: ${why}.` };
    }
  };
}
