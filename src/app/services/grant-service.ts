import type { Asker, Outcome } from "../../core/outcome.ts";

/** What the code of a skill may reach. */
export interface Granted {
  skill_id: string;
  granted: string[];
}

/** Lets the code of skills reach hosts, and takes that back. For operators; it counts in every channel. */
export interface GrantService {
  /** @param hosts names, or addresses of which the host counts */
  grant(id: string, hosts: readonly string[], asker: Asker): Promise<Outcome<Granted>>;
  /** All hosts unless named. Those of the configuration stay. */
  revoke(id: string, hosts: readonly string[] | undefined, asker: Asker): Promise<Outcome<Granted>>;
}
