import type { CatalogueLoader } from "../../core/catalogue.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyValue } from "../../core/key-value.ts";
import type { NetworkGrants } from "../../core/network-grants.ts";
import type { Packages } from "../../core/packages.ts";
import type { Servers } from "../../core/servers.ts";
import type { TurnEvent } from "../../core/turn-event.ts";
import type { TurnFilter, TurnRecord } from "../../core/turn-log.ts";
import type { Audit } from "../services/audit.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";
import type { SkillRun } from "../services/skill-run.ts";
import type { SkillService } from "../services/skill-service.ts";
import type { Feed } from "../turns/feed.ts";
import type { Submit } from "../turns/submit.ts";
import type { Follow } from "../turns/turn-events.ts";

/** What operations work with. None of it asks who calls: `runOperation` has asked. */
export interface Services {
  audit: Audit;
  feed: Feed;
  clock: Pick<Clock, "now">;
  store: KeyValue;
  catalogue: CatalogueLoader;
  skills: SkillService;
  grants: NetworkGrants;
  packages: Packages;
  /** The tool servers of the configuration; absent where there can be none. */
  servers: Servers | undefined;
  /** Takes a message or command in, and what happens in its turn. */
  submit: Submit;
  follow: Follow;
  turns: {
    get(turnId: string): Promise<TurnRecord | undefined>;
    list(filter: TurnFilter): Promise<TurnRecord[]>;
    /** What happened in a turn so far, the live tail of a running one included. */
    events(turn: TurnRecord): Promise<TurnEvent[]>;
  };
  /** The executions of skills in the turns of a filter, the latest first. */
  runs(filter: TurnFilter): Promise<SkillRun[]>;
  changeSettings: ChangeSettings;
}
