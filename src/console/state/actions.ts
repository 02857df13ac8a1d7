import type { DraftActions } from "../composer/draft-actions.ts";
import type { ScheduleActions } from "../composer/schedule-actions.ts";
import type { InstallActions } from "../skills/install-actions.ts";
import type { SkillActions } from "../skills/skill-actions.ts";
import type { TrialActions } from "../skills/trial-actions.ts";
import type { UpkeepActions } from "../skills/upkeep-actions.ts";
import type { ChannelActions } from "./channel-actions.ts";
import type { FileActions } from "./file-actions.ts";
import type { MessageActions } from "./message-actions.ts";
import type { PageActions } from "./page-actions.ts";
import type { ReceiptActions } from "./receipt-actions.ts";

/** Everything a person can do in the console. Views call only these. */
export interface Actions {
  channels: ChannelActions;
  messages: MessageActions;
  draft: DraftActions;
  schedule: ScheduleActions;
  files: FileActions;
  receipts: ReceiptActions;
  skills: SkillActions;
  install: InstallActions;
  upkeep: UpkeepActions;
  trial: TrialActions;
  page: PageActions;
  /** Tries the token, and starts again with it. */
  signIn(token: string): void;
}
