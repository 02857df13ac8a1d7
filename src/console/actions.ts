import type { ChannelActions } from "./channel-actions.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { FileActions } from "./file-actions.ts";
import type { MessageActions } from "./message-actions.ts";
import type { PageActions } from "./page-actions.ts";
import type { SkillActions } from "./skill-actions.ts";

/** Everything a person can do in the console; the views call nothing else. */
export interface Actions {
  channels: ChannelActions;
  messages: MessageActions;
  draft: DraftActions;
  files: FileActions;
  skills: SkillActions;
  page: PageActions;
  /** Tries the token, and begins anew with it. */
  signIn(token: string): void;
}
