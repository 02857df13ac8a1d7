import type { CatalogueLoader } from "../../core/catalogue.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { NetworkGrants } from "../../core/network-grants.ts";
import type { Servers } from "../../core/servers.ts";
import type { Audit } from "../services/audit.ts";
import type { SkillService } from "../services/skill-service.ts";
import type { Feed } from "../turns/feed.ts";

/** What operations work with. None of it asks who calls: `runOperation` has asked. */
export interface Services {
  audit: Audit;
  feed: Feed;
  clock: Pick<Clock, "now">;
  store: KeyValue;
  catalogue: CatalogueLoader;
  skills: SkillService;
  grants: NetworkGrants;
  /** The tool servers of the configuration; absent where there can be none. */
  servers: Servers | undefined;
}
